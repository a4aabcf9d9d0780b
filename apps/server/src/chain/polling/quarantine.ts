import type { Hex } from 'viem'
import type { DeferredTransaction } from '../../store/chains/deferredTransactions.ts'
import type { Window } from './reconcile.ts'
import type { FailedTransaction } from './scan.ts'

/**
 * Transactions that could not be read or recorded. No poll waits for them: the cursor passes them, and each is read again after half of the
 * time for which it has failed. A transaction that fails for long is in quarantine, and is reported. The rows in the database outlive this
 * process and its lease.
 */
export type Deferred = ReadonlyMap<Hex, DeferredTransaction>

/** A node may not know the transactions of a block that it has just announced. */
const quarantineAfterMs = 30_000
const longestRetryMs = 60 * 60 * 1_000
/** The maximum of retries of one poll: the transactions that began to fail last come first. */
const retriesPerPoll = 100

export function toDeferred(transactions: readonly DeferredTransaction[]): Deferred {
  return new Map(transactions.map((transaction) => [transaction.txHash, transaction]))
}

export function isDeferred(deferred: Deferred, log: { txHash: Hex; blockHash: Hex }): boolean {
  return deferred.get(log.txHash)?.blockHash === log.blockHash
}

export type Retries = {
  readonly due: readonly DeferredTransaction[]
  /** Whether more are due than one poll takes. */
  readonly hasMore: boolean
  /** A reorg removed their blocks. If they are mined again, they are new transactions. */
  readonly orphaned: readonly Hex[]
}

/** @param rescanned blocks that an operator rescans: the transactions in them are due */
export function retriesOf(
  deferred: Deferred,
  window: Window,
  { now, rescanned }: { now: number; rescanned: { from: bigint; to: bigint } | null },
): Retries {
  const all = [...deferred.values()]
  const isOrphaned = ({ blockNumber, blockHash }: DeferredTransaction) =>
    (window.get(blockNumber)?.hash ?? blockHash) !== blockHash
  const isDue = ({ retryAt, blockNumber }: DeferredTransaction) =>
    retryAt <= now ||
    (rescanned !== null && blockNumber >= rescanned.from && blockNumber <= rescanned.to)
  const due = all
    .filter((transaction) => isDue(transaction) && !isOrphaned(transaction))
    .sort((a, b) => b.failingSince - a.failingSince)
  return {
    due: due.slice(0, retriesPerPoll),
    hasMore: due.length > retriesPerPoll,
    orphaned: all.filter(isOrphaned).map(({ txHash }) => txHash),
  }
}

/** The time of the next retry: after half of the time for which it has failed. */
export function nextRetry(failingSince: number, now: number, longestMs = longestRetryMs): number {
  return now + Math.min(longestMs, (now - failingSince) / 2)
}

/**
 * The transactions that have just failed, perhaps again, and those whose quarantine begins. `failingSince` never moves forward.
 *
 * @param poll.noLongerDeferred transactions that were read, or that a reorg removed
 */
export function toBeDeferred(
  deferred: Deferred,
  failed: readonly FailedTransaction[],
  poll: { readonly noLongerDeferred: readonly Hex[]; readonly now: number },
): DeferredTransaction[] {
  const { noLongerDeferred, now } = poll
  const handled = new Set([...noLongerDeferred, ...failed.map(({ txHash }) => txHash)])
  const isOverdue = ({ failingSince }: DeferredTransaction) =>
    now - failingSince >= quarantineAfterMs
  const newlyOverdue = [...deferred.values()].filter(
    (transaction) =>
      !handled.has(transaction.txHash) && !transaction.isQuarantined && isOverdue(transaction),
  )
  const failing = failed.map((transaction): DeferredTransaction => {
    const before = deferred.get(transaction.txHash)
    const failingSince = Math.min(before?.failingSince ?? now, now)
    return {
      ...transaction,
      isLarge: transaction.isLarge || before?.isLarge === true,
      failingSince,
      retryAt: nextRetry(failingSince, now),
      isQuarantined: before?.isQuarantined === true,
    }
  })
  return [...failing, ...newlyOverdue].map((transaction) => ({
    ...transaction,
    isQuarantined: transaction.isQuarantined || isOverdue(transaction),
  }))
}

/** After a poll is recorded. */
export function afterPoll(
  deferred: Deferred,
  {
    failed,
    noLongerDeferred,
  }: { failed: readonly DeferredTransaction[]; noLongerDeferred: readonly Hex[] },
): Deferred {
  if (failed.length === 0 && noLongerDeferred.length === 0) return deferred
  const released = new Set(noLongerDeferred)
  const stillDeferred = [...deferred.values()].filter(({ txHash }) => !released.has(txHash))
  return toDeferred([...stillDeferred, ...failed])
}
