import type { Header } from '../db/chainBlocks.ts'
import type { Cursor, Lease } from '../db/chainCursors.ts'
import { renewLease } from '../db/chainCursors.ts'
import type { Db } from '../db/connect.ts'
import type { NewEvent } from '../db/events.ts'
import type { SetAside } from '../db/setAside.ts'
import { findSettling } from '../db/settling.ts'
import { findPlaced, logKey, type PlacedTransfer } from '../db/transfers.ts'
import { readWatch, type Watch } from '../db/watchedWallets.ts'
import { max, min } from './bigints.ts'
import { prove } from './prove.ts'
import type { Witness } from './providers.ts'
import { type Blocks, readBlocks, required } from './readBlocks.ts'
import type { Skipped } from './readRange.ts'
import { type Reconciled, reconcile, type Window, windowSize } from './reconcile.ts'
import { record } from './record.ts'
import { type Reread, reread } from './reread.ts'
import { type Rpc, type RpcTransfer, readsWholeToken } from './rpc.ts'
import { type Scanned, scan } from './scan.ts'
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
  /** What no reading waits for any more. One object, which the readings of a lease share. */
  readonly aside: Aside
  /** The minute of the chain's clock in which rows that have run out were deleted last. */
  readonly cleanedAt: number | null
}

export function knownAtStart(headers: readonly Header[], aside: Aside = createAside([])): Known {
  const window = new Map(headers.map((header) => [header.number, header]))
  return { window, watch: null, deepTo: null, aside, cleanedAt: null }
}

export type Ticked =
  /** Nobody waits for anything on this chain; its RPC was not asked. */
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
  const { db, rpc, lease, witness = null } = context
  const cursor = await renewLease(db.pool, lease)
  const { window } = known
  const watch = await readWatch(db.pool, lease.chainId, known.watch)
  if (!watch) return { type: 'idle' }

  const next = (cursor.scannedTo ?? -1n) + 1n
  // Whoever read before may have gone back all the way so many blocks ago.
  const deepTo = known.deepTo ?? next - 2n - shallowBlocks
  const isShallow = readsWholeToken(watch.wallets) && next - deepTo <= shallowBlocks
  const deepFrom = isShallow ? next - 1n : max(0n, deepTo + 1n - rereadBlocks)
  const blocks = await readBlocks(context, cursor, watch, { next, deepFrom, top: topOf(window) })
  const { head, last, logs } = blocks
  const scannedTo = cursor.scannedTo ?? 0n
  // Also when no header is known: going back would leave what was read above in place.
  if (head.number < scannedTo) return { type: 'provider_behind', head: head.number, scannedTo }
  const reconciled = await reconcile(window, last, rpc.headerByHash)
  if (reconciled.type === 'behind') {
    return { type: 'provider_behind', head: head.number, scannedTo }
  }

  const isCaughtUp = last.number === head.number
  const again: Reread = isCaughtUp
    ? await reread({ ...context, wallets: watch.wallets }, cursor, {
        from: blocks.from,
        head: head.number,
      })
    : { logs: [], witnessed: [], to: cursor.rereadTo, rescanned: null }
  if (again.rescanned) hasten(known.aside, again.rescanned)

  const inReach = [...logs, ...again.logs, ...again.witnessed].filter(
    (log) => log.blockNumber <= last.number,
  )
  const above = reconciled.type === 'linked' ? reconciled.ancestor : finalBelow(last, scannedTo)
  const placed = await findPlaced(db.pool, lease.chainId, {
    blockHashes: [...new Set(inReach.map((log) => log.blockHash))],
    above,
  })
  const stored = new Set(placed.map(logKey))
  const isKnown = (log: RpcTransfer) => stored.has(logKey(log)) || isSetAside(known.aside, log)
  const scanned = await scan(witnessing(rpc, witness, again.witnessed), {
    logs: inReach,
    isKnown,
    wallets: watch.wallets,
    window: reconciled.window,
  })
  const fresh = toSetAside(known.aside, scanned, context.now())
  const [failure] = scanned.unreadable
  if (failure && scanned.transactions.length === 0 && fresh.length === 0) throw failure.error

  const orphaned = await findOrphaned(
    rpc,
    reconciled,
    last,
    placed.filter(({ blockNumber }) => blockNumber > above),
  )
  const settling = await findSettling(db.pool, lease.chainId)
  const depthFrom = settling.length > 0 ? await lowerHead(head, witness) : head.number
  const proven = await prove({ rpc, witness }, settling, depthFrom)
  const kept = await keptBelow(rpc, window, cursor, reconciled)
  const left = leftFrom(scanned, fresh)
  const end = await lastRead(rpc, reconciled, blocks, { kept, left })
  const { arrived } = known.aside
  const late = again.logs.length + again.witnessed.length > 0 ? lateOnes(scanned, again, logs) : 0
  const minute = Math.floor(end.timestamp / 60)
  const arrivedNow = [...arrived]
  const recorded = await record(
    db,
    lease,
    {
      reconciled,
      replacedFrom: kept < scannedTo ? kept + 1n : null,
      scanned: { to: end.number, timestamp: end.timestamp },
      head: head.number,
      depthFrom,
      reread: again,
      foundLate: late,
      transactions: [...scanned.transactions, ...arrivedNow],
      setAside: fresh,
      readAfterAll: arrivedNow.map(({ txHash }) => txHash),
      orphaned,
      proven,
      cleans: minute !== known.cleanedAt,
    },
    context.now(),
  )
  setAside(known.aside, fresh, context.now())
  recordedAside(known.aside, arrivedNow)
  // What could not be read is asked for at the usual pace.
  const isCurrent =
    last.number === head.number &&
    scanned.left.length === 0 &&
    kept + 1n >= blocks.from &&
    !recorded.moreOverdue
  // A reading that began later than where the last one ended has nothing to go back to.
  const deep = isShallow && blocks.from === deepFrom ? min(deepTo, end.number) : end.number
  return {
    type: isCurrent ? 'current' : 'catching_up',
    known: {
      ...known,
      window: reconciled.window,
      watch,
      deepTo: deep,
      // What has just changed may have run out.
      cleanedAt: recorded.changed ? null : minute,
    },
    setAside: fresh,
    skipped: blocks.skipped,
    foundLate: late,
    events: recorded.events,
  }
}

/** The first block that is left to the next reading; null: none is. */
function leftFrom(scanned: Scanned, fresh: readonly SetAside[]): bigint | null {
  const aside = new Set(fresh.map(({ txHash }) => txHash))
  const waiting = scanned.unreadable.filter(({ txHash }) => !aside.has(txHash))
  return [...scanned.left, ...waiting].reduce<bigint | null>(
    (first, { blockNumber }) => (first === null || blockNumber < first ? blockNumber : first),
    null,
  )
}

/** Transfers that only the later reading of their blocks showed. */
function lateOnes(scanned: Scanned, again: Reread, logs: readonly RpcTransfer[]): number {
  const shown = new Set(logs.map(logKey))
  const late = new Set(
    [...again.logs, ...again.witnessed].map(logKey).filter((key) => !shown.has(key)),
  )
  return scanned.transactions
    .flatMap(({ header, transfers }) =>
      transfers.map((log) => logKey({ ...log, blockHash: header.hash })),
    )
    .filter((key) => late.has(key)).length
}

/** What only the witness has shown is asked of the witness. */
function witnessing(
  rpc: Rpc,
  witness: Witness | null,
  witnessed: readonly RpcTransfer[],
): Pick<Rpc, 'transaction' | 'receipt' | 'headerByHash'> {
  if (!witness || witnessed.length === 0) return rpc
  const its = new Set(witnessed.map(({ txHash }) => txHash))
  return {
    headerByHash: rpc.headerByHash,
    transaction: (txHash) => (its.has(txHash) ? witness : rpc).transaction(txHash),
    receipt: (txHash) => (its.has(txHash) ? witness : rpc).receipt(txHash),
  }
}

/** The lower of both heads, so that no single provider can make a payment look deeper than it is. */
async function lowerHead(head: Header, witness: Witness | null): Promise<bigint> {
  if (!witness) return head.number
  // Who does not answer has not agreed: nothing is deep enough then.
  const other = await witness.header('latest').catch(() => null)
  return other ? min(head.number, other.number) : 0n
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

/** Up to where the chain is the one that was read before. */
async function keptBelow(
  rpc: Rpc,
  known: Window,
  { scannedTo }: Cursor,
  reconciled: Exclude<Reconciled, { type: 'behind' }>,
): Promise<bigint> {
  if (reconciled.type === 'linked') return reconciled.ancestor
  const [tip] = reconciled.added
  if (scannedTo === null || !tip) return tip?.number ?? 0n
  const before = known.get(scannedTo)
  if (before && (await required(rpc, scannedTo)).hash === before.hash) return scannedTo
  return finalBelow(tip, scannedTo)
}

/**
 * Where nothing known connects, up to which block what was read is taken to be final. It is counted back from where
 * reading stopped: an outage does not make what was read right before it any older.
 */
function finalBelow(last: Header, scannedTo: bigint): bigint {
  return max(0n, min(last.number, scannedTo) - BigInt(windowSize))
}

function topOf(window: Window): bigint {
  return [...window.keys()].reduce(max, 0n)
}

/** Stored transfers whose height is proven to belong to another block. */
async function findOrphaned(
  rpc: Rpc,
  reconciled: Exclude<Reconciled, { type: 'behind' }>,
  last: Header,
  stored: readonly PlacedTransfer[],
): Promise<PlacedTransfer[]> {
  // A height that the chain has not reached again proves nothing yet.
  const placed = stored.filter((transfer) => transfer.blockNumber <= last.number)
  const heights = [...new Set(placed.map((transfer) => transfer.blockNumber))]
  const headers = await Promise.all(
    heights.map((height) => reconciled.window.get(height) ?? required(rpc, height)),
  )
  const canonical = new Map(headers.map((header) => [header.number, header.hash]))
  return placed.filter((transfer) => canonical.get(transfer.blockNumber) !== transfer.blockHash)
}
