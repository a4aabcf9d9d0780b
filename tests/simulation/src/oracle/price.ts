import type { Bare } from './binding.ts'
import { type Knowledge, type Promised, undecided } from './knowledge.ts'
import { isBefore, type Recorded, type Records } from './recordedTransfers.ts'
import { waits } from './waiting.ts'
import { isDust } from './withoutDust.ts'

/** How long a payer may mean an intent of the same price. */
const memorySeconds = 7 * 24 * 60 * 60

/**
 * "The plain price, only where the merchant has set that for this wallet, and only if exactly one intent of that price existed
 * at this wallet in seven days, this intent is open and has received nothing, and the transfer is on time". What was so once stays so wherever the chain mines the transaction again.
 *
 * @returns the intents it may be credited to, and whether it must be
 */
export function priceRuling(
  transfer: Bare,
  knowledge: Knowledge,
  records: Records,
): { may: readonly string[]; must: boolean } {
  const { amount, block, here, record } = transfer
  const before = here.flatMap(({ id }) =>
    (records.get(id) ?? []).filter((other) => wasSame(other, transfer)),
  )
  const settled = before.flatMap(({ intentId }) => intentId ?? [])
  const isSure = before.length > 0 && transfer.transfers.length === 1
  if (isSure) return { may: settled, must: true }

  if (!knowledge.plainPriceAt.has(transfer.to)) return { may: settled, must: false }
  const priced = here.filter(
    (intent) => intent.amount === amount && block.timestamp - intent.createdAt <= memorySeconds,
  )
  if (priced.filter(({ moment }) => moment < block.moment).length > 1) {
    return { may: settled, must: false }
  }
  const payable = priced.filter(
    (intent) =>
      // Another merchant who has proven the wallet has not set it.
      intent.merchantId === knowledge.configured.get(transfer.to) &&
      block.timestamp <= intent.expiresAt &&
      waits(intent, transfer, knowledge) !== 'no' &&
      !wasCanceled(intent, transfer, knowledge) &&
      !(record && wasPaid(intent, record, knowledge, records)),
  )
  const [only, ...others] = priced
  return {
    may: [...settled, ...payable.map(({ id }) => id)],
    must:
      only !== undefined &&
      others.length === 0 &&
      payable.includes(only) &&
      waits(only, transfer, knowledge) === 'yes' &&
      isUntouched(only, record, knowledge, records),
  }
}

/** Credited by its price in an earlier block of this transaction. */
function wasSame(other: Recorded, { transaction, from, amount, block }: Bare): boolean {
  const isSame = other.txHash === transaction.hash && other.from === from && other.amount === amount
  return isSame && other.rail === 'price' && other.blockHash !== block.hash
}

function wasCanceled({ id }: Promised, { block }: Bare, { canceledAt }: Knowledge): boolean {
  return (canceledAt.get(id) ?? Number.POSITIVE_INFINITY) < block.moment
}

/** Whether something that counts had certainly been received before. */
function wasPaid(
  intent: Promised,
  record: Recorded,
  { chain }: Knowledge,
  records: Records,
): boolean {
  return (records.get(intent.id) ?? []).some(
    (other) =>
      other.id !== record.id &&
      !other.orphaned &&
      // Assigned at any time after it came.
      other.rail !== 'assignment' &&
      !isDust(intent, { amount: other.amount, rail: String(other.rail) }) &&
      !chain.replaced.has(other.blockHash) &&
      isBefore(other, record),
  )
}

/** Whether an intent is open and had certainly received nothing. */
function isUntouched(
  intent: Promised,
  record: Recorded | undefined,
  { chain, decisions, moved }: Knowledge,
  records: Records,
): boolean {
  const received = (records.get(intent.id) ?? []).some(
    (other) =>
      other.id !== record?.id &&
      !isDust(intent, { amount: other.amount, rail: String(other.rail) }),
  )
  const isOpen = (decisions.get(intent.id) ?? undecided) === undecided
  const wasMoved = moved.some(({ from }) => from === intent.id)
  return !received && !wasMoved && isOpen && chain.head.timestamp <= intent.expiresAt
}
