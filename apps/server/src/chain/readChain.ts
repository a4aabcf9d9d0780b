import type { Hex } from 'viem'
import type { Header } from '../db/chains/blocks.ts'
import type { Cursor, Lease } from '../db/chains/cursors.ts'
import type { SetAside } from '../db/chains/setAside.ts'
import type { Watch } from '../db/chains/watchedWallets.ts'
import type { Db } from '../db/connect.ts'
import { findSettling } from '../db/intents/settling.ts'
import { findPlaced, logKey, type PlacedTransfer } from '../db/transfers/transfers.ts'
import type { TracedWork } from '../tracing/traced.ts'
import { max, min } from './bigints.ts'
import { finalBelow, findOrphaned, keptBelow } from './canonical.ts'
import { depthHead } from './depthHead.ts'
import { type Known, minuteOf } from './known.ts'
import { prove } from './prove.ts'
import { type Blocks, readBlocks, required } from './readBlocks.ts'
import type { Skipped } from './readRange.ts'
import { type Reconciled, reconcile, type Window } from './reconcile.ts'
import type { Reading } from './record.ts'
import { type Reread, reread, rereadBefore, witnessing } from './reread.ts'
import { type Rpc, type RpcTransfer, readsWholeToken } from './rpc.ts'
import { type Scanned, type ScannedTransaction, scan } from './scan.ts'
import { hasten, isSetAside, toSetAside } from './setAside.ts'
import type { Witness } from './witness.ts'

/** How far each reading goes back: a node that has just announced a block may not know its logs yet. */
const rereadBlocks = 10n
/** Readings of the whole token, whose answers are large, go back once in so many blocks; the others by one. */
const shallowBlocks = 5n

export type ReadContext = {
  readonly db: Db
  readonly rpc: Rpc
  readonly lease: Lease
  readonly now: () => number
  /** Blocks that one log query may cover; 500 if nothing is known against it. */
  readonly span?: number
  /** Asked before a payment is settled, and has to agree. */
  readonly witness?: Witness | null
  readonly traced?: TracedWork
}

/** What a reading is going to record, and how far it got. */
export type ChainRead = {
  readonly type: 'read'
  readonly reading: Reading
  /** Transfers to one wallet in one block that are more than the provider shows. */
  readonly skipped: readonly Skipped[]
  readonly deepTo: bigint
  /** Nothing that the chain has is left to the next reading. */
  readonly isCurrent: boolean
}

/** The provider is behind what was read before. */
export type ProviderBehind = {
  readonly type: 'provider_behind'
  readonly head: bigint
  readonly scannedTo: bigint
}

/** Asks the providers for all that a reading records. */
export async function readChain(
  context: ReadContext,
  known: Known,
  cursor: Cursor,
  watch: Watch,
): Promise<ChainRead | ProviderBehind> {
  const { rpc } = context
  const { window, aside } = known
  const scannedTo = cursor.scannedTo ?? 0n
  const reach = reachOf(known, cursor, watch)
  const blocks = await readBlocks(context, cursor, watch, { ...reach, top: topOf(window) })
  const { head, last } = blocks
  const behind = { type: 'provider_behind', head: head.number, scannedTo } as const
  // Also when no header is known: going back would leave what was read above in place.
  if (head.number < scannedTo) return behind
  const reconciled = await reconcile(window, last, rpc.headerByHash)
  if (reconciled.type === 'behind') return behind

  const isAtHead = last.number === head.number
  const before = rereadBefore(cursor, blocks.from)
  const again: Reread = isAtHead
    ? await reread({ ...context, wallets: watch.wallets }, cursor, before, head.number)
    : { logs: [], witnessed: [], progress: before }
  if (again.progress.rescanned) hasten(aside, again.progress.rescanned)

  const above = reconciled.type === 'linked' ? reconciled.ancestor : finalBelow(last, scannedTo)
  const found = await readNew(context, known, watch, { blocks, again, above, ...reconciled })
  const orphaned = await findOrphaned(rpc, reconciled, last, found.replaced)
  // More may arrive while this reading goes on: that is for the next one.
  const arrived = [...aside.arrived]
  // Canonical still, or mined elsewhere by now and read there.
  const transactions = [...found.transactions, ...arrived.filter(isIn(reconciled.window))]
  const settled = await settle(context, known, head, transactions.length > 0)
  const kept = await keptBelow(rpc, window, cursor, reconciled)
  const end = await lastRead(rpc, reconciled, blocks, { kept, left: lowest(found.leftOfNew) })
  return {
    type: 'read',
    reading: {
      reconciled,
      replacedFrom: kept < scannedTo ? kept + 1n : null,
      scanned: { to: end.number, timestamp: end.timestamp },
      head: head.number,
      ...settled,
      // What was left of blocks that were read once more stays due.
      reread: found.leavesOld ? before : again.progress,
      foundLate: found.late,
      transactions,
      setAside: found.setAside,
      readAfterAll: arrived.map(({ txHash }) => txHash),
      orphaned,
      cleans: minuteOf(end) !== known.cleanedAt,
    },
    skipped: blocks.skipped,
    // A reading that began later than where the last one ended has nothing to go back to.
    deepTo:
      reach.isShallow && blocks.from === reach.deepFrom
        ? min(reach.deepTo, end.number)
        : end.number,
    // What could not be read is asked for at the usual pace.
    isCurrent: isAtHead && !found.leavesMore && kept + 1n >= blocks.from,
  }
}

/** Where a reading begins: at the blocks that are new, and at those below them that it reads again. */
function reachOf({ deepTo: known }: Known, { scannedTo }: Cursor, { wallets }: Watch) {
  const next = (scannedTo ?? -1n) + 1n
  // The process that read before may have gone back all the way so many blocks ago.
  const deepTo = known ?? next - 2n - shallowBlocks
  const isShallow = readsWholeToken(wallets) && next - deepTo <= shallowBlocks
  const deepFrom = isShallow ? next - 1n : max(0n, deepTo + 1n - rereadBlocks)
  return { next, deepTo, deepFrom, isShallow }
}

/** What the logs of a reading came to. */
type Found = {
  readonly transactions: readonly ScannedTransaction[]
  readonly setAside: readonly SetAside[]
  /** Stored transfers of blocks that the chain may have replaced. */
  readonly replaced: readonly PlacedTransfer[]
  /** Of the blocks of this reading itself, what is left to the next one. */
  readonly leftOfNew: readonly Left[]
  /** Something is left of blocks that were read once more. */
  readonly leavesOld: boolean
  /** There was more than one reading takes. */
  readonly leavesMore: boolean
  /** Transfers that earlier readings of their blocks were not shown. */
  readonly late: number
}

/** Reads the transactions that are stored nowhere yet. @throws {RpcError} when none of them can be read */
async function readNew(
  { db, rpc, lease, now, witness = null }: ReadContext,
  { aside }: Known,
  { wallets }: Watch,
  {
    blocks: { logs, last },
    again,
    above,
    window,
  }: { blocks: Blocks; again: Reread; above: bigint; window: Window },
): Promise<Found> {
  const inReach = [...logs, ...again.logs, ...again.witnessed].filter(
    (log) => log.blockNumber <= last.number,
  )
  const blockHashes = [...new Set(inReach.map((log) => log.blockHash))]
  const placed = await findPlaced(db.pool, lease.chainId, { blockHashes, above })
  const stored = new Set(placed.map(logKey))
  const isKnown = (log: RpcTransfer) => stored.has(logKey(log)) || isSetAside(aside, log)
  const asked = witnessing(rpc, witness, again.witnessed)
  const scanned = await scan(asked, { logs: inReach, isKnown, wallets, window })
  const fresh = toSetAside(aside, scanned, now())

  const shownFirst = new Set(logs.map(({ txHash }) => txHash))
  const isNew = ({ txHash }: { txHash: Hex }) => shownFirst.has(txHash)
  const failure = scanned.unreadable.find(isNew)
  if (failure && scanned.transactions.length === 0 && fresh.length === 0) throw failure.error
  const left = leftOf(scanned, fresh)
  const late = scanned.transactions.filter((transaction) => !isNew(transaction))
  return {
    transactions: scanned.transactions,
    setAside: fresh,
    replaced: placed.filter(({ blockNumber }) => blockNumber > above),
    leftOfNew: left.filter(isNew),
    leavesOld: !left.every(isNew),
    leavesMore: scanned.left.length > 0,
    late: late.flatMap(({ transfers }) => transfers).length,
  }
}

/** From which head depth is counted, and which of the payments that wait for it are proven. */
async function settle(
  { db, rpc, lease, witness = null }: ReadContext,
  known: Known,
  head: Header,
  isPaid: boolean,
): Promise<Pick<Reading, 'depthFrom' | 'proven'>> {
  const settling = await findSettling(db.pool, lease.chainId)
  const isAwaited = isPaid || settling.length > 0
  const depthFrom = isAwaited ? await depthHead(witness, head, known.depthFrom) : known.depthFrom
  return { depthFrom, proven: await prove({ rpc, witness }, settling, depthFrom) }
}

type Left = { readonly txHash: Hex; readonly blockNumber: bigint }

/** What is left to the next reading: more than one takes, or not to be read now. */
function leftOf(scanned: Scanned, fresh: readonly SetAside[]): readonly Left[] {
  const aside = new Set(fresh.map(({ txHash }) => txHash))
  return [...scanned.left, ...scanned.unreadable.filter(({ txHash }) => !aside.has(txHash))]
}

/** Its first block; null without any. */
function lowest(left: readonly Left[]): bigint | null {
  return left.reduce<bigint | null>(
    (first, { blockNumber }) => (first === null ? blockNumber : min(first, blockNumber)),
    null,
  )
}

/** Whether the block of a transaction is canonical, as far as headers are known. */
function isIn(window: Window) {
  return ({ header }: ScannedTransaction) =>
    (window.get(header.number)?.hash ?? header.hash) === header.hash
}

/**
 * The block up to which everything has been read: below what is left to the next reading. A branch that replaced
 * blocks from before those that were asked for has to be read from its own start, and as often as any other: the
 * cursor goes back to where it begins.
 */
async function lastRead(
  rpc: Rpc,
  reconciled: Exclude<Reconciled, { type: 'behind' }>,
  { from, last }: Blocks,
  { kept, left }: { kept: bigint; left: bigint | null },
): Promise<Header> {
  const whole = kept + 1n >= from ? last.number : kept
  const end = left === null ? whole : max(0n, min(whole, left - 1n))
  if (end === last.number) return last
  return reconciled.window.get(end) ?? required(rpc, end)
}

function topOf(window: Window): bigint {
  return [...window.keys()].reduce(max, 0n)
}
