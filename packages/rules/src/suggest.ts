import type { Binding, UnmatchedReason } from './bind.ts'

/** An intent at the wallet of an unmatched transfer, open or in its late window, that is not paid. */
export type NearIntent = {
  readonly id: string
  /** The price. */
  readonly amount: bigint
  readonly payable: bigint
}

/**
 * An intent that an unmatched transfer may be for: `price`, its price was sent; `amount`, its payable amount was
 * missed by rounding or by an exchange's fee; `payer`, somebody who has its client secret named the account that
 * paid, which anybody could claim.
 */
export type Suggestion = {
  readonly intentId: string
  readonly match: 'price' | 'amount' | 'payer'
}

const centUnits = 10_000n
/** What exchanges keep of a withdrawal, at most. */
const feeUnits = 5_000_000n
const suggestedAtMost = 5

/**
 * What a merchant may assign an unmatched transfer to, the likeliest first, claims last.
 *
 * @param near intents whose amounts are close to the transfer's
 * @param claimed intents whose checkout named the payer
 */
export function suggest(
  amount: bigint,
  near: readonly NearIntent[],
  claimed: readonly string[],
): Suggestion[] {
  const byDistance = near
    .filter((intent) => isNear(amount, intent))
    .toSorted((a, b) => compare(distance(amount, a), distance(amount, b)))
    .map((intent): Suggestion => {
      return { intentId: intent.id, match: amount === intent.amount ? 'price' : 'amount' }
    })
  const byAmount = [
    ...byDistance.filter(({ match }) => match === 'price'),
    ...byDistance.filter(({ match }) => match === 'amount'),
  ]
  const claims = claimed.map((intentId): Suggestion => ({ intentId, match: 'payer' }))
  const once = new Map(
    [...claims.toReversed(), ...byAmount.toReversed()].map((one) => [one.intentId, one]),
  )
  return [...byAmount, ...claims]
    .filter((one) => once.get(one.intentId) === one)
    .slice(0, suggestedAtMost)
}

/** A transfer that no intent asks for, but misses the amount of one, is told as that. */
export function reasonWith(
  binding: Extract<Binding, { type: 'unmatched' }>,
  suggestions: readonly Suggestion[],
): UnmatchedReason {
  const isNearOne = suggestions.some(({ match }) => match !== 'payer')
  return binding.reason === 'no_intent' && isNearOne ? 'amount_mismatch' : binding.reason
}

/** Less than a cent off, or short by what an exchange may have kept: at most 5 USDC, and a tenth of it. */
function isNear(sent: bigint, { amount, payable }: NearIntent): boolean {
  if (sent === amount) return true
  const missing = payable - sent
  if (missing > -centUnits && missing < centUnits) return true
  return missing > 0n && missing <= feeUnits && missing * 10n <= payable
}

function distance(sent: bigint, { payable }: NearIntent): bigint {
  return sent > payable ? sent - payable : payable - sent
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b)
}
