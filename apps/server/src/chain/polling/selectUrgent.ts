import type { Hex } from 'viem'
import type { TransferLocation } from '../rpc/transferLogs.ts'

/** A transaction with the logs that were returned for it. */
export type ShownTransaction = { readonly txHash: Hex; readonly logs: readonly TransferLocation[] }

/** The maximum of one poll, so that a block full of dust does not delay a payment for long. */
const transactionsPerPoll = 1_000
const transfersPerPoll = 5_000

/**
 * Selects the transactions of one poll; the next polls take the others. Those with the fewest transfers come first, and of those the most
 * valuable: to delay a payment, an attacker has to send more than its amount.
 */
export function selectUrgent(logs: readonly TransferLocation[]): {
  selected: readonly ShownTransaction[]
  postponed: readonly ShownTransaction[]
} {
  const transactions = [...Map.groupBy(logs, (log) => log.txHash)]
    .map(([txHash, logs]): ShownTransaction => ({ txHash, logs }))
    .sort(byUrgency)
  let transfers = 0
  const past = transactions.findIndex(({ logs }, index) => {
    transfers += logs.length
    // The first is selected at any size.
    return index > 0 && (index >= transactionsPerPoll || transfers > transfersPerPoll)
  })
  const end = past < 0 ? transactions.length : past
  return { selected: transactions.slice(0, end), postponed: transactions.slice(end) }
}

function byUrgency(a: ShownTransaction, b: ShownTransaction): number {
  if (a.logs.length !== b.logs.length) return a.logs.length - b.logs.length
  const [ofA, ofB] = [worthOf(a), worthOf(b)]
  return ofA === ofB ? 0 : ofA > ofB ? -1 : 1
}

function worthOf({ logs }: ShownTransaction): bigint {
  return logs.reduce((sum, { amount }) => sum + amount, 0n)
}
