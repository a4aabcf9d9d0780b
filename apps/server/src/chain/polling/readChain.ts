import type { Hex } from 'viem'
import type { TracedWork } from '../../lib/tracing/traced.ts'
import type { Header } from '../../store/chains/blocks.ts'
import type { Cursor, Lease } from '../../store/chains/cursors.ts'
import type { DeferredTransaction } from '../../store/chains/deferredTransactions.ts'
import type { Watch } from '../../store/chains/watchedTopics.ts'
import type { Db } from '../../store/connection/connect.ts'
import { findSettling } from '../../store/payment-intents/settling.ts'
import { findSettlingRefunds } from '../../store/refunds/settlingRefunds.ts'
import { findPlaced, logKey, type PlacedTransfer } from '../../store/transfers/transfers.ts'
import type { SecondProvider } from '../providers/secondProvider.ts'
import type { ChainUpdate } from '../recording/record.ts'
import { max, min } from '../rpc/bigints.ts'
import { type Rpc, type TransferPlace, watchesEveryTransfer } from '../rpc/rpc.ts'
import { type Branch, branchesAfter, rereadBlocks } from './branches.ts'
import { finalBelow, findOrphaned, findUnchangedTo } from './canonical.ts'
import { depthHead } from './depthHead.ts'
import { skippedIntents } from './failingIntents.ts'
import { type FollowerState, minuteOf } from './followerState.ts'
import { isDeferred, retriesOf, toBeDeferred } from './quarantine.ts'
import { readBelow } from './readBelow.ts'
import { type Blocks, blocksPerPoll, readBlocks, required } from './readBlocks.ts'
import { type Reconciled, reconcile, type Window } from './reconcile.ts'
import { type Reread, reread, rereadBefore } from './reread.ts'
import { type ScannedTransaction, type ScanTarget, scan } from './scan.ts'
import { selectUrgent } from './selectUrgent.ts'
import { verifyReceipts } from './verifyReceipts.ts'

/** Polls of the whole token, whose responses are large, go back once in so many blocks; the others by one. */
const shallowBlocks = 5n

export type ReadContext = {
  readonly db: Db
  readonly rpc: Rpc
  readonly lease: Lease
  readonly now: () => number
  /** Blocks that one log query may cover; 500 if nothing is known against it. */
  readonly blocksPerQuery?: number
  /** Confirms a payment before it settles. */
  readonly secondProvider?: SecondProvider | null
  /** The provider did not confirm a payment that the second one confirms. */
  disagreed?(): void
  readonly traced?: TracedWork
}

/** The update that a poll is going to record, and how far it got. */
export type FetchedUpdate = {
  readonly type: 'read'
  readonly update: ChainUpdate
  readonly deepTo: bigint
  readonly branches: readonly Branch[]
  /** Why blocks could not be read once more. */
  readonly rereadFailure: string | null
  /** Nothing that the chain has is left to the next reading. */
  readonly isCurrent: boolean
}

/** The provider is behind what was read before: of what it has, only payments that are new are recorded. */
export type BehindUpdate = {
  readonly type: 'provider_behind'
  readonly head: bigint
  readonly scannedTo: bigint
  readonly update: ChainUpdate
}

/** Requests all that a poll records. */
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
    const update = await readBelow(context, state, cursor, watch, head)
    return { type: 'provider_behind', head: head.number, scannedTo, update }
  }
  // A head that nobody shows for a minute was a mistake: waiting for it could take forever.
  const { isStale } = cursor
  // Also when no header is known: going back would leave what was read above in place.
  if (head.number < scannedTo && !isStale) return behind()
  const reconciled = await reconcile(window, last, rpc.headerByHash, { goesBack: isStale })
  if (reconciled.type === 'behind') return behind()

  const isAtHead = last.number === head.number
  const before = rereadBefore(cursor, blocks.from)
  const rereadResult: Reread = isAtHead
    ? await reread({ ...context, topics: watch.topics }, cursor, before, head.number)
    : { logs: [], bySecond: [], progress: before, failure: null }

  const above = reconciled.type === 'linked' ? reconciled.ancestor : finalBelow(last, scannedTo)
  const fetchedNew = await readNew(context, state, watch, {
    blocks,
    rereadResult,
    above,
    ...reconciled,
  })
  const orphaned = await findOrphaned(rpc, reconciled, last, fetchedNew.replaced)
  const settled = await settle(context, state, watch, head, fetchedNew.transactions.length > 0)
  const unchangedTo = await findUnchangedTo(rpc, window, cursor, reconciled)
  const end = await findEnd(rpc, reconciled, blocks, {
    unchangedTo,
    postponed: lowest(fetchedNew.postponedNew),
  })
  const replacedFrom = unchangedTo < scannedTo ? unchangedTo + 1n : null
  // The blocks of transactions that are left stay due.
  const { to, rescanned } = fetchedNew.postponesOld ? before : rereadResult.progress
  return {
    type: 'read',
    update: {
      reconciled,
      replacedFrom,
      scanned: { to: end.number, timestamp: end.timestamp },
      isProgress: true,
      watchesRefunds: watch.hasNonces,
      head: head.number,
      ...settled,
      // A branch that replaced blocks has to be read once more, too.
      reread: {
        to: replacedFrom === null ? to : to.map((amount) => min(amount, unchangedTo)),
        rescanned,
      },
      delayedTransfers: fetchedNew.late,
      transactions: fetchedNew.transactions,
      deferred: fetchedNew.deferred,
      resolved: fetchedNew.resolved,
      orphaned,
      cleans: minuteOf(end) !== state.cleanedAt,
    },
    rereadFailure: rereadResult.failure,
    // A reading that began later than where the last one ended has nothing to go back to.
    deepTo:
      reach.isShallow && blocks.from === reach.deepFrom
        ? min(reach.deepTo, end.number)
        : end.number,
    branches: branchesAfter(state.branches, replacedFrom, last.number),
    isCurrent: isAtHead && !fetchedNew.hasMore && unchangedTo + 1n >= blocks.from,
  }
}

/** Where a reading begins: at the blocks that are new, and at those below them that it reads again. */
function reachOf(
  { deepTo: stored, branches: [oldest] }: FollowerState,
  { scannedTo }: Cursor,
  { topics }: Watch,
  blocksPerQuery: number | undefined,
) {
  const next = (scannedTo ?? -1n) + 1n
  // The process that read before may have gone back all the way so many blocks ago.
  const deepTo = stored ?? next - 2n - shallowBlocks
  const isShallow = watchesEveryTransfer(topics) && next - deepTo <= shallowBlocks
  const usual = deepTo + 1n - rereadBlocks
  // At most half of what one poll reads, or it would not get on.
  const branch = oldest
    ? max(oldest.from, next - BigInt(blocksPerPoll(blocksPerQuery)) / 2n)
    : usual
  const deepFrom = isShallow ? next - 1n : max(0n, min(usual, branch))
  return { next, deepTo, deepFrom, isShallow }
}

/** The result of a poll's logs. */
type FetchedTransactions = {
  readonly transactions: readonly ScannedTransaction[]
  /** Transactions that could not be read now. */
  readonly deferred: readonly DeferredTransaction[]
  /** Transactions that were deferred, and are not any more. */
  readonly resolved: readonly Hex[]
  /** Stored transfers of blocks that the chain may have replaced. */
  readonly replaced: readonly PlacedTransfer[]
  /** Logs of this poll's own blocks that are postponed to the next poll. */
  readonly postponedNew: readonly TransferPlace[]
  /** Something is left of blocks that were read once more. */
  readonly postponesOld: boolean
  /** There was more than one poll takes. */
  readonly hasMore: boolean
  /** Transfers that earlier polls of their blocks were not shown. */
  readonly late: number
}

/** Reads the transactions that are stored nowhere yet, and those that could not be read before. */
async function readNew(
  { db, rpc, lease, now, secondProvider = null }: ReadContext,
  { deferred, deepTo, unorphaned, unlinked }: FollowerState,
  { topics }: Watch,
  {
    blocks: { logs, unread, last },
    rereadResult,
    above,
    window,
  }: { blocks: Blocks; rereadResult: Reread; above: bigint; window: Window },
): Promise<FetchedTransactions> {
  const inReach = [...logs, ...rereadResult.logs, ...rereadResult.bySecond].filter(
    (log) => log.blockNumber <= last.number,
  )
  const blockHashes = [...new Set([...inReach.map((log) => log.blockHash), ...unlinked])]
  // The process that read before may have left some that the chain took back.
  const placedAbove = deepTo === null ? min(above, bottomOf(window) - 1n) : above
  const placed = await findPlaced(db.pool, lease.chainId, { blockHashes, above: placedAbove })
  const stored = new Set(placed.map(logKey))
  const { selected, postponed } = selectUrgent(
    inReach.filter((log) => !stored.has(logKey(log)) && !isDeferred(deferred, log)),
  )
  const targets = selected.flatMap(({ txHash, logs: [log] }): ScanTarget[] =>
    log ? [{ txHash, blockHash: log.blockHash, blockNumber: log.blockNumber }] : [],
  )
  const isShown = new Set(inReach.map(({ txHash }) => txHash))
  targets.push(
    ...unread.filter(
      (transaction) => !isShown.has(transaction.txHash) && !isDeferred(deferred, transaction),
    ),
  )
  const targetHashes = new Set(targets.map(({ txHash }) => txHash))
  const { rescanned } = rereadResult.progress
  const retries = retriesOf(deferred, window, { now: now(), rescanned })
  // A large receipt that is under way stays due, and is taken as soon as it is there.
  const isUnderWay = ({ txHash, isLarge }: DeferredTransaction) =>
    isLarge && rpc.largeReceipts.stateOf(txHash) === 'pending'
  const retried = retries.due.filter(
    (transaction) => !targetHashes.has(transaction.txHash) && !isUnderWay(transaction),
  )
  const scanned = await scan([rpc, secondProvider], [...targets, ...retried], { topics, window })

  const shownFirst = new Set([...logs, ...unread].map(({ txHash }) => txHash))
  const isNew = ({ txHash }: { txHash: Hex }) => shownFirst.has(txHash)
  const mayBeReplaced = ({ blockNumber, blockHash }: PlacedTransfer) =>
    blockNumber > above ||
    unlinked.includes(blockHash) ||
    (window.get(blockNumber)?.hash ?? blockHash) !== blockHash
  const postponedLogs = postponed.flatMap((transaction) => transaction.logs)
  const late = scanned.transactions.filter(
    (transaction) => !isNew(transaction) && targetHashes.has(transaction.txHash),
  )
  const failed = new Set(scanned.failed.map(({ txHash }) => txHash))
  const resolved = [
    ...scanned.transactions.map(({ txHash }) => txHash).filter((txHash) => deferred.has(txHash)),
    ...retries.orphaned.filter((txHash) => !failed.has(txHash)),
  ]
  return {
    transactions: scanned.transactions,
    deferred: toBeDeferred(deferred, scanned.failed, { resolved, now: now() }),
    resolved,
    replaced: [
      ...placed.filter(mayBeReplaced),
      ...unorphaned.filter((placedTransfer) => !stored.has(logKey(placedTransfer))),
    ],
    postponedNew: postponedLogs.filter(isNew),
    postponesOld: !postponedLogs.every(isNew),
    hasMore: postponed.length > 0 || retries.hasMore,
    late: late.flatMap(({ transfers }) => transfers).length,
  }
}

/** From which head depth is counted, and which of the payments that wait for it are verified. */
async function settle(
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
function lowest(logs: readonly TransferPlace[]): bigint | null {
  return logs.reduce<bigint | null>(
    (first, { blockNumber }) => (first === null ? blockNumber : min(first, blockNumber)),
    null,
  )
}

/**
 * The block up to which everything has been read: below what is left to the next reading. A branch that replaced
 * blocks from before those that were asked for has to be read from its own start, and as often as any other: the
 * cursor goes back to where it begins.
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
