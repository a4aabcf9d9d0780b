import type { Hex } from 'viem'
import type { Header } from '../../store/chains/blocks.ts'
import { max, min } from '../rpc/bigints.ts'
import { RpcError } from '../rpc/rpcError.ts'

/** Headers held to be canonical, by number. */
export type Window = ReadonlyMap<bigint, Header>

export type Reconciled =
  /** The tip connects to the stored headers: every header at or below `ancestor` stays canonical. */
  | { type: 'linked'; window: Window; ancestor: bigint; added: readonly Header[] }
  /** No stored header connects to the tip: stored blocks must be requested again, height by height. */
  | { type: 'unlinked'; window: Window; added: readonly Header[] }
  /** The provider is behind the stored headers. */
  | { type: 'behind' }

export const windowSize = 256
/** A longer walk by parent hash costs more than requests by height. */
const longestWalk = 64

/**
 * Connects a new tip to the stored headers, walking back by parent hash to the common ancestor.
 *
 * @param headerByHash resolves to null for a block that the provider does not know
 * @param options.goesBack whether a tip below the stored headers counts
 * @throws {RpcError} when the provider does not know its own chain
 */
export async function reconcile(
  window: Window,
  tip: Header,
  headerByHash: (hash: Hex) => Promise<Header | null>,
  { goesBack = false }: { goesBack?: boolean } = {},
): Promise<Reconciled> {
  const numbers = [...window.keys()]
  const top = numbers.reduce(max, -1n)
  // A shorter fork proves nothing: nodes behind a load balancer lag. A fork counts once it is as long.
  if (tip.number < top && !goesBack) return { type: 'behind' }
  const isFar = tip.number - top > BigInt(longestWalk) || tip.number < numbers.reduce(min, top)
  if (top < 0n || isFar) return unlinked([tip])

  const added: Header[] = []
  let header = tip
  while (window.get(header.number)?.hash !== header.hash) {
    added.push(header)
    if (header.number === 0n || added.length >= windowSize) return unlinked(added)
    const parent = window.get(header.number - 1n)
    if (parent?.hash === header.parentHash) {
      header = parent
      continue
    }
    const fetched = await headerByHash(header.parentHash)
    if (!fetched || fetched.hash !== header.parentHash || fetched.number !== header.number - 1n) {
      throw new RpcError(
        'contradiction',
        `The RPC does not know block ${header.parentHash}, the parent of its own head.`,
      )
    }
    header = fetched
  }
  return {
    type: 'linked',
    window: recent(
      [...window.values()].filter(({ number }) => number <= header.number),
      added,
    ),
    ancestor: header.number,
    added,
  }
}

function unlinked(added: readonly Header[]): Reconciled {
  return { type: 'unlinked', window: recent([], added), added }
}

function recent(unchanged: readonly Header[], added: readonly Header[]): Window {
  const headers = [...unchanged, ...added].sort((a, b) => (a.number < b.number ? -1 : 1))
  return new Map(headers.slice(-windowSize).map((header) => [header.number, header]))
}
