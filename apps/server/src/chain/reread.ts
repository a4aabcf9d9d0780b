import type { Address } from '@payment-intents/contract'
import type { Cursor } from '../db/chains/cursors.ts'
import { max, min } from './bigints.ts'
import { readRange } from './readRange.ts'
import type { Rpc, RpcTransfer } from './rpc.ts'
import { RpcError } from './rpcError.ts'
import type { Witness } from './witness.ts'

/**
 * How deep blocks are when they are read once more, by the provider and by a second one: a minute or so after they
 * came, and when they do not change any more. A payment that a provider does not show for minutes is found then.
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
  readonly progress: RereadProgress
}

export type RereadProgress = {
  /** How far each depth has come. */
  readonly to: readonly bigint[]
  /** Blocks that were read because an operator asked for it. */
  readonly rescanned: { readonly from: bigint; readonly to: bigint } | null
}

type Reading = {
  readonly rpc: Rpc
  readonly witness?: Witness | null
  readonly wallets: ReadonlySet<Address>
  readonly span?: number
}

/** How far each depth has come before this reading, whose new blocks begin at `from`. */
export function rereadBefore({ rereadTo, scannedTo }: Cursor, from: bigint): RereadProgress {
  const last = scannedTo ?? -1n
  // Blocks in between were not read, since no intent waited then.
  const passedOver = from > last + 1n ? from - 1n : -1n
  return {
    to: depths.map((_, index) => max(rereadTo?.[index] ?? last, passedOver)),
    rescanned: null,
  }
}

/**
 * Reads blocks once more that are due for it, at most one range for each depth and one for an operator. Where the
 * second provider does not answer, the blocks stay due.
 */
export async function reread(
  read: Reading,
  { rescan }: Cursor,
  before: RereadProgress,
  head: bigint,
): Promise<Reread> {
  if (read.witness && !read.witness.isReady()) return { ...nothing, progress: before }
  const span = BigInt(Math.min(read.span ?? largestRange, largestRange))
  const due = before.to.map((to, index) => {
    const end = head - (depths[index] ?? 0n)
    return end - to >= blocksAtOnce ? { from: to + 1n, to: min(end, to + span) } : null
  })
  const asked = rescan && { from: rescan.next, to: min(rescan.to, rescan.next + span - 1n) }
  const shown = await Promise.all(
    [...due, asked].map((range) => range && readBoth(read, range, head)),
  )
  return {
    logs: shown.flatMap((one) => one?.logs ?? []),
    witnessed: shown.flatMap((one) => one?.witnessed ?? []),
    progress: {
      to: before.to.map((to, index) => (shown[index]?.isWhole && due[index]?.to) || to),
      rescanned: shown.at(-1)?.isWhole ? asked : null,
    },
  }
}

type Shown = Pick<Reread, 'logs' | 'witnessed'> & { readonly isWhole: boolean }

const nothing = { logs: [], witnessed: [] }

async function readBoth(
  { rpc, witness, wallets }: Reading,
  range: { from: bigint; to: bigint },
  head: bigint,
): Promise<Shown> {
  // Beyond the head there is nothing to read once more.
  const asked = { from: range.from, to: min(range.to, head), wallets }
  if (asked.from > asked.to) return { ...nothing, isWhole: true }
  const [logs, others] = await Promise.all([
    readParts(rpc, asked),
    witness ? readParts(witness, asked).catch(unanswered) : [],
  ])
  const shown = new Set(logs.map(({ txHash }) => txHash))
  return {
    logs,
    witnessed: (others ?? []).filter(({ txHash }) => !shown.has(txHash)),
    isWhole: others !== null,
  }
}

/** A second provider that fails keeps no reading from being recorded. */
function unanswered(error: unknown): null {
  if (error instanceof RpcError) return null
  throw error
}

/** Halves a range that is too large for the provider: a second one may take fewer blocks than the first. */
async function readParts(
  rpc: Pick<Rpc, 'transfers'>,
  range: Parameters<typeof readRange>[1],
): Promise<RpcTransfer[]> {
  try {
    return await readRange(rpc, range, () => {})
  } catch (error) {
    const isTooLarge = error instanceof RpcError && error.fault === 'range'
    if (!isTooLarge || range.from === range.to) throw error
    const middle = (range.from + range.to) / 2n
    const first = await readParts(rpc, { ...range, to: middle })
    return [...first, ...(await readParts(rpc, { ...range, from: middle + 1n }))]
  }
}

/** What only the witness has shown is asked of the witness. */
export function witnessing(
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
