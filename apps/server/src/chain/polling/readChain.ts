import type { Hex } from 'viem'
import type { TracedWork } from '../../lib/tracing/traced.ts'
import type { Header } from '../../store/chains/blocks.ts'
import type { Cursor, Lease } from '../../store/chains/cursors.ts'
import type { DeferredTransaction } from '../../store/chains/deferredTransactions.ts'
import type { Watch } from '../../store/chains/watchedTopics.ts'
import type { Db } from '../../store/connection/connect.ts'
import { findSettling } from '../../store/payment-intents/settling.ts'
import { findSettlingRefunds } from '../../store/refunds/settlingRefunds.ts'
import {
  type CanonicalTransfer,
  findCanonicalTransfers,
  logKey,
} from '../../store/transfers/transfers.ts'
import type { SecondProvider } from '../providers/secondProvider.ts'
import type { ChainUpdate } from '../recording/writeUpdate.ts'
import { max, min } from '../rpc/bigints.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { watchesEveryTransfer } from '../rpc/topicFilters.ts'
import type { TransferLocation } from '../rpc/transferLogs.ts'
import { type Branch, branchesAfter, rereadBlocks } from './branches.ts'
import { finalBelow, findOrphaned, findUnchangedTo } from './canonical.ts'
import { depthHead } from './depthHead.ts'
import { skippedIntents } from './failingIntents.ts'
import { type FollowerState, minuteOf } from './followerState.ts'
import { isDeferred, retriesOf, toBeDeferred } from './quarantine.ts'
import { type Blocks, blocksPerPoll, readBlocks, required } from './readBlocks.ts'
import { readWhileBehind } from './readWhileBehind.ts'
import { type Reconciled, reconcile, type Window } from './reconcile.ts'
import { type Reread, reread, rereadBefore } from './reread.ts'
import { type ScannedTransaction, type ScanTarget, scan } from './scan.ts'
import { selectUrgent } from './selectUrgent.ts'
import { verifyReceipts } from './verifyReceipts.ts'

/** Polls of the whole token have large responses: only one in so many blocks reads the full range again, the others read one block again. */
const shallowBlocks = 5n

export type ReadContext = {
  readonly db: Db
  readonly rpc: Rpc
  readonly lease: Lease
  readonly now: () => number
  /** Blocks that one log query may cover; 500 by default. */
  readonly blocksPerQuery?: number
  /** Confirms a payment before it settles. */
  readonly secondProvider?: SecondProvider | null
  /** The provider did not confirm a payment that the second provider confirms. */
  disagreed?(): void
  readonly traced?: TracedWork
}

/** The update that a poll records, and the range that it read. */
export type FetchedUpdate = {
  readonly type: 'read'
  readonly update: ChainUpdate
  readonly fullRereadTo: bigint
  readonly branches: readonly Branch[]
  /** Why blocks could not be read again. */
  readonly rereadFailure: string | null
  /** Whether the poll read up to the head. */
  readonly isCurrent: boolean
}

/** The provider is behind the cursor: the poll records only payments that are new. */
export type BehindUpdate = {
  readonly type: 'provider_behind'
  readonly head: bigint
  readonly scannedTo: bigint
  readonly update: ChainUpdate
}

/** Reads from the providers everything that a poll records. */
export async function readChain(
  context: ReadContext,
  state: FollowerState,
  cursor: Cursor,
  watch: Watch,
): Promise<FetchedUpdate | BehindUpdate> {
  const { rpc } = context
  const { window } = state
  const scannedTo = cursor.scannedTo ?? 0n
  const reach = reachOf(state, cursor, watch, context.blocksPerQuery)
  const blocks = await readBlocks(context, cursor, watch, { ...reach, top: topOf(window) })
  const { head, last } = blocks
  const behind = async (): Promise<BehindUpdate> => {
    const update = await readWhileBehind(context, state, cursor, watch, head)
    return { type: 'provider_behind', head: head.number, scannedTo, update }
  }
  // A head that no provider shows for a minute was a mistake: waiting for it could take forever.
  const { isStale } = cursor
  // Applies without stored headers, too: going back would leave rows above the head in place.
  if (head.number < scannedTo && !isStale) return behind()
  const reconciled = await reconcile(window, last, rpc.headerByHash, { goesBack: isStale })
  if (reconciled.type === 'behind') return behind()

  const isAtHead = last.number === head.number
  const before = rereadBefore(cursor, blocks.from)
  const rereadResult: Reread = isAtHead
    ? await reread({ ...context, topics: watch.topics }, cursor, before, head.number)
    : { logs: [], bySecond: [], progress: before, failure: null }

  const lastCommonBlock =
    reconciled.type === 'linked' ? reconciled.ancestor : finalBelow(last, scannedTo)
  const fetchedNew = await readNew(context, state, watch, {
    blocks,
    rereadResult,
    lastCommonBlock,
    ...reconciled,
  })
  const orphaned = await findOrphaned(rpc, reconciled, last, fetchedNew.mayBeReplaced)
  const settled = await verifySettling(
    context,
    state,
    watch,
    head,
    fetchedNew.transactions.length > 0,
  )
  const unchangedTo = await findUnchangedTo(rpc, window, cursor, reconciled)
  const end = await findEnd(rpc, reconciled, blocks, {
    unchangedTo,
    postponed: lowest(fetchedNew.postponedNew),
  })
  const reorgedFrom = unchangedTo < scannedTo ? unchangedTo + 1n : null
  // The blocks of postponed transactions stay due.
  const { to, rescanned } = fetchedNew.postponesOld ? before : rereadResult.progress
  return {
    type: 'read',
    update: {
      reconciled,
      reorgedFrom,
      scanned: { to: end.number, timestamp: end.timestamp },
      isFresh: true,
      watchesRefunds: watch.hasNonces,
      head: head.number,
      ...settled,
      // The blocks of a reorg must be read again, too.
      reread: {
        to: reorgedFrom === null ? to : to.map((block) => min(block, unchangedTo)),
        rescanned,
      },
      delayedTransfers: fetchedNew.delayedTransfers,
      transactions: fetchedNew.transactions,
      deferred: fetchedNew.deferred,
      noLongerDeferred: fetchedNew.noLongerDeferred,
      orphaned,
      deletesExpired: minuteOf(end) !== state.cleanedAt,
    },
    rereadFailure: rereadResult.failure,
    // A poll that starts above the end of the previous poll has nothing to read again.
    fullRereadTo:
      reach.isShallow && blocks.from === reach.rereadFrom
        ? min(reach.fullRereadTo, end.number)
        : end.number,
    branches: branchesAfter(state.branches, reorgedFrom, last.number),
    isCurrent: isAtHead && !fetchedNew.hasMore && unchangedTo + 1n >= blocks.from,
  }
}

/** The range of a poll: the new blocks, and those below them that it reads again. */
function reachOf(
  { fullRereadTo: before, branches: [oldest] }: FollowerState,
  { scannedTo }: Cursor,
  { topics }: Watch,
  blocksPerQuery: number | undefined,
) {
  const next = (scannedTo ?? -1n) + 1n
  // The previous process may have read the full range this many blocks ago.
  const fullRereadTo = before ?? next - 2n - shallowBlocks
  const isShallow = watchesEveryTransfer(topics) && next - fullRereadTo <= shallowBlocks
  const usual = fullRereadTo + 1n - rereadBlocks
  // At most half of the blocks of one poll, so that polls make progress.
  const branch = oldest
    ? max(oldest.from, next - BigInt(blocksPerPoll(blocksPerQuery)) / 2n)
    : usual
  const rereadFrom = isShallow ? next - 1n : max(0n, min(usual, branch))
  return { next, fullRereadTo, rereadFrom, isShallow }
}

/** The transactions of a poll's logs. */
type FetchedTransactions = {
  readonly transactions: readonly ScannedTransaction[]
  /** Transactions that could not be read now. */
  readonly deferred: readonly DeferredTransaction[]
  /** Transactions that were deferred until now. */
  readonly noLongerDeferred: readonly Hex[]
  /** Stored transfers of blocks that the chain may have replaced. */
  readonly mayBeReplaced: readonly CanonicalTransfer[]
  /** Logs of this poll's own blocks that are postponed to the next poll. */
  readonly postponedNew: readonly TransferLocation[]
  /** Whether transactions of blocks that were read again are postponed. */
  readonly postponesOld: boolean
  /** Whether there were more transactions than one poll takes. */
  readonly hasMore: boolean
  /** Transfers that earlier polls of the same blocks did not return. */
  readonly delayedTransfers: number
}

/** Reads the transactions that are not stored yet, and deferred ones that are due. */
async function readNew(
  { db, rpc, lease, now, secondProvider = null }: ReadContext,
  { deferred, fullRereadTo, pendingOrphans, unverifiedBlocks }: FollowerState,
  { topics }: Watch,
  {
    blocks: { logs, unread, last },
    rereadResult,
    lastCommonBlock,
    window,
  }: { blocks: Blocks; rereadResult: Reread; lastCommonBlock: bigint; window: Window },
): Promise<FetchedTransactions> {
  const inReach = [...logs, ...rereadResult.logs, ...rereadResult.bySecond].filter(
    (log) => log.blockNumber <= last.number,
  )
  const blockHashes = [...new Set([...inReach.map((log) => log.blockHash), ...unverifiedBlocks])]
  // The previous process may have left transfers that a reorg removed.
  const storedAbove =
    fullRereadTo === null ? min(lastCommonBlock, bottomOf(window) - 1n) : lastCommonBlock
  const stored = await findCanonicalTransfers(db.pool, lease.chainId, {
    blockHashes,
    lastCommonBlock: storedAbove,
  })
  const storedKeys = new Set(stored.map(logKey))
  const { selected, postponed } = selectUrgent(
    inReach.filter((log) => !storedKeys.has(logKey(log)) && !isDeferred(deferred, log)),
  )
  const targets = selected.flatMap(({ txHash, logs: [log] }): ScanTarget[] =>
    log ? [{ txHash, blockHash: log.blockHash, blockNumber: log.blockNumber }] : [],
  )
  const returnedHashes = new Set(inReach.map(({ txHash }) => txHash))
  targets.push(
    ...unread.filter(
      (transaction) =>
        !returnedHashes.has(transaction.txHash) && !isDeferred(deferred, transaction),
    ),
  )
  const targetHashes = new Set(targets.map(({ txHash }) => txHash))
  const { rescanned } = rereadResult.progress
  const retries = retriesOf(deferred, window, { now: now(), rescanned })
  // A large receipt that is being read stays due.
  const isUnderWay = ({ txHash, isLarge }: DeferredTransaction) =>
    isLarge && rpc.largeReceipts.stateOf(txHash) === 'pending'
  const retried = retries.due.filter(
    (transaction) => !targetHashes.has(transaction.txHash) && !isUnderWay(transaction),
  )
  const scanned = await scan([rpc, secondProvider], [...targets, ...retried], { topics, window })

  const newHashes = new Set([...logs, ...unread].map(({ txHash }) => txHash))
  const isNew = ({ txHash }: { txHash: Hex }) => newHashes.has(txHash)
  const isReplaceable = ({ blockNumber, blockHash }: CanonicalTransfer) =>
    blockNumber > lastCommonBlock ||
    unverifiedBlocks.includes(blockHash) ||
    (window.get(blockNumber)?.hash ?? blockHash) !== blockHash
  const postponedLogs = postponed.flatMap((transaction) => transaction.logs)
  const delayed = scanned.transactions.filter(
    (transaction) => !isNew(transaction) && targetHashes.has(transaction.txHash),
  )
  const failed = new Set(scanned.failed.map(({ txHash }) => txHash))
  const noLongerDeferred = [
    ...scanned.transactions.map(({ txHash }) => txHash).filter((txHash) => deferred.has(txHash)),
    ...retries.orphaned.filter((txHash) => !failed.has(txHash)),
  ]
  return {
    transactions: scanned.transactions,
    deferred: toBeDeferred(deferred, scanned.failed, { noLongerDeferred, now: now() }),
    noLongerDeferred,
    mayBeReplaced: [
      ...stored.filter(isReplaceable),
      ...pendingOrphans.filter((transfer) => !storedKeys.has(logKey(transfer))),
    ],
    postponedNew: postponedLogs.filter(isNew),
    postponesOld: !postponedLogs.every(isNew),
    hasMore: postponed.length > 0 || retries.hasMore,
    delayedTransfers: delayed.flatMap(({ transfers }) => transfers).length,
  }
}

/** Reads the head from which depth counts, and verifies the payments that are deep enough. */
async function verifySettling(
  { db, rpc, lease, now, secondProvider = null, disagreed }: ReadContext,
  state: FollowerState,
  { hasNonces }: Watch,
  head: Header,
  isPaid: boolean,
): Promise<Pick<ChainUpdate, 'depthFrom' | 'proven' | 'failed'>> {
  const except = [...skippedIntents(state.failing, now())]
  const { intents, failed } = await findSettling(db.pool, lease.chainId, except)
  const refunds = hasNonces ? await findSettlingRefunds(db.pool, lease.chainId) : []
  const isAwaited = isPaid || intents.length + refunds.length > 0
  const depthFrom = isAwaited
    ? await depthHead(secondProvider, head, state.depthFrom)
    : state.depthFrom
  const first = { rpc, ...(disagreed ? { disagreed } : {}) }
  const second = secondProvider && {
    rpc: secondProvider,
    standstillHead: secondProvider.standstill?.()?.head ?? null,
    disagreed: () => secondProvider.disagreed?.(),
  }
  const proven = await verifyReceipts([first, second], { intents, refunds }, depthFrom)
  return { depthFrom, failed, proven }
}

/** The first block of these logs; null without any. */
function lowest(logs: readonly TransferLocation[]): bigint | null {
  return logs.reduce<bigint | null>(
    (first, { blockNumber }) => (first === null ? blockNumber : min(first, blockNumber)),
    null,
  )
}

/**
 * The block up to which everything is read: below postponed transactions. A reorg that begins below the range of this
 * poll has to be read from its start, as often as any other: the cursor goes back to it.
 */
async function findEnd(
  rpc: Rpc,
  reconciled: Exclude<Reconciled, { type: 'behind' }>,
  { from, last }: Blocks,
  { unchangedTo, postponed }: { unchangedTo: bigint; postponed: bigint | null },
): Promise<Header> {
  const connectedEnd = unchangedTo + 1n >= from ? last.number : unchangedTo
  const end = postponed === null ? connectedEnd : max(0n, min(connectedEnd, postponed - 1n))
  if (end === last.number) return last
  return reconciled.window.get(end) ?? required(rpc, end)
}

function bottomOf(window: Window): bigint {
  return [...window.keys()].reduce(min, topOf(window))
}

function topOf(window: Window): bigint {
  return [...window.keys()].reduce(max, 0n)
}
