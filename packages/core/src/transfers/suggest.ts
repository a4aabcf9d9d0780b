import type { Binding, UnmatchedReason } from './bind.ts'

/** An unpaid intent at the wallet of an unmatched transfer, open or in its late window. */
export type NearIntent = {
  readonly id: string
  /** The price. */
  readonly amount: bigint
  readonly payable: bigint
}

/**
 * An intent that an unmatched transfer may be for. `price`: its price was sent. `amount`: the transfer differs from its
 * payable amount by rounding or an exchange's fee, deducted or added. `payer`: a holder of its client secret named the
 * paying account, which is not verified.
 */
export type Suggestion = {
  readonly intentId: string
  readonly match: 'price' | 'amount' | 'payer'
}

const centUnits = 10_000n
const dollarUnits = 1_000_000n
/** The highest withdrawal fee of an exchange. */
const feeUnits = 5_000_000n
const maxSuggestions = 5

/**
 * Suggests intents for an unmatched transfer, most likely first, and those with only the payer last.
 * @param candidates intents with amounts close to the transfer's
 * @param namedPayers intents whose checkout named the payer
 */
export function suggest(
  amount: bigint,
  candidates: readonly NearIntent[],
  namedPayers: readonly string[],
): Suggestion[] {
  const rank = (intent: NearIntent) => (amount === intent.amount ? 0 : 1)
  const byAmount = candidates
    .filter((intent) => isNear(amount, intent))
    .toSorted((a, b) => rank(a) - rank(b) || compare(distance(amount, a), distance(amount, b)))
    .map((intent): Suggestion => {
      return { intentId: intent.id, match: amount === intent.amount ? 'price' : 'amount' }
    })
  const byPayer = namedPayers
    .filter((id) => !byAmount.some(({ intentId }) => intentId === id))
    .map((intentId): Suggestion => ({ intentId, match: 'payer' }))
  return [...byAmount, ...byPayer].slice(0, maxSuggestions)
}

/** `amount_mismatch` instead of `no_intent` if an intent with a close amount is suggested. */
export function reasonWith(
  binding: Extract<Binding, { type: 'unmatched' }>,
  suggestions: readonly Suggestion[],
): UnmatchedReason {
  const matchesAmount = suggestions.some(({ match }) => match !== 'payer')
  return binding.reason === 'no_intent' && matchesAmount ? 'amount_mismatch' : binding.reason
}

/**
 * Less than a cent off, or by at most an exchange's fee: 5 USDC and a tenth of the amount. A payer whose fee is deducted sends too little;
 * a payer who adds it, too much. A payer who rounds up sends as much as a dollar more, and at most twice the amount.
 */
function isNear(sent: bigint, { amount, payable }: NearIntent): boolean {
  if (sent === amount) return true
  const missing = payable - sent
  const over = -missing
  if (missing < centUnits && (over < centUnits || (over <= dollarUnits && over <= payable)))
    return true
  const difference = missing > 0n ? missing : over
  return difference <= feeUnits && difference * 10n <= payable
}

function distance(sent: bigint, { payable }: NearIntent): bigint {
  return sent > payable ? sent - payable : payable - sent
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b)
}
