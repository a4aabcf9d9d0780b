import type { Hex } from 'viem'
import type { Header } from '../db/chainBlocks.ts'
import type { Cursor, Lease } from '../db/chainCursors.ts'
import { renewLease } from '../db/chainCursors.ts'
import type { Db } from '../db/connect.ts'
import type { NewEvent } from '../db/events.ts'
import type { SetAside } from '../db/setAside.ts'
import { findSettling } from '../db/settling.ts'
import { findPlaced, logKey } from '../db/transfers.ts'
import { readWatch, type Watch } from '../db/watchedWallets.ts'
import { max, min } from './bigints.ts'
import { finalBelow, findOrphaned, keptBelow } from './canonical.ts'
import { lowerHead, prove } from './prove.ts'
import type { Witness } from './providers.ts'
import { type Blocks, readBlocks, required } from './readBlocks.ts'
import type { Skipped } from './readRange.ts'
import { type Reconciled, reconcile, type Window } from './reconcile.ts'
import { type Reading, record } from './record.ts'
import { type Reread, reread, rereadBefore, witnessing } from './reread.ts'
import { type Rpc, type RpcTransfer, readsWholeToken } from './rpc.ts'
import { type Scanned, type ScannedTransaction, scan } from './scan.ts'
import {
  type Aside,
  createAside,
  hasten,
  isSetAside,
  recordedAside,
  setAside,
  toSetAside,
} from './setAside.ts'

/** How far each reading goes back: a node that has just announced a block may not know its logs yet. */
const rereadBlocks = 10n
/** Readings of the whole token, whose answers are large, go back once in so many blocks; the others by one. */
const shallowBlocks = 5n

/** What the lease's holder knows from its readings, so that it need not be read again. */
export type Known = {
  /** Canonical headers. */
  readonly window: Window
  readonly watch: Watch | null
  /** How far the last reading read that went back all the way; null before the first. */
  readonly deepTo: bigint | null
  /** The lower head of the last reading that asked for it; null before. */
  readonly depthFrom: bigint | null
  /** What no reading waits for any more. One object, which the readings of a lease share. */
  readonly aside: Aside
  /** The minute of the chain's clock in which rows that have run out were deleted last. */
  readonly cleanedAt: number | null
}

export function knownAtStart(headers: readonly Header[], aside: Aside = createAside([])): Known {
  const window = new Map(headers.map((header) => [header.number, header]))
  return { window, watch: null, deepTo: null, depthFrom: null, aside, cleanedAt: null }
}

export type Ticked =
  /** No intent waits for a payment on this chain; its provider was not asked. */
  | { type: 'idle' }
  /** Read up to the head. */
  | ({ type: 'current' } & Read)
  /** Read a part of what there is. */
  | ({ type: 'catching_up' } & Read)
  /** The provider is behind what was read before. */
  | { type: 'provider_behind'; head: bigint; scannedTo: bigint }

type Read = {
  readonly known: Known
  /** Transactions that no reading waits for any more. */
  readonly setAside: readonly SetAside[]
  /** Transfers to one wallet in one block that are more than the provider shows. */
  readonly skipped: readonly Skipped[]
  /** Transfers that earlier readings of the same blocks were not shown. */
  readonly foundLate: number
  /** What the reading changed. */
  readonly events: readonly NewEvent[]
}

export type TickContext = {
  readonly db: Db
  readonly rpc: Rpc
  readonly lease: Lease
  readonly now: () => number
  /** Blocks that one log query may cover; 500 if nothing is known against it. */
  readonly span?: number
  /** Asked before a payment is settled, and has to agree. */
  readonly witness?: Witness | null
}

/**
 * Reads what is new on a chain and records it. Reading the same blocks again changes nothing.
 *
 * @throws {LeaseLost} when another process follows the chain by now
 * @throws {RpcError} when the provider fails; nothing is recorded then
 */
export async function tick(context: TickContext, known: Known): Promise<Ticked> {
  const { db, lease } = context
  const cursor = await renewLease(db.pool, lease)
  const watch = await readWatch(db.pool, lease.chainId, known.watch)
  if (!watch) return { type: 'idle' }

  const asked = await ask(context, known, cursor, watch)
  if (asked.type === 'provider_behind') return asked
  const { reading, skipped } = asked
  const recorded = await record(db, lease, reading, context.now())
  setAside(known.aside, reading.setAside, context.now())
  recordedAside(known.aside, reading.readAfterAll)
  return {
    type: asked.isCurrent && !recorded.moreOverdue ? 'current' : 'catching_up',
    known: {
      ...known,
      window: reading.reconciled.window,
      watch,
      deepTo: asked.deepTo,
      depthFrom: reading.depthFrom,
      // What has just changed may have run out.
      cleanedAt: recorded.changed ? null : minuteOf(reading.scanned),
    },
    setAside: reading.setAside,
    skipped,
    foundLate: reading.foundLate,
    events: recorded.events,
  }
}

/** What a reading is going to record, and how far it got. */
type Asked = {
  readonly type: 'asked'
  readonly reading: Reading
  readonly skipped: readonly Skipped[]
  readonly deepTo: bigint
  /** Nothing that the chain has is left to the next reading. */
  readonly isCurrent: boolean
}

/** Asks the providers for all that a reading records. */
async function ask(
  context: TickContext,
  known: Known,
  cursor: Cursor,
  watch: Watch,
): Promise<Asked | Extract<Ticked, { type: 'provider_behind' }>> {
  const { db, rpc, lease, witness = null } = context
  const { window, aside } = known
  const { wallets } = watch
  const next = (cursor.scannedTo ?? -1n) + 1n
  // The process that read before may have gone back all the way so many blocks ago.
  const deepTo = known.deepTo ?? next - 2n - shallowBlocks
  const isShallow = readsWholeToken(wallets) && next - deepTo <= shallowBlocks
  const deepFrom = isShallow ? next - 1n : max(0n, deepTo + 1n - rereadBlocks)
  const blocks = await readBlocks(context, cursor, watch, { next, deepFrom, top: topOf(window) })
  const { head, last, logs } = blocks
  const scannedTo = cursor.scannedTo ?? 0n
  const behind = { type: 'provider_behind', head: head.number, scannedTo } as const
  // Also when no header is known: going back would leave what was read above in place.
  if (head.number < scannedTo) return behind
  const reconciled = await reconcile(window, last, rpc.headerByHash)
  if (reconciled.type === 'behind') return behind

  const isAtHead = last.number === head.number
  const before = rereadBefore(cursor, blocks.from)
  const again: Reread = isAtHead
    ? await reread({ ...context, wallets }, cursor, before, head.number)
    : { logs: [], witnessed: [], progress: before }
  if (again.progress.rescanned) hasten(aside, again.progress.rescanned)

  const inReach = [...logs, ...again.logs, ...again.witnessed].filter(
    (log) => log.blockNumber <= last.number,
  )
  const above = reconciled.type === 'linked' ? reconciled.ancestor : finalBelow(last, scannedTo)
  const placed = await findPlaced(db.pool, lease.chainId, {
    blockHashes: [...new Set(inReach.map((log) => log.blockHash))],
    above,
  })
  const stored = new Set(placed.map(logKey))
  const isKnown = (log: RpcTransfer) => stored.has(logKey(log)) || isSetAside(aside, log)
  const scanned = await scan(witnessing(rpc, witness, again.witnessed), {
    ...{ logs: inReach, isKnown, wallets, window: reconciled.window },
  })
  const fresh = toSetAside(aside, scanned, context.now())
  const shownFirst = new Set(logs.map(({ txHash }) => txHash))
  const isFirst = ({ txHash }: { txHash: Hex }) => shownFirst.has(txHash)
  const failure = scanned.unreadable.find(isFirst)
  if (failure && scanned.transactions.length === 0 && fresh.length === 0) throw failure.error

  const replaced = placed.filter(({ blockNumber }) => blockNumber > above)
  const orphaned = await findOrphaned(rpc, reconciled, last, replaced)
  // Canonical still, or mined elsewhere by now and read there.
  const arrived = aside.arrived.filter(isIn(reconciled.window))
  const transactions = [...scanned.transactions, ...arrived]
  const settling = await findSettling(db.pool, lease.chainId)
  const isPaying = settling.length + transactions.length > 0
  const depthFrom = isPaying ? await lowerHead(witness, head, known.depthFrom) : known.depthFrom
  const proven = await prove({ rpc, witness }, settling, depthFrom)
  const kept = await keptBelow(rpc, window, cursor, reconciled)
  const left = leftOf(scanned, fresh)
  const end = await lastRead(rpc, reconciled, blocks, { kept, left: lowest(left.filter(isFirst)) })
  const late = scanned.transactions.filter((transaction) => !isFirst(transaction))
  return {
    type: 'asked',
    reading: {
      reconciled,
      replacedFrom: kept < scannedTo ? kept + 1n : null,
      scanned: { to: end.number, timestamp: end.timestamp },
      head: head.number,
      depthFrom,
      // What was left of blocks that were read once more stays due.
      reread: left.every(isFirst) ? again.progress : before,
      foundLate: late.flatMap(({ transfers }) => transfers).length,
      transactions,
      setAside: fresh,
      readAfterAll: aside.arrived.map(({ txHash }) => txHash),
      orphaned,
      proven,
      cleans: minuteOf(end) !== known.cleanedAt,
    },
    skipped: blocks.skipped,
    // A reading that began later than where the last one ended has nothing to go back to.
    deepTo: isShallow && blocks.from === deepFrom ? min(deepTo, end.number) : end.number,
    // What could not be read is asked for at the usual pace.
    isCurrent: isAtHead && scanned.left.length === 0 && kept + 1n >= blocks.from,
  }
}

function minuteOf({ timestamp }: { timestamp: number }): number {
  return Math.floor(timestamp / 60)
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
