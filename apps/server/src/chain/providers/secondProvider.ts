import type { Rpc } from '../rpc/rpc.ts'
import { RpcError } from '../rpc/rpcError.ts'

/** Must confirm a payment before it settles, and may return transfers that the first provider did not. */
export type SecondProvider = Rpc & {
  /** Whether a second provider is ready now. */
  isReady(): boolean
  /** The standstill of all second providers while the first provider's head rises; null: the head of one rises. */
  standstill?(): Standstill | null
  /** It did not confirm a payment that the first provider returned. */
  disagreed?(): void
}

/** The state of a provider that stands still. It gets no request about blocks above its head. */
export type Standstill = {
  readonly head: bigint
  /** The block up to which depth counts by the first provider's head alone. */
  depth(head: bigint): bigint
}

type Candidate = { readonly health: { readonly state: string } }

/**
 * Uses the first ready candidate. While none is ready, no payment settles: late is better than wrong. While all stand still, which nobody can
 * cause from outside, they confirm the blocks up to their heads.
 *
 * @param notes callbacks about requests and health
 */
export function createSecondProvider<Provider extends Candidate>(
  candidates: readonly Provider[],
  notes: {
    rpcOf(provider: Provider): Rpc
    /** null: its head rises, it is silent, or it merely lags. */
    standstillOf(provider: Provider): Standstill | null
    /** Reports whether a candidate was ready. */
    reportReady(isReady: boolean): void
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

  /** The candidate with the highest head, if all stand still. */
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
    notes.reportReady(chosen !== undefined)
    if (!chosen) throw new RpcError('unavailable', 'No second provider is ready.')
    last = chosen
    return chosen
  }
  const rpc = () => notes.rpcOf(provider())

  /** Counts failures of requests about the chain against the provider. Other requests do not count: strangers decide how a transaction looks, and
   * how many logs a block has. */
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
        // A later poll requests it.
        return chosen ? notes.rpcOf(chosen).largeReceipts.read(of) : 'pending'
      },
      stateOf(txHash) {
        const chosen = usable()
        return chosen ? notes.rpcOf(chosen).largeReceipts.stateOf(txHash) : 'none'
      },
    },
  }
}

/** Whether the request was too large: the next request has fewer blocks or topics. */
function isOfContent(error: unknown): boolean {
  return error instanceof RpcError && error.fault === 'range'
}
