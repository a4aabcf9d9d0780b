import type { Header } from '../../store/chains/blocks.ts'
import type { Cursor } from '../../store/chains/cursors.ts'
import type { Watch } from '../../store/chains/watchedTopics.ts'
import { max, min } from '../rpc/bigints.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { RpcError } from '../rpc/rpcError.ts'
import type { TransferLocation } from '../rpc/transferLogs.ts'
import { rereadBlocks } from './branches.ts'
import { readRange } from './readRange.ts'
import type { ScanTarget } from './scan.ts'

const maxBlocks = 500
/** Log queries of one poll to a provider that allows few blocks in a query: enough to get further than the walk of headers. */
const rangesPerPoll = 25
/** The merchant's clock and the chain's may differ by this much. */
const clockSkewSeconds = 300

export type Blocks = {
  /** The first block whose logs were requested. */
  readonly from: bigint
  readonly head: Header
  readonly last: Header
  readonly logs: readonly TransferLocation[]
  /** Transactions that may have transfers, and could not be read. */
  readonly unread: readonly ScanTarget[]
}

/** Blocks that one poll reads while catching up. */
export function blocksPerPoll(blocksPerQuery: number = maxBlocks): number {
  return Math.min(maxBlocks, blocksPerQuery * rangesPerPoll)
}

/** Reads from the cursor on, or from the start of the oldest watch if that is later. */
export async function readBlocks(
  {
    rpc,
    now,
    blocksPerQuery = maxBlocks,
  }: { rpc: Rpc; now: () => number; blocksPerQuery?: number },
  cursor: Cursor,
  { topics, since }: Watch,
  { next, rereadFrom, top }: { next: bigint; rereadFrom: bigint; top: bigint },
): Promise<Blocks> {
  const start = since - clockSkewSeconds
  const hasStarted = cursor.scannedTo !== null && cursor.scannedTimestamp >= start
  // A chain has at most one block a second, so the elapsed seconds bound the number of new blocks without a request.
  const elapsed = Math.max(0, now() / 1000 - cursor.scannedTimestamp)
  if (hasStarted && !cursor.isStale && Number(next - rereadFrom) + elapsed <= blocksPerQuery) {
    const [head, logs] = await Promise.all([
      required(rpc, 'latest'),
      rpc.transfers({ from: rereadFrom, to: 'latest', topics }).catch((error: unknown) => {
        if (error instanceof RpcError) return error
        throw error
      }),
    ])
    // Nodes refuse a range that begins beyond their head.
    if (head.number < rereadFrom)
      return { from: rereadFrom, head, last: head, logs: [], unread: [] }
    if (logs instanceof RpcError) throw logs
    return { from: rereadFrom, head, last: head, logs, unread: [] }
  }

  const head = await required(rpc, 'latest')
  // With a server's clock ahead of the chain's, the watch begins in the chain's future: no block may be left out.
  const begin = Math.min(start, head.timestamp - clockSkewSeconds)
  const earliest = hasStarted ? rereadFrom : max(await blockBefore(rpc, head, begin), rereadFrom)
  // Earlier polls may have read beyond this head.
  const from = min(earliest, max(0n, head.number + 1n - rereadBlocks))
  const blocks = BigInt(blocksPerPoll(blocksPerQuery))
  // Some nodes refuse a range that ends beyond their head. Headers are known up to `top`: ending below it would
  // look like a provider that is behind.
  const to = min(head.number, max(from + blocks - 1n, top))
  const [last, ...ranges] = await Promise.all([
    to === head.number ? head : required(rpc, to),
    ...rangesOf(from, to, blocksPerQuery).map((range) => readRange(rpc, { ...range, topics })),
  ])
  return {
    ...{ from, head, last },
    logs: ranges.flatMap(({ transfers }) => transfers),
    unread: ranges.flatMap(({ unread }) => unread),
  }
}

/** @param blocksPerQuery blocks that one log query may cover; 500 by default */
export function rangesOf(
  from: bigint,
  to: bigint,
  blocksPerQuery: number = maxBlocks,
): { from: bigint; to: bigint }[] {
  const size = BigInt(blocksPerQuery)
  const ranges: { from: bigint; to: bigint }[] = []
  for (let start = from; start <= to; start += size) {
    ranges.push({ from: start, to: min(to, start + size - 1n) })
  }
  return ranges
}

/** Finds a block that is not younger than a time, and not much older. */
async function blockBefore(rpc: Rpc, head: Header, timestamp: number): Promise<bigint> {
  // A chain has at most one block a second; on a chain with slower blocks the result is a little earlier than needed.
  let back = BigInt(Math.max(0, head.timestamp - timestamp))
  for (;;) {
    const number = max(0n, head.number - back)
    if (number === 0n || (await required(rpc, number)).timestamp <= timestamp) return number
    back = back * 2n + 1n
  }
}

/** @throws {RpcError} when the provider does not know the block */
export async function required(rpc: Rpc, block: 'latest' | bigint): Promise<Header> {
  const header = await rpc.header(block)
  if (!header) throw new RpcError('contradiction', `The RPC does not know block ${block}.`)
  return header
}
