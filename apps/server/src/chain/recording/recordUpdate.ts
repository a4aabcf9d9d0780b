import { classifyDbError } from '../../lib/classifyDbError.ts'
import { advanceCursor, type Lease, LeaseLost } from '../../store/chains/cursors.ts'
import {
  type DeferredTransaction,
  deleteDeferred,
} from '../../store/chains/deferredTransactions.ts'
import { type Db, transaction } from '../../store/connection/connect.ts'
import { inHalves } from '../../store/connection/inHalves.ts'
import { type FailedIntents, findDue } from '../../store/payment-intents/settling.ts'
import { type DueRefund, findDueRefunds } from '../../store/refunds/settlingRefunds.ts'
import type { CanonicalTransfer } from '../../store/transfers/transfers.ts'
import { type Deferred, toBeDeferred } from '../polling/quarantine.ts'
import type { ScannedTransaction } from '../polling/scan.ts'
import { maxOverdue, type WriteResult, writePart } from './writePart.ts'
import {
  type ChainUpdate,
  cursorOf,
  includesIntent,
  writeCursor,
  writeUpdate,
} from './writeUpdate.ts'

/** The rows that a poll wrote, and those that it could not write. */
export type Recorded = Pick<WriteResult, 'events' | 'changed'> & {
  /** Whether more intents are past their deadline than one poll expires. */
  readonly moreOverdue: boolean
  /** Rows that could not be recorded, and why. */
  readonly failures: readonly Failure[]
  readonly failed: FailedIntents
  /** Transactions that could not be read or recorded. */
  readonly deferred: readonly DeferredTransaction[]
  /** Transactions that are no longer deferred. */
  readonly noLongerDeferred: ChainUpdate['noLongerDeferred']
  /** Orphaned transfers of intents that could not be changed. */
  readonly pendingOrphans: readonly CanonicalTransfer[]
}

export type Failure = { readonly unit: Unit; readonly error: unknown }

/** The smallest part of a poll that can fail alone. */
export type Unit =
  /** Orphaned transfers of one intent, or one of no intent. */
  | {
      readonly type: 'orphaned'
      readonly intentId: string | null
      readonly transfers: readonly CanonicalTransfer[]
    }
  | { readonly type: 'transaction'; readonly transaction: ScannedTransaction }
  /** An intent that waits for depth, or whose time is over. */
  | { readonly type: 'intent'; readonly intentId: string }
  /** The same for a refund. */
  | { readonly type: 'refund'; readonly refundId: string }

/** The maximum of intents past their deadline that one poll expires one by one. */
const maxSinglyOverdue = 200

/**
 * Writes a poll, as {@link writeUpdate}. On any error but a lost lease or a database outage, it defers all transactions
 * of the poll and writes smaller and smaller parts, so that only the row at fault fails. A transaction that fails stays
 * deferred, and the next polls skip an intent that fails.
 * @param before.deferred the transactions that were deferred before
 * @param before.skipped intents that this poll does not change
 * @throws {LeaseLost} if another process now follows the chain
 */
export async function recordUpdate(
  db: Db,
  lease: Lease,
  update: ChainUpdate,
  before: { readonly deferred: Deferred; readonly skipped: ReadonlySet<string> },
  now: number,
): Promise<Recorded> {
  const skippedIntents = new Set([...before.skipped, ...update.failed.keys()])
  const unreadIntents = [...update.failed].map(([intentId, error]): Failure => {
    return { unit: { type: 'intent', intentId }, error }
  })
  try {
    const written = await writeUpdate(db, lease, update, skippedIntents, now)
    return {
      ...written,
      moreOverdue: written.overdue >= maxOverdue,
      failures: unreadIntents,
      failed: update.failed,
      ...{ deferred: update.deferred, noLongerDeferred: update.noLongerDeferred },
      pendingOrphans: update.orphaned.filter(({ intentId }) =>
        includesIntent(skippedIntents, intentId),
      ),
    }
  } catch (error) {
    if (endsAll(error)) throw error
    return recordSeparately(
      db,
      lease,
      update,
      { deferred: before.deferred, skippedIntents, unreadIntents, error },
      now,
    )
  }
}

function endsAll(error: unknown): boolean {
  return error instanceof LeaseLost || classifyDbError(error) !== null
}

async function recordSeparately(
  db: Db,
  lease: Lease,
  update: ChainUpdate,
  {
    deferred,
    skippedIntents,
    unreadIntents,
    error,
  }: {
    deferred: Deferred
    skippedIntents: Set<string>
    unreadIntents: readonly Failure[]
    error: unknown
  },
  now: number,
): Promise<Recorded> {
  const { chainId } = lease
  // The cursor passes them, so only their rows bring them back.
  const pending = deferAll(deferred, update.transactions, error, now)
  const isPending = new Set(pending.map(({ txHash }) => txHash))
  await transaction(db, (client) =>
    writeCursor(
      client,
      lease,
      {
        ...update,
        deferred: [...update.deferred, ...pending],
        noLongerDeferred: update.noLongerDeferred.filter((txHash) => !isPending.has(txHash)),
      },
      now,
    ),
  )
  const due = await findDue(db.pool, {
    ...{ chainId, timestamp: update.scanned.timestamp },
    ...{ limit: maxSinglyOverdue, skippedIntents: [...skippedIntents] },
  })
  const dueRefunds = await findDueRefunds(db.pool, {
    ...{ chainId, timestamp: update.scanned.timestamp },
    ...{ named: [], orphaned: [], due: null },
  })
  const written: WriteResult[] = []
  const failures: Failure[] = []
  const failed = new Map(update.failed)
  const recordUnits = async (units: readonly Unit[]) => {
    const part = partOf(units, skippedIntents)
    const hashes = part.transactions.map(({ txHash }) => txHash)
    const result = await transaction(db, async (client) => {
      await advanceCursor(client, lease, { ...cursorOf(update), delayedTransfers: 0 })
      await deleteDeferred(client, chainId, hashes)
      return writePart(client, chainId, update, part, now)
    })
    written.push(result)
  }
  await inHalves(unitsOf(update, due, dueRefunds), recordUnits, {
    endsAll,
    onFailure(unit, error) {
      failures.push({ unit, error })
      if (unit.type === 'transaction' || unit.type === 'refund') return
      if (unit.intentId === null) return
      failed.set(unit.intentId, error)
      skippedIntents.add(unit.intentId)
    },
  })
  const reasons = new Map(
    failures.flatMap(({ unit, error }) =>
      unit.type === 'transaction' ? [[unit.transaction.txHash, reasonOf(error)]] : [],
    ),
  )
  const failedTransfers = new Set(
    failures.flatMap(({ unit }) => (unit.type === 'orphaned' ? unit.transfers : [])),
  )
  return {
    events: written.flatMap(({ events }) => events),
    // The next poll deletes expired rows.
    changed: true,
    moreOverdue: written.reduce((sum, { overdue }) => sum + overdue, 0) >= maxSinglyOverdue,
    failures: [...unreadIntents, ...failures],
    failed,
    deferred: [
      ...update.deferred,
      ...pending.flatMap((transaction) => {
        const reason = reasons.get(transaction.txHash)
        return reason === undefined ? [] : [{ ...transaction, reason }]
      }),
    ],
    noLongerDeferred: update.noLongerDeferred.filter((txHash) => !reasons.has(txHash)),
    pendingOrphans: update.orphaned.filter(
      (transfer) =>
        failedTransfers.has(transfer) || includesIntent(skippedIntents, transfer.intentId),
    ),
  }
}

function deferAll(
  deferred: Deferred,
  transactions: readonly ScannedTransaction[],
  error: unknown,
  now: number,
): DeferredTransaction[] {
  const reason = reasonOf(error)
  const failed = transactions.map(({ txHash, header }) => {
    const { number: blockNumber, hash: blockHash } = header
    return { txHash, blockNumber, blockHash, reason, isLarge: false }
  })
  const hashes = new Set(failed.map(({ txHash }) => txHash))
  return toBeDeferred(deferred, failed, { noLongerDeferred: [], now }).filter(({ txHash }) =>
    hashes.has(txHash),
  )
}

function reasonOf(error: unknown): string {
  return `It could not be recorded: ${error instanceof Error ? error.message : String(error)}`
}

/** In the order in which they are recorded: a transfer that was mined again must not count twice. */
function unitsOf(
  { orphaned, transactions }: ChainUpdate,
  due: readonly string[],
  dueRefunds: readonly DueRefund[],
): Unit[] {
  const byIntent = Map.groupBy(orphaned, ({ id, intentId }) => intentId ?? id)
  return [
    ...[...byIntent.values()].map((transfers): Unit => {
      return { type: 'orphaned', intentId: transfers[0]?.intentId ?? null, transfers }
    }),
    ...transactions.map((transaction): Unit => ({ type: 'transaction', transaction })),
    ...due.map((intentId): Unit => ({ type: 'intent', intentId })),
    ...dueRefunds.map(({ id }): Unit => ({ type: 'refund', refundId: id })),
  ]
}

function partOf(units: readonly Unit[], skippedIntents: ReadonlySet<string>) {
  return {
    transactions: units.flatMap((unit) => (unit.type === 'transaction' ? [unit.transaction] : [])),
    orphaned: units.flatMap((unit) =>
      unit.type === 'orphaned' && !includesIntent(skippedIntents, unit.intentId)
        ? unit.transfers
        : [],
    ),
    due: units.flatMap((unit) => (unit.type === 'intent' ? [unit.intentId] : [])),
    dueRefunds: units.flatMap((unit) => (unit.type === 'refund' ? [unit.refundId] : [])),
    skippedIntents,
  }
}
