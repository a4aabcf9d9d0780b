import type { Hex } from 'viem'
import type { Cursor } from '../../store/chains/cursors.ts'
import type { SecondProvider } from '../providers/secondProvider.ts'
import { max, min } from '../rpc/bigints.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { RpcError } from '../rpc/rpcError.ts'
import type { TransferLocation } from '../rpc/transferLogs.ts'
import { readRange } from './readRange.ts'

/**
 * The depths at which blocks are read again, from both providers: about a minute after they appear, and when they are
 * final. The second read finds a payment that a provider does not return for minutes.
 */
const depths: readonly bigint[] = [30n, 450n]
/** The number of due blocks that are read again together. */
const rereadBatchBlocks = 30n
/** The maximum, if many are due. */
const largestRange = 500

/** The read at the last depth waits for the second provider. */
const isLast = (index: number) => index === depths.length - 1

/** The result of reading blocks again. */
export type Reread = {
  readonly logs: readonly TransferLocation[]
  /** Logs that only the second provider returned. */
  readonly bySecond: readonly TransferLocation[]
  readonly progress: RereadProgress
  /** Why blocks could not be read again; they stay due. */
  readonly failure: string | null
}

export type RereadProgress = {
  /** The last block that was read again, for each depth. */
  readonly to: readonly bigint[]
  /** Blocks that were read because the operator rescans them. */
  readonly rescanned: { readonly from: bigint; readonly to: bigint } | null
}

type Range = { readonly from: bigint; readonly to: bigint }

type RereadSource = {
  readonly rpc: Rpc
  readonly secondProvider?: SecondProvider | null
  readonly topics: ReadonlySet<Hex>
  readonly blocksPerQuery?: number
}

/** The progress of each depth before this poll, whose new blocks begin at `from`. */
export function rereadBefore({ rereadTo, scannedTo }: Cursor, from: bigint): RereadProgress {
  const last = scannedTo ?? -1n
  // Blocks in between were not read, since no intent waited then.
  const skippedTo = from > last + 1n ? from - 1n : -1n
  return {
    to: depths.map((_, index) => max(rereadTo?.[index] ?? last, skippedTo)),
    rescanned: null,
  }
}

/**
 * Reads due blocks again, at most one range for each depth and one for an operator's rescan. If the second provider does not respond, the
 * blocks stay due. While it stands still, the first provider alone reads the blocks above its head, which stay due for the second until they
 * are final.
 */
export async function reread(
  source: RereadSource,
  { rescan }: Cursor,
  before: RereadProgress,
  head: bigint,
): Promise<Reread> {
  const { secondProvider } = source
  const standstillHead = secondProvider?.standstill?.()?.head ?? null
  if (secondProvider && !secondProvider.isReady() && standstillHead === null)
    return { ...nothing, progress: before, failure: null }
  const isBelowStandstill = (range: Range) => standstillHead === null || range.to <= standstillHead
  const blocksPerQuery = BigInt(Math.min(source.blocksPerQuery ?? largestRange, largestRange))
  const due = before.to.map((to, index) => {
    const end = head - (depths[index] ?? 0n)
    const range = { from: to + 1n, to: min(end, to + blocksPerQuery) }
    return end - to >= rereadBatchBlocks && (isBelowStandstill(range) || !isLast(index))
      ? range
      : null
  })
  const rescanRange = rescan && {
    from: rescan.next,
    to: min(rescan.to, rescan.next + blocksPerQuery - 1n),
  }
  const results = await Promise.all(
    [...due, rescanRange].map(
      (range) =>
        range &&
        readBoth(
          isBelowStandstill(range) ? source : { ...source, secondProvider: null },
          range,
          head,
        ),
    ),
  )
  return {
    logs: results.flatMap((item) => item?.logs ?? []),
    bySecond: results.flatMap((item) => item?.bySecond ?? []),
    progress: {
      to: before.to.map((to, index) => (results[index]?.isComplete && due[index]?.to) || to),
      rescanned: results.at(-1)?.isComplete ? rescanRange : null,
    },
    failure: results.find((item) => item?.failure)?.failure ?? null,
  }
}

type Shown = Pick<Reread, 'logs' | 'bySecond' | 'failure'> & { readonly isComplete: boolean }

const nothing = { logs: [], bySecond: [] }

async function readBoth(
  { rpc, secondProvider, topics }: RereadSource,
  range: Range,
  head: bigint,
): Promise<Shown> {
  // Blocks beyond the head cannot be read.
  const query = { from: range.from, to: min(range.to, head), topics }
  if (query.from > query.to) return { ...nothing, isComplete: true, failure: null }
  const [byFirst, bySecond] = await Promise.all([
    readParts(rpc, query).catch(failureOf),
    secondProvider ? readParts(secondProvider, query).catch(failureOf) : [],
  ])
  const failed = [byFirst, bySecond].find((item) => item instanceof RpcError)
  const logs = byFirst instanceof RpcError ? [] : byFirst
  const secondLogs = bySecond instanceof RpcError ? [] : bySecond
  const returned = new Set(logs.map(({ txHash }) => txHash))
  return {
    logs,
    bySecond: secondLogs.filter(({ txHash }) => !returned.has(txHash)),
    isComplete: !failed,
    failure: failed?.message ?? null,
  }
}

/** Turns an error into a result: blocks that a provider does not return again, such as pruned ones, must not block the poll. */
function failureOf(error: unknown): RpcError {
  if (error instanceof RpcError) return error
  throw error
}

/** Halves a range that is too large for the provider: the second provider may accept fewer blocks than the first. */
async function readParts(
  rpc: Pick<Rpc, 'transfers' | 'blockTransfers'>,
  range: Parameters<typeof readRange>[1],
): Promise<readonly TransferLocation[]> {
  try {
    return (await readRange(rpc, range)).transfers
  } catch (error) {
    const isTooLarge = error instanceof RpcError && error.fault === 'range'
    if (!isTooLarge || range.from === range.to) throw error
    const middle = (range.from + range.to) / 2n
    const first = await readParts(rpc, { ...range, to: middle })
    return [...first, ...(await readParts(rpc, { ...range, from: middle + 1n }))]
  }
}
