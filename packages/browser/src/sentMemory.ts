import { amountDue } from './amount.ts'
import type { Intent } from './parseIntent.ts'
import { isHash } from './wallet/transfer.ts'

const key = 'payment-intents'

/** A payment that was sent, and that the service has perhaps not seen yet. */
type Sent = { id: string; due: string; hash: string | null }

/**
 * Remembers in this browser what was sent last, for the seconds until the service sees it: a payer who
 * reloads the page, or opens another tab, is not asked for the money again. Never the client secret.
 */
export function rememberSent(intent: Intent, hash: string | null): void {
  const sent: Sent = { id: intent.id, due: String(amountDue(intent)), hash }
  attempt(() => localStorage.setItem(key, JSON.stringify(sent)))
}

/** What was sent for all that the intent still asks for. */
export function recallSent(intent: Intent): { txHash: string | null } | null {
  const sent = read()
  if (sent?.id !== intent.id || sent.due !== String(amountDue(intent))) return null
  return { txHash: isHash(sent.hash) ? sent.hash : null }
}

export function forgetSent(intent: Intent): void {
  if (read()?.id === intent.id) attempt(() => localStorage.removeItem(key))
}

/** Calls back whenever another tab remembers or forgets. */
export function onSentElsewhere(signal: AbortSignal, callback: () => void): void {
  const listen = (event: StorageEvent) => {
    if (event.key === key) callback()
  }
  window.addEventListener('storage', listen, { signal })
}

function read(): Partial<Sent> | null {
  return attempt(() => JSON.parse(localStorage.getItem(key) ?? 'null')) ?? null
}

// A page may be denied storage, or have filled it.
function attempt<Value>(use: () => Value): Value | undefined {
  try {
    return use()
  } catch {
    return undefined
  }
}
