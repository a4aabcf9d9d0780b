import type { Hex } from 'viem'
import type { TransferPlace } from '../rpc/rpc.ts'

/** A transaction, with the logs of it that were shown. */
export type ShownTransaction = { readonly txHash: Hex; readonly logs: readonly TransferPlace[] }

/** One poll reads and writes so much at most, so that a block full of dust delays no payment for long. */
const transactionsPerPoll = 1_000
const transfersPerPoll = 5_000

/**
 * The transactions that one poll takes, and those that it leaves to the next. The ones with the fewest transfers come
 * first, and of those the most valuable: to delay a payment, one has to send more than it.
 */
export function selectUrgent(logs: readonly TransferPlace[]): {
  selected: readonly ShownTransaction[]
  postponed: readonly ShownTransaction[]
} {
  const shown = [...Map.groupBy(logs, (log) => log.txHash)]
    .map(([txHash, logs]): ShownTransaction => ({ txHash, logs }))
    .sort(byUrgency)
  let transfers = 0
  const past = shown.findIndex(({ logs }, index) => {
    transfers += logs.length
    // The first is taken however large it is.
    return index > 0 && (index >= transactionsPerPoll || transfers > transfersPerPoll)
  })
  const end = past < 0 ? shown.length : past
  return { selected: shown.slice(0, end), postponed: shown.slice(end) }
}

function byUrgency(a: ShownTransaction, b: ShownTransaction): number {
  if (a.logs.length !== b.logs.length) return a.logs.length - b.logs.length
  const [ofA, ofB] = [worthOf(a), worthOf(b)]
  return ofA === ofB ? 0 : ofA > ofB ? -1 : 1
}

function worthOf({ logs }: ShownTransaction): bigint {
  return logs.reduce((sum, { amount }) => sum + amount, 0n)
}
