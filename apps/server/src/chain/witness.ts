import type { Rpc } from './rpc.ts'
import { RpcError } from './rpcError.ts'

/** A second provider: asked before a payment is settled, and for what the first may not have shown. */
export type Witness = Rpc & {
  /** Whether it can be asked now. */
  isReady(): boolean
  /** It did not confirm a payment that the first provider showed. */
  disagreed?(): void
}

type Candidate = { readonly health: { readonly state: string } }

/**
 * Asks the first of the candidates that is ready. One that is down or silent settles nothing: late beats wrong.
 *
 * @param notes what is to be known of each question
 */
export function createWitness<Provider extends Candidate>(
  candidates: readonly Provider[],
  notes: {
    rpcOf(provider: Provider): Rpc
    /** Whether one was ready. */
    asked(isReady: boolean): void
    failed(provider: Provider, error: unknown): void
    disagreed(provider: Provider): void
  },
): Witness {
  let asked: Provider | null = null
  const ready = () => candidates.find(({ health }) => health.state === 'ready')
  async function ask<T>(question: (rpc: Rpc) => Promise<T>): Promise<T> {
    const provider = ready()
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
    disagreed: () => asked && notes.disagreed(asked),
    probeLogs: (block) => ask((rpc) => rpc.probeLogs(block)),
    receipt: (txHash) => ask((rpc) => rpc.receipt(txHash)),
    header: (block) => ask((rpc) => rpc.header(block)),
    headerByHash: (hash) => ask((rpc) => rpc.headerByHash(hash)),
    transaction: (txHash) => ask((rpc) => rpc.transaction(txHash)),
    transfers: (range) => ask((rpc) => rpc.transfers(range)),
  }
}
