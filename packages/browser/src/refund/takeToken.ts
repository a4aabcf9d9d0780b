const key = 'payment-intents refund'

/**
 * The token of the link that was opened. It is taken out of the address and so out of the history, and kept for a reload of
 * this tab; null: no link was opened in it.
 */
export function takeToken(): string | null {
  const token = location.hash.slice(1)
  if (token) history.replaceState(null, '', location.pathname + location.search)
  try {
    if (token) sessionStorage.setItem(key, token)
    return token || sessionStorage.getItem(key)
  } catch {
    // A browser that keeps nothing needs the link again after a reload.
    return token || null
  }
}
