import type { Header } from '../db/chainBlocks.ts'
import type { Cursor, Lease } from '../db/chainCursors.ts'
import { renewLease } from '../db/chainCursors.ts'
import type { Db } from '../db/connect.ts'
import { findSettling } from '../db/paymentIntents.ts'
import { findPlacedAbove, type PlacedTransfer } from '../db/transfers.ts'
import { readWatch, type Watch } from '../db/watchedWallets.ts'
import { prove } from './prove.ts'
import type { Witness } from './providers.ts'
import { type Reconciled, reconcile, type Window, windowSize } from './reconcile.ts'
import { record } from './record.ts'
import { type Rpc, type RpcTransfer, readsWholeToken } from './rpc.ts'
import { RpcError } from './rpcError.ts'
import { scan } from './scan.ts'

/** How far each reading goes back: a node that has just announced a block may not know its logs yet. */
const rereadBlocks = 10n
/** Readings of the whole token, whose answers are large, go back once in so many blocks; the others by one. */
const shallowBlocks = 5n
/** Blocks in one reading while catching up. */
const blocksPerTick = 500
/** Log queries in it for a provider that allows few blocks in one: enough to go further than headers are walked. */
const rangesPerTick = 25
/** The merchant's clock and the chain's may differ by this much. */
const clockSkewSeconds = 300

/** What the lease's holder knows from its readings, so that it need not be read again. */
export type Known = {
  /** Canonical headers. */
  readonly window: Window
  readonly watch: Watch | null
  /** How far the last reading read that went back all the way; null before the first. */
  readonly deepTo: bigint | null
}

export function knownAtStart(headers: readonly Header[]): Known {
  const window = new Map(headers.map((header) => [header.number, header]))
  return { window, watch: null, deepTo: null }
}

export type Ticked =
  /** Nobody waits for anything on this chain; its RPC was not asked. */
  | { type: 'idle' }
  /** Read up to the head. */
  | { type: 'current'; known: Known }
  /** Read a part of what there is. */
  | { type: 'catching_up'; known: Known }
  /** The provider is behind what was read before. */
  | { type: 'provider_behind'; head: bigint; scannedTo: bigint }

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
  const reread = isShallow ? next - 1n : max(0n, deepTo + 1n - rereadBlocks)
  const blocks = await readBlocks(context, cursor, watch, { next, reread, top: topOf(window) })
  const { head, last, logs } = blocks
  const scannedTo = cursor.scannedTo ?? 0n
  // Also when no header is known: going back would leave what was read above in place.
  if (head.number < scannedTo) return { type: 'provider_behind', head: head.number, scannedTo }
  const reconciled = await reconcile(window, last, rpc.headerByHash)
  if (reconciled.type === 'behind') {
    return { type: 'provider_behind', head: head.number, scannedTo }
  }

  const inReach = logs.filter((log) => log.blockNumber <= last.number)
  const transactions = await scan(db.pool, rpc, {
    chainId: lease.chainId,
    logs: inReach,
    wallets: watch.wallets,
    window: reconciled.window,
  })
  const orphaned = await findOrphaned(db, rpc, lease.chainId, reconciled, last, scannedTo)
  const settling = await findSettling(db.pool, lease.chainId)
  const proven = await prove(db.pool, { rpc, witness }, settling, head.number)
  const kept = await keptBelow(rpc, window, cursor, reconciled)
  const scanned = await lastRead(rpc, reconciled, blocks, kept)
  await record(
    db,
    lease,
    {
      reconciled,
      replacedFrom: kept < scannedTo ? kept + 1n : null,
      scanned: { to: scanned.number, timestamp: scanned.timestamp },
      head: head.number,
      transactions,
      orphaned,
      proven,
    },
    context.now(),
  )
  const type = scanned.number === head.number ? 'current' : 'catching_up'
  // A reading that began later than where the last one ended has nothing to go back to.
  const deep = isShallow && blocks.from === reread ? min(deepTo, scanned.number) : scanned.number
  return { type, known: { window: reconciled.window, watch, deepTo: deep } }
}

type Blocks = {
  /** The first whose logs were asked for. */
  readonly from: bigint
  readonly head: Header
  readonly last: Header
  readonly logs: readonly RpcTransfer[]
}

/** Reads on from the cursor, or from where the oldest watch began if that is later. */
async function readBlocks(
  { rpc, now, span = blocksPerTick }: TickContext,
  cursor: Cursor,
  { wallets, since }: Watch,
  { next, reread, top }: { next: bigint; reread: bigint; top: bigint },
): Promise<Blocks> {
  const start = since - clockSkewSeconds
  const known = cursor.scannedTo !== null && cursor.scannedTimestamp >= start
  // Blocks come every second at most, so this bounds how many there are without asking.
  const passed = Math.max(0, now() / 1000 - cursor.scannedTimestamp)
  if (known && Number(next - reread) + passed <= span) {
    const [head, logs] = await Promise.all([
      required(rpc, 'latest'),
      rpc.transfers({ from: reread, to: 'latest', wallets }),
    ])
    return { from: reread, head, last: head, logs }
  }

  const head = await required(rpc, 'latest')
  // With a server's clock ahead of the chain's, the watch begins in the chain's future: no block may be left out.
  const begin = Math.min(start, head.timestamp - clockSkewSeconds)
  const from = known ? reread : max(await blockBefore(rpc, head, begin), reread)
  const blocks = BigInt(Math.min(blocksPerTick, span * rangesPerTick))
  // Some nodes refuse a range that ends beyond their head. Headers are known up to `top`: ending below it would
  // look like a provider that is behind.
  const to = min(head.number, max(from + blocks - 1n, top))
  const [last, ...logs] = await Promise.all([
    to === head.number ? head : required(rpc, to),
    ...rangesOf(from, to, BigInt(span)).map((range) => rpc.transfers({ ...range, wallets })),
  ])
  return { from, head, last, logs: logs.flat() }
}

function rangesOf(from: bigint, to: bigint, span: bigint): { from: bigint; to: bigint }[] {
  const ranges: { from: bigint; to: bigint }[] = []
  for (let start = from; start <= to; start += span) {
    ranges.push({ from: start, to: min(to, start + span - 1n) })
  }
  return ranges
}

/** A block that is not younger than a time, and not much older. */
async function blockBefore(rpc: Rpc, head: Header, timestamp: number): Promise<bigint> {
  // Blocks come every second at most; a chain with slower ones is looked at a little earlier than needed.
  let back = BigInt(Math.max(0, head.timestamp - timestamp))
  for (;;) {
    const number = max(0n, head.number - back)
    if (number === 0n || (await required(rpc, number)).timestamp <= timestamp) return number
    back = back * 2n + 1n
  }
}

/**
 * The block up to which everything has been read. A branch that replaced blocks from before those that were asked
 * for has to be read from its own start, and as often as any other: the cursor goes back to where it begins.
 */
async function lastRead(
  rpc: Rpc,
  reconciled: Exclude<Reconciled, { type: 'behind' }>,
  { from, last }: Blocks,
  kept: bigint,
): Promise<Header> {
  if (kept + 1n >= from) return last
  return reconciled.window.get(kept) ?? required(rpc, kept)
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
  db: Db,
  rpc: Rpc,
  chainId: number,
  reconciled: Exclude<Reconciled, { type: 'behind' }>,
  last: Header,
  scannedTo: bigint,
): Promise<PlacedTransfer[]> {
  const above = reconciled.type === 'linked' ? reconciled.ancestor : finalBelow(last, scannedTo)
  const placed = (await findPlacedAbove(db.pool, chainId, above)).filter(
    // A height that the chain has not reached again proves nothing yet.
    (transfer) => transfer.blockNumber <= last.number,
  )
  const heights = [...new Set(placed.map((transfer) => transfer.blockNumber))]
  const headers = await Promise.all(
    heights.map((height) => reconciled.window.get(height) ?? required(rpc, height)),
  )
  const canonical = new Map(headers.map((header) => [header.number, header.hash]))
  return placed.filter((transfer) => canonical.get(transfer.blockNumber) !== transfer.blockHash)
}

async function required(rpc: Rpc, block: 'latest' | bigint): Promise<Header> {
  const header = await rpc.header(block)
  if (!header) throw new RpcError('contradiction', `The RPC does not know block ${block}.`)
  return header
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
