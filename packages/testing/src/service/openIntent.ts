import {
  type Intent,
  intentEvents,
  newIntent,
  payableCandidates,
  type Terms,
} from '@payment-intents/core'
import type { Records } from './store/records.ts'

/** Stores a new intent and its event; null if every amount that identifies a payment by hand is taken. */
export function openIntent(
  records: Records,
  terms: Terms,
  { reservesAmount = true }: { reservesAmount?: boolean } = {},
): Intent | null {
  const free = reservesAmount ? firstFree(terms, records.waitedFor()) : undefined
  if (free === undefined && terms.lane === 'manual') return null
  const intent = newIntent(terms, {
    payable: free ?? terms.amount,
    referenceOnly: free === undefined,
  })
  records.intents.set(intent.id, intent)
  for (const event of intentEvents(intent, ['payment_intent.created']))
    records.write(event, intent.id)
  return intent
}

export function firstFree(terms: Terms, waiting: readonly Intent[]): bigint | undefined {
  const atWallet = waiting.filter(({ chain, wallet }) => {
    return chain === terms.chain && wallet === terms.wallet
  })
  const amounts = new Set(atWallet.flatMap(({ amount, payable }) => [amount, payable]))
  for (const candidates of payableCandidates(terms.amount, Math.random)) {
    const free = candidates.find((payable) => !amounts.has(payable))
    if (free !== undefined) return free
  }
  return undefined
}
