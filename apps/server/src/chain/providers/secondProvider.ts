import type { Rpc } from '../rpc/rpc.ts'
import { RpcError } from '../rpc/rpcError.ts'

/** Has to confirm a payment before it is settled, and shows what the first provider may not have shown. */
export type SecondProvider = Rpc & {
  /** Whether it takes requests now. */
  isReady(): boolean
  /** The standstill of every second provider while the first goes on; null: one moves. */
  standstill?(): Standstill | null
  /** It did not confirm a payment that the first provider showed. */
  disagreed?(): void
}

/** A provider that stands still knows nothing above its head, and gets no request about blocks above it. */
export type Standstill = {
  readonly head: bigint
  /** The block from which depth counts by the first provider's head alone. */
  depth(head: bigint): bigint
}

type Candidate = { readonly health: { readonly state: string } }

/**
 * The first of the candidates that is ready. One that is down or silent settles nothing: late beats wrong. Where all of
 * them stand still, which nobody can bring about from outside, they are asked about the blocks that they know.
 *
 * @param notes called about each request
 */
export function createSecondProvider<Provider extends Candidate>(
  candidates: readonly Provider[],
  notes: {
    rpcOf(provider: Provider): Rpc
    /** null: it moves, is silent, or lags like any other. */
    standstillOf(provider: Provider): Standstill | null
    /** Whether one was ready. */
    noteReady(isReady: boolean): void
    failed(provider: Provider, error: unknown): void
    disagreed(provider: Provider): void
  },
): SecondProvider {
  let last: Provider | null = null
  const ready = () =>
    candidates.find(
      (candidate) => candidate.health.state === 'ready' && !notes.standstillOf(candidate),
    )
  const usable = () => ready() ?? standing()?.provider

  /** The furthest of those that stand still, if all do. */
  function standing(): (Standstill & { readonly provider: Provider }) | null {
    const all = candidates.flatMap((provider) => {
      const standstill = notes.standstillOf(provider)
      return standstill ? [{ provider, ...standstill }] : []
    })
    if (all.length < candidates.length) return null
    return all.reduce((best, item) => (item.head > best.head ? item : best))
  }

  function provider(): Provider {
    const chosen = usable()
    notes.noteReady(chosen !== undefined)
    if (!chosen) throw new RpcError('unavailable', 'No second provider is ready.')
    last = chosen
    return chosen
  }
  const rpc = () => notes.rpcOf(provider())

  /** Requests about the chain judge a provider; strangers decide how a transaction looks, and how many logs a block has. */
  async function judged<T>(request: (rpc: Rpc) => Promise<T>): Promise<T> {
    const chosen = provider()
    try {
      return await request(notes.rpcOf(chosen))
    } catch (error) {
      if (!isOfContent(error)) notes.failed(chosen, error)
      throw error
    }
  }
  return {
    isReady: () => ready() !== undefined,
    standstill: standing,
    disagreed: () => last && notes.disagreed(last),
    header: (block) => judged((rpc) => rpc.header(block)),
    probeLogs: (block) => judged((rpc) => rpc.probeLogs(block)),
    headerByHash: (hash) => judged((rpc) => rpc.headerByHash(hash)),
    transfers: (range) => judged((rpc) => rpc.transfers(range)),
    blockTransfers: async (block, topics) => rpc().blockTransfers(block, topics),
    transaction: async (txHash, options) => rpc().transaction(txHash, options),
    receipt: async (txHash, options) => rpc().receipt(txHash, options),
    largeReceipts: {
      read(of) {
        const chosen = usable()
        // Requested by a later poll.
        return chosen ? notes.rpcOf(chosen).largeReceipts.read(of) : 'pending'
      },
      stateOf(txHash) {
        const chosen = usable()
        return chosen ? notes.rpcOf(chosen).largeReceipts.stateOf(txHash) : 'none'
      },
    },
  }
}

/** Fewer blocks or topics are requested next. */
function isOfContent(error: unknown): boolean {
  return error instanceof RpcError && error.fault === 'range'
}
