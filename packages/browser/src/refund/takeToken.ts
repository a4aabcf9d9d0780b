const key = 'payment-intents refund'

/**
 * Removes the token of the opened link from the address, and so from the history, and keeps it for a reload of this tab.
 *
 * @returns null if no link was opened in this tab
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
