import type { Header } from '../../store/chains/blocks.ts'
import type { Cursor } from '../../store/chains/cursors.ts'
import type { Watch } from '../../store/chains/watchedTopics.ts'
import { findStoredTransactions } from '../../store/transfers/transfers.ts'
import type { ChainUpdate } from '../recording/writeUpdate.ts'
import { max, min } from '../rpc/bigints.ts'
import { rereadBlocks } from './branches.ts'
import type { FollowerState } from './followerState.ts'
import { isDeferred, toBeDeferred } from './quarantine.ts'
import { rangesOf } from './readBlocks.ts'
import type { ReadContext } from './readChain.ts'
import { readRange } from './readRange.ts'
import type { Window } from './reconcile.ts'
import { rereadBefore } from './reread.ts'
import { type ScannedTransaction, type ScanTarget, scan } from './scan.ts'
import { selectUrgent } from './selectUrgent.ts'

/**
 * Reads the newest blocks of a provider whose head is below the cursor. A node behind a load balancer may be late, or the higher head never
 * existed: a payment must not wait until that is clear. Records new transactions; the cursor stays, and nothing is orphaned.
 */
export async function readWhileBehind(
  context: ReadContext,
  { window, deferred, depthFrom }: FollowerState,
  cursor: Cursor,
  { topics, hasNonces }: Watch,
  head: Header,
): Promise<ChainUpdate> {
  const { db, rpc, lease, now, blocksPerQuery, secondProvider = null } = context
  const from = max(0n, head.number + 1n - rereadBlocks)
  const ranges = await Promise.all(
    rangesOf(from, head.number, blocksPerQuery).map((range) =>
      readRange(rpc, { ...range, topics }),
    ),
  )
  const { selected } = selectUrgent(ranges.flatMap(({ transfers }) => transfers))
  const returned = [
    ...selected.flatMap(({ txHash, logs: [log] }): ScanTarget[] =>
      log ? [{ txHash, blockHash: log.blockHash, blockNumber: log.blockNumber }] : [],
    ),
    ...ranges.flatMap(({ unread }) => unread),
  ]
  const hashes = returned.map(({ txHash }) => txHash)
  const stored = await findStoredTransactions(db.pool, lease.chainId, hashes)
  const unseen = returned.filter(
    (transaction) => !stored.has(transaction.txHash) && !isDeferred(deferred, transaction),
  )
  // Stored headers may belong to the head that never existed.
  const scanned = await scan([rpc, secondProvider], unseen, { topics, window: new Map() })
  const scannedTo = cursor.scannedTo ?? 0n
  return {
    reconciled: { type: 'linked', window, ancestor: scannedTo, added: [] },
    reorgedFrom: reorgedFrom(window, scanned.transactions),
    scanned: { to: scannedTo, timestamp: cursor.scannedTimestamp },
    isFresh: false,
    watchesRefunds: hasNonces,
    head: scannedTo,
    depthFrom,
    reread: rereadBefore(cursor, from),
    delayedTransfers: 0,
    transactions: scanned.transactions,
    deferred: toBeDeferred(deferred, scanned.failed, { noLongerDeferred: [], now: now() }),
    ...{
      noLongerDeferred: [],
      orphaned: [],
      failed: new Map(),
      proven: new Set(),
      deletesExpired: false,
    },
  }
}

/** The first of their blocks that differs from the stored header: intents were created as if it had been read. */
function reorgedFrom(window: Window, transactions: readonly ScannedTransaction[]): bigint | null {
  return transactions
    .filter(({ header }) => window.get(header.number)?.hash !== header.hash)
    .reduce<bigint | null>(
      (first, { header: { number } }) => (first === null ? number : min(first, number)),
      null,
    )
}
