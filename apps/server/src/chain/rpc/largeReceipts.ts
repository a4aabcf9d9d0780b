import type { Hex } from 'viem'
import type { RpcReceipt } from './rpc.ts'

/**
 * Receipts that may have megabytes. They are requested one at a time while polls go on, so that they delay no payment and only one is in memory.
 */
export type LargeReceipts = {
  /**
   * Returns the receipt of a transaction in this block; `pending` until it is read.
   *
   * @throws Error if it could not be read; the next call requests it again
   */
  read(of: { readonly txHash: Hex; readonly blockHash: Hex }): RpcReceipt | null | 'pending'
  /** Whether the receipt was requested, and whether its result is in memory, which holds it for a while. */
  stateOf(txHash: Hex): 'none' | 'pending' | 'done'
}

type Result = { readonly receipt: RpcReceipt | null } | { readonly error: unknown }

/** The maximum of results; the oldest is dropped, since polls may not need it any longer. */
const maxResults = 16

export function createLargeReceipts(
  request: (txHash: Hex) => Promise<RpcReceipt | null>,
): LargeReceipts {
  /** Requests, the last is next: while strangers send more than can be read, the newest come first. */
  const waiting = new Set<Hex>()
  /** Requests that failed; they wait until no others do. */
  const failed = new Set<Hex>()
  const results = new Map<Hex, Result>()
  let current: Hex | null = null

  const next = () => [...waiting].at(-1) ?? [...failed].at(0) ?? null

  async function run(): Promise<void> {
    for (current = next(); current; current = next()) {
      const txHash = current
      waiting.delete(txHash)
      failed.delete(txHash)
      const result = await request(txHash).then(
        (receipt): Result => ({ receipt }),
        (error): Result => ({ error }),
      )
      results.set(txHash, result)
      const [oldest] = results.keys()
      if (oldest && results.size > maxResults) results.delete(oldest)
    }
  }

  function add(txHash: Hex, queue: Set<Hex>): 'pending' {
    if (current !== txHash) queue.add(txHash)
    if (current === null) void run()
    return 'pending'
  }

  return {
    stateOf(txHash) {
      if (results.has(txHash)) return 'done'
      return current === txHash || waiting.has(txHash) || failed.has(txHash) ? 'pending' : 'none'
    },
    read({ txHash, blockHash }) {
      const result = results.get(txHash)
      if (!result) return add(txHash, failed.has(txHash) ? failed : waiting)
      if ('receipt' in result && result.receipt?.blockHash === blockHash) return result.receipt
      results.delete(txHash)
      // The receipt is of another block, as before a reorg.
      if ('receipt' in result && result.receipt) return add(txHash, waiting)
      add(txHash, failed)
      if ('error' in result) throw result.error
      return null
    },
  }
}
