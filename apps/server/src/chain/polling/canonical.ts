import type { Header } from '../../store/chains/blocks.ts'
import type { Cursor } from '../../store/chains/cursors.ts'
import type { CanonicalTransfer } from '../../store/transfers/transfers.ts'
import { max, min } from '../rpc/bigints.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { required } from './readBlocks.ts'
import { type Reconciled, type Window, windowSize } from './reconcile.ts'

type Connected = Exclude<Reconciled, { type: 'behind' }>

/** The last block that no reorg has rereached since it was read. */
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
 * If no stored header connects, the block up to which everything counts as final. It counts back from the cursor: an outage does not make
 * the blocks before it any older.
 */
export function finalBelow(last: Header, scannedTo: bigint): bigint {
  return max(0n, min(last.number, scannedTo) - BigInt(windowSize))
}

/** Stored transfers at whose height the chain has another block. */
export async function findOrphaned(
  rpc: Rpc,
  reconciled: Connected,
  last: Header,
  stored: readonly CanonicalTransfer[],
): Promise<CanonicalTransfer[]> {
  // A height that the chain has not reached again proves nothing yet.
  const reached = stored.filter((transfer) => transfer.blockNumber <= last.number)
  const heights = [...new Set(reached.map((transfer) => transfer.blockNumber))]
  const headers = await Promise.all(
    heights.map((height) => reconciled.window.get(height) ?? required(rpc, height)),
  )
  const canonical = new Map(headers.map((header) => [header.number, header.hash]))
  return reached.filter((transfer) => canonical.get(transfer.blockNumber) !== transfer.blockHash)
}
