import type { Address } from '@payment-intents/contract'
import type { Header } from '../db/chainBlocks.ts'
import type { Cursor, Lease } from '../db/chainCursors.ts'
import { renewLease } from '../db/chainCursors.ts'
import type { Db } from '../db/connect.ts'
import { findMovedByHead } from '../db/paymentIntents.ts'
import { findPlacedAbove, type PlacedTransfer } from '../db/transfers.ts'
import { findWatch } from '../db/watchedWallets.ts'
import { prove } from './prove.ts'
import type { Witness } from './providers.ts'
import { type Reconciled, reconcile, type Window, windowSize } from './reconcile.ts'
import { record } from './record.ts'
import type { Rpc, RpcTransfer } from './rpc.ts'
import { RpcError } from './rpcError.ts'
import { scan } from './scan.ts'

/** Each block is read about this many times: a node that has just announced it may not know its logs yet. */
const rereadBlocks = 10n
/** Blocks in one reading while catching up. */
const blocksPerTick = 500
/** Log queries in it for a provider that allows few blocks in one: enough to go further than headers are walked. */
const rangesPerTick = 25
/** The merchant's clock and the chain's may differ by this much. */
const clockSkewSeconds = 300

export type Ticked =
  /** Nobody waits for anything on this chain; its RPC was not asked. */
  | { type: 'idle' }
  /** Read up to the head. */
  | { type: 'current'; window: Window }
  /** Read a part of what there is. */
  | { type: 'catching_up'; window: Window }
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
 * @param window canonical headers that this lease's holder knows
 * @throws {LeaseLost} when another process follows the chain by now
 * @throws {RpcError} when the provider fails; nothing is recorded then
 */
export async function tick(context: TickContext, window: Window): Promise<Ticked> {
  const { db, rpc, lease, witness = null } = context
  const cursor = await renewLease(db.pool, lease)
  const watch = await findWatch(db.pool, lease.chainId)
  if (!watch) return { type: 'idle' }

  const blocks = await readBlocks(context, cursor, watch, topOf(window))
  const { head, last, logs } = blocks
  const scannedTo = cursor.scannedTo ?? 0n
  // Also when no header is known: going back would leave what was read above in place.
  if (head.number < scannedTo) return { type: 'provider_behind', head: head.number, scannedTo }
  const reconciled = await reconcile(window, last, rpc.headerByHash)
  if (reconciled.type === 'behind') {
    return { type: 'provider_behind', head: head.number, scannedTo }
  }

  const inReach = logs.filter((log) => log.blockNumber <= last.number)
  const read = { ...watch, chainId: lease.chainId, window: reconciled.window, logs: inReach }
  const transactions = await scan(db.pool, rpc, read)
  const orphaned = await findOrphaned(db, rpc, lease.chainId, reconciled, last)
  const clock = { chainId: lease.chainId, timestamp: last.timestamp }
  const moving = await findMovedByHead(db.pool, clock)
  const proven = await prove(db.pool, { rpc, witness }, moving, head.number)
  const scanned = await lastRead(
    rpc,
    reconciled,
    blocks,
    await keptBelow(rpc, window, cursor, reconciled),
  )
  await record(
    db,
    lease,
    {
      reconciled,
      scanned: { to: scanned.number, timestamp: scanned.timestamp },
      head: head.number,
      transactions,
      orphaned,
      proven,
    },
    context.now(),
  )
  const type = scanned.number === head.number ? 'current' : 'catching_up'
  return { type, window: reconciled.window }
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
  watch: { wallets: readonly Address[]; since: number },
  top: bigint,
): Promise<Blocks> {
  const { wallets } = watch
  const start = watch.since - clockSkewSeconds
  const known = cursor.scannedTo !== null && cursor.scannedTimestamp >= start
  const next = (cursor.scannedTo ?? -1n) + 1n
  const reread = max(0n, next - rereadBlocks)
  // Blocks come every second at most, so this bounds how many there are without asking.
  const passed = Math.max(0, now() / 1000 - cursor.scannedTimestamp)
  if (known && Number(rereadBlocks) + passed <= span) {
    const [head, logs] = await Promise.all([
      required(rpc, 'latest'),
      rpc.transfers({ from: reread, to: 'latest', wallets }),
    ])
    return { from: reread, head, last: head, logs }
  }

  const head = await required(rpc, 'latest')
  const from = known ? reread : max(await blockBefore(rpc, head, start), next)
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
  return max(0n, tip.number - BigInt(windowSize))
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
): Promise<PlacedTransfer[]> {
  const above =
    reconciled.type === 'linked' ? reconciled.ancestor : max(0n, last.number - BigInt(windowSize))
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
