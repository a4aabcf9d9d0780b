import type { Header } from '../../store/chains/blocks.ts'
import type { Cursor } from '../../store/chains/cursors.ts'
import type { PlacedTransfer } from '../../store/transfers/transfers.ts'
import { max, min } from '../rpc/bigints.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { required } from './readBlocks.ts'
import { type Reconciled, type Window, windowSize } from './reconcile.ts'

type Connected = Exclude<Reconciled, { type: 'behind' }>

/** Up to where the chain is the one that was read before. */
export async function findUnchangedTo(
  rpc: Rpc,
  window: Window,
  { scannedTo }: Cursor,
  reconciled: Connected,
): Promise<bigint> {
  if (reconciled.type === 'linked') return reconciled.ancestor
  const [tip] = reconciled.added
  if (scannedTo === null || !tip) return tip?.number ?? 0n
  const before = scannedTo > tip.number ? undefined : window.get(scannedTo)
  if (before && (await required(rpc, scannedTo)).hash === before.hash) return scannedTo
  return finalBelow(tip, scannedTo)
}

/**
 * Where nothing known connects, up to which block what was read is taken to be final. It is counted back from where
 * reading stopped: an outage does not make what was read right before it any older.
 */
export function finalBelow(last: Header, scannedTo: bigint): bigint {
  return max(0n, min(last.number, scannedTo) - BigInt(windowSize))
}

/** Stored transfers whose height is proven to belong to another block. */
export async function findOrphaned(
  rpc: Rpc,
  reconciled: Connected,
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
