import type { Rpc } from './rpc.ts'
import { RpcError } from './rpcError.ts'

/** A second provider: asked before a payment is settled, and for what the first may not have shown. */
export type Witness = Rpc & {
  /** Whether it can be asked now. */
  isReady(): boolean
  /** Where every second provider stands still while the first goes on; null: one does not. */
  standstill?(): Standstill | null
  /** It did not confirm a payment that the first provider showed. */
  disagreed?(): void
}

/** What a provider that stands still is good for: it knows nothing above its head, and is asked about nothing above it. */
export type Standstill = {
  readonly head: bigint
  /** The block from which depth counts by the first provider's head alone. */
  depth(head: bigint): bigint
}

type Candidate = { readonly health: { readonly state: string } }

/**
 * Asks the first of the candidates that is ready. One that is down or silent settles nothing: late beats wrong. Where all
 * of them stand still, which nobody can bring about from outside, they are asked about the blocks that they know.
 *
 * @param notes what is to be known of each question
 */
export function createWitness<Provider extends Candidate>(
  candidates: readonly Provider[],
  notes: {
    rpcOf(provider: Provider): Rpc
    /** null: it moves, is silent, or lags like any other. */
    standstillOf(provider: Provider): Standstill | null
    /** Whether one was ready. */
    asked(isReady: boolean): void
    failed(provider: Provider, error: unknown): void
    disagreed(provider: Provider): void
  },
): Witness {
  let asked: Provider | null = null
  const ready = () =>
    candidates.find((one) => one.health.state === 'ready' && !notes.standstillOf(one))

  /** The furthest of those that stand still, if all do. */
  function standing(): (Standstill & { readonly provider: Provider }) | null {
    const all = candidates.flatMap((provider) => {
      const standstill = notes.standstillOf(provider)
      return standstill ? [{ provider, ...standstill }] : []
    })
    if (all.length < candidates.length) return null
    return all.reduce((best, one) => (one.head > best.head ? one : best))
  }

  async function ask<T>(question: (rpc: Rpc) => Promise<T>): Promise<T> {
    const provider = ready() ?? standing()?.provider
    notes.asked(provider !== undefined)
    if (!provider) throw new RpcError('unavailable', 'No second provider is ready.')
    asked = provider
    try {
      return await question(notes.rpcOf(provider))
    } catch (error) {
      // Too large a question is asked again in parts.
      if (!(error instanceof RpcError && error.fault === 'range')) notes.failed(provider, error)
      throw error
    }
  }
  return {
    isReady: () => ready() !== undefined,
    standstill: standing,
    disagreed: () => asked && notes.disagreed(asked),
    probeLogs: (block) => ask((rpc) => rpc.probeLogs(block)),
    receipt: (txHash) => ask((rpc) => rpc.receipt(txHash)),
    header: (block) => ask((rpc) => rpc.header(block)),
    headerByHash: (hash) => ask((rpc) => rpc.headerByHash(hash)),
    transaction: (txHash) => ask((rpc) => rpc.transaction(txHash)),
    transfers: (range) => ask((rpc) => rpc.transfers(range)),
  }
}
