import type { Address } from '@payment-intents/contract'
import type { Cursor } from '../db/chainCursors.ts'
import { max, min } from './bigints.ts'
import type { Witness } from './providers.ts'
import { readRange } from './readRange.ts'
import type { Rpc, RpcTransfer } from './rpc.ts'

/**
 * How deep blocks are when they are read once more, by the provider and by a second one: a minute or so after they
 * came, and when nobody expects them to change any more. A provider that was not shown a transfer, or did not show it,
 * for minutes loses nobody's payment by that.
 */
const depths: readonly bigint[] = [30n, 450n]
/** Blocks that come together before they are read once more. */
const blocksAtOnce = 30n
/** And at most, where many are due. */
const largestRange = 500

/** What reading blocks once more showed. */
export type Reread = {
  readonly logs: readonly RpcTransfer[]
  /** Shown by the second provider alone. */
  readonly witnessed: readonly RpcTransfer[]
  /** How far each depth has come; null before the first reading. */
  readonly to: readonly bigint[] | null
  /** Blocks that were read because an operator asked for it. */
  readonly rescanned: { readonly from: bigint; readonly to: bigint } | null
}

const nothing = { logs: [], witnessed: [] }
/** When the block was read first. */
const alreadyReported = () => {}

/** Reads blocks once more that are due for it, at most one range for each depth and one for an operator. */
export async function reread(
  read: {
    rpc: Rpc
    witness?: Witness | null
    wallets: ReadonlySet<Address>
    span?: number
  },
  cursor: Cursor,
  /** What is being read for the first time begins at `from`. */
  { from, head }: { from: bigint; head: bigint },
): Promise<Reread> {
  const span = BigInt(Math.min(read.span ?? largestRange, largestRange))
  const scannedTo = cursor.scannedTo ?? -1n
  // While nobody waited, nothing was read: what there was in between is nobody's.
  const passedOver = from > scannedTo + 1n ? from - 1n : -1n
  const reached = depths.map((_, index) => max(cursor.rereadTo?.[index] ?? scannedTo, passedOver))
  const { rescan } = cursor
  const rescanned = rescan && rangeOf(rescan, span)
  // A second provider that is away is waited for: what it would have shown is read when it is back.
  const mayRead = !read.witness || read.witness.isReady()
  const ranges = reached.map((to, index) => {
    const end = head - (depths[index] ?? 0n)
    const isDue = mayRead && end - to >= blocksAtOnce
    return isDue ? { from: to + 1n, to: min(end, to + span) } : null
  })
  const shown = await Promise.all(
    [...ranges, rescanned].map((range) =>
      range ? readBoth(read, { from: range.from, to: min(range.to, head) }) : nothing,
    ),
  )
  return {
    logs: shown.flatMap(({ logs }) => logs),
    witnessed: shown.flatMap(({ witnessed }) => witnessed),
    to: reached.map((to, index) => ranges[index]?.to ?? to),
    rescanned,
  }
}

/** The next part of a rescan. What is beyond the head is no block yet, and needs no second look. */
function rangeOf(rescan: { next: bigint; to: bigint }, span: bigint): { from: bigint; to: bigint } {
  return { from: rescan.next, to: min(rescan.to, rescan.next + span - 1n) }
}

async function readBoth(
  { rpc, witness, wallets }: { rpc: Rpc; witness?: Witness | null; wallets: ReadonlySet<Address> },
  range: { from: bigint; to: bigint },
): Promise<Pick<Reread, 'logs' | 'witnessed'>> {
  if (range.from > range.to) return nothing
  const [logs, others] = await Promise.all([
    readRange(rpc, { ...range, wallets }, alreadyReported),
    witness ? readRange(witness, { ...range, wallets }, alreadyReported) : [],
  ])
  const shown = new Set(logs.map(({ txHash }) => txHash))
  return { logs, witnessed: others.filter(({ txHash }) => !shown.has(txHash)) }
}
