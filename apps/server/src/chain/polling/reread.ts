import type { Hex } from 'viem'
import type { Cursor } from '../../store/chains/cursors.ts'
import type { SecondProvider } from '../providers/secondProvider.ts'
import { max, min } from '../rpc/bigints.ts'
import type { Rpc, TransferLocation } from '../rpc/rpc.ts'
import { RpcError } from '../rpc/rpcError.ts'
import { readRange } from './readRange.ts'

/**
 * How deep blocks are when they are read once more, by the provider and by a second one: a minute or so after they
 * came, and when they do not change any more. A payment that a provider does not show for minutes is found then.
 */
const depths: readonly bigint[] = [30n, 450n]
/** Blocks that come together before they are read once more. */
const rereadBatchBlocks = 30n
/** And at most, where many are due. */
const largestRange = 500

/** The last reading waits for the second provider. */
const isLast = (index: number) => index === depths.length - 1

/** The result of reading blocks once more. */
export type Reread = {
  readonly logs: readonly TransferLocation[]
  /** Shown by the second provider alone. */
  readonly bySecond: readonly TransferLocation[]
  readonly progress: RereadProgress
  /** Why blocks could not be read once more; they stay due. */
  readonly failure: string | null
}

export type RereadProgress = {
  /** How far each depth has come. */
  readonly to: readonly bigint[]
  /** Blocks that were read because an operator rescans them. */
  readonly rescanned: { readonly from: bigint; readonly to: bigint } | null
}

type Range = { readonly from: bigint; readonly to: bigint }

type RereadSource = {
  readonly rpc: Rpc
  readonly secondProvider?: SecondProvider | null
  readonly topics: ReadonlySet<Hex>
  readonly blocksPerQuery?: number
}

/** How far each depth has come before this reading, whose new blocks begin at `from`. */
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
 * Reads blocks once more that are due for it, at most one range for each depth and one for an operator. Where the
 * second provider does not answer, the blocks stay due. While it stands still, which may last, the first one reads those
 * that the second does not know by itself: they stay due for the second until they are final.
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
  const shown = await Promise.all(
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
    logs: shown.flatMap((item) => item?.logs ?? []),
    bySecond: shown.flatMap((item) => item?.bySecond ?? []),
    progress: {
      to: before.to.map((to, index) => (shown[index]?.isComplete && due[index]?.to) || to),
      rescanned: shown.at(-1)?.isComplete ? rescanRange : null,
    },
    failure: shown.find((item) => item?.failure)?.failure ?? null,
  }
}

type Shown = Pick<Reread, 'logs' | 'bySecond' | 'failure'> & { readonly isComplete: boolean }

const nothing = { logs: [], bySecond: [] }

async function readBoth(
  { rpc, secondProvider, topics }: RereadSource,
  range: Range,
  head: bigint,
): Promise<Shown> {
  // Beyond the head there is nothing to read once more.
  const query = { from: range.from, to: min(range.to, head), topics }
  if (query.from > query.to) return { ...nothing, isComplete: true, failure: null }
  const [byFirst, bySecond] = await Promise.all([
    readParts(rpc, query).catch(failureOf),
    secondProvider ? readParts(secondProvider, query).catch(failureOf) : [],
  ])
  const failed = [byFirst, bySecond].find((item) => item instanceof RpcError)
  const logs = byFirst instanceof RpcError ? [] : byFirst
  const secondLogs = bySecond instanceof RpcError ? [] : bySecond
  const shown = new Set(logs.map(({ txHash }) => txHash))
  return {
    logs,
    bySecond: secondLogs.filter(({ txHash }) => !shown.has(txHash)),
    isComplete: !failed,
    failure: failed?.message ?? null,
  }
}

/** Blocks that a provider does not show again, such as those that it has pruned, keep no poll from being recorded. */
function failureOf(error: unknown): RpcError {
  if (error instanceof RpcError) return error
  throw error
}

/** Halves a range that is too large for the provider: a second one may take fewer blocks than the first. */
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
