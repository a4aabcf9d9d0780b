import type { Address, Chain } from '@payment-intents/contract'
import type { Intent, Rail, UnmatchedReason } from './intent.ts'

export type Payment = {
  readonly chain: Chain
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
  /** What is appended to the calldata; null for a bare transfer, as people make by hand. */
  readonly reference: Intent['reference'] | null
}

export type Binding =
  | { type: 'bound'; intentId: string; by: Rail }
  | { type: 'unmatched'; reason: UnmatchedReason }

/**
 * Binds a transfer to at most one intent: by reference, by a wallet that is one intent's alone, by the exact
 * payable amount, else not at all.
 *
 * @param known.intents those whose late window is open
 * @param known.standing the merchant's own wallets
 * @param known.announced payers that told a reference-only intent that they are about to pay it
 */
export function bind(
  payment: Payment,
  known: {
    readonly intents: readonly Intent[]
    readonly standing: readonly Address[]
    readonly announced: ReadonlyMap<string, ReadonlySet<Address>>
  },
): Binding {
  const { chain, from, to, amount, reference } = payment
  const atWallet = known.intents.filter(({ wallet }) => wallet === to)
  const here = atWallet.filter((intent) => intent.chain === chain)
  const named = here.find((intent) => intent.reference === reference)
  if (named) return { type: 'bound', intentId: named.id, by: 'reference' }

  const reserving = here.filter(({ referenceOnly }) => !referenceOnly)
  const [alone, ...others] = known.standing.includes(to) ? [] : reserving
  if (alone && others.length === 0) return { type: 'bound', intentId: alone.id, by: 'address' }

  // That payer is about to pay an intent that shares this amount: whose it is cannot be known.
  const announced = here.some(
    ({ id, payable }) => payable === amount && known.announced.get(id)?.has(from),
  )
  if (announced) return { type: 'unmatched', reason: 'ambiguous' }
  const asksForThis = (intent: Intent) => !intent.referenceOnly && intent.payable === amount
  const holder = here.find(asksForThis)
  if (holder) return { type: 'bound', intentId: holder.id, by: 'payable_amount' }
  return { type: 'unmatched', reason: atWallet.some(asksForThis) ? 'wrong_chain' : 'no_intent' }
}
