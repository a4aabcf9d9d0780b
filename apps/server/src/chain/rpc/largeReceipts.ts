import type { Hex } from 'viem'
import type { RpcReceipt } from './rpc.ts'

/**
 * Receipts that may have megabytes. They are requested one after another, each by itself, while polls go on: none of
 * them delays a payment, and no two of them are in memory.
 */
export type LargeReceipts = {
  /**
   * The receipt of a transaction in this block once it is there; `pending` until then.
   *
   * @throws Error why it could not be read; the next call requests it again
   */
  read(of: { readonly txHash: Hex; readonly blockHash: Hex }): RpcReceipt | null | 'pending'
  /** Whether it was requested, and whether there is a result, which is kept for a while. */
  stateOf(txHash: Hex): 'none' | 'pending' | 'done'
}

type Result = { readonly receipt: RpcReceipt | null } | { readonly error: unknown }

/** Beyond this the oldest is dropped: polls may have lost interest in it. */
const maxResults = 16

export function createLargeReceipts(
  request: (txHash: Hex) => Promise<RpcReceipt | null>,
): LargeReceipts {
  /** The last is next: while strangers send more than can be read, those of now go first. */
  const waiting = new Set<Hex>()
  /** Those that have failed before; they wait until nothing else does. */
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
