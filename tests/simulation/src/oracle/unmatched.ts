import type { Bare } from './binding.ts'
import { type Knowledge, type Promised, until } from './knowledge.ts'
import { waits } from './waiting.ts'

const memorySeconds = 7 * 24 * 60 * 60
const blockSeconds = 2

/** "Never guess": every possible reason for a transfer that no rule binds. */
export function reasonsFor(transfer: Bare, knowledge: Knowledge): readonly string[] {
  const { here, elsewhere, amount, block, tooMany } = transfer
  const reasons: string[] = []
  const priced = here.filter(
    (intent) => intent.amount === amount && block.timestamp - intent.createdAt <= memorySeconds,
  )
  const pricedBefore = priced.filter(({ moment }) => moment < block.moment)
  const isPricedSince =
    pricedBefore.length < 2 && priced.some((intent) => waits(intent, transfer, knowledge) !== 'yes')
  if (isPricedSince || here.some((intent) => isReserved(intent, transfer))) {
    reasons.push('before_intent')
  }
  if (priced.length > 1 || tooMany) reasons.push('ambiguous')
  if (pricedBefore.length > 1 || tooMany) return reasons

  const there = elsewhere.filter((intent) => isReserved(intent, transfer))
  if (there.length > 0) reasons.push('wrong_chain')
  if (there.some(({ moment }) => moment < block.moment)) return reasons

  const near = here.filter((intent) => isNear(amount, intent) && isRequesting(intent, transfer))
  if (near.length > 0) reasons.push('amount_mismatch')
  if (!near.some((intent) => isStillRequesting(intent, transfer, knowledge)))
    reasons.push('no_intent')
  return reasons
}

/** Whether an intent reserved the amount of a transfer at any time until its block. */
function isReserved(intent: Promised, { amount, block }: Bare): boolean {
  return !intent.referenceOnly && intent.payable === amount && block.timestamp <= until(intent)
}

/** "Intents whose price it is, or whose amount it misses by rounding or an exchange's fee", which a payer may also add. */
function isNear(sent: bigint, { amount, payable }: Promised): boolean {
  const missing = payable - sent
  const off = missing < 0n ? -missing : missing
  const isRounded = off < 10_000n
  const isRoundedUp = missing < 0n && off <= 1_000_000n && off <= payable
  const isFee = off <= 5_000_000n && off * 10n <= payable
  return sent === amount || isRounded || isRoundedUp || isFee
}

function isRequesting(intent: Promised, { block }: Bare): boolean {
  const isBegun = intent.createdAt <= block.timestamp + blockSeconds
  return !intent.referenceOnly && isBegun && block.timestamp <= until(intent)
}

/** Whether an intent of the transfer's merchant certainly requested money when the transfer was recorded. */
function isStillRequesting(intent: Promised, transfer: Bare, knowledge: Knowledge): boolean {
  return (
    !knowledge.everPaid.has(intent.id) &&
    transfer.record?.merchantId === intent.merchantId &&
    waits(intent, transfer, knowledge) === 'yes'
  )
}
