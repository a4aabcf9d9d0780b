import type { Header } from '../../store/chains/blocks.ts'
import type { SecondProvider } from '../providers/secondProvider.ts'
import { max, min } from '../rpc/bigints.ts'
import type { Rpc } from '../rpc/rpc.ts'

/**
 * The block from which depth counts: the lower of both heads, so that no single provider can make a payment look deeper
 * than it is. While the second provider does not respond, or reports a lower head than before, its previous head counts. While it
 * stands still and the first goes on, the first provider's head counts, as far as it has risen since.
 *
 * @returns null: the second provider has not responded yet
 */
export async function depthHead(
  secondProvider: (Pick<Rpc, 'header'> & Pick<SecondProvider, 'standstill'>) | null,
  head: Header,
  before: bigint | null,
): Promise<bigint | null> {
  if (!secondProvider) return head.number
  const standstill = secondProvider.standstill?.()
  if (standstill) return max(before ?? 0n, standstill.depth(head.number))
  const other = await secondProvider.header('latest').catch(() => null)
  if (!other) return before
  return min(head.number, max(other.number, before ?? 0n))
}
