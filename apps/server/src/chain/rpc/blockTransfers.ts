import type { Hex } from 'viem'
import type { ScanTarget } from '../polling/scan.ts'
import { readTransactions, type TransactionRpc } from './readTransactions.ts'
import { RpcError } from './rpcError.ts'
import { isWatched, type TransferLocation } from './transferLogs.ts'

/** The watched transfers of one block. */
export type BlockTransfers = {
  readonly transfers: readonly TransferLocation[]
  /** Transactions whose receipts could not be read now. */
  readonly unread: readonly ScanTarget[]
}

/** A block's transactions. */
export type BlockContent = { readonly hash: Hex; readonly txHashes: readonly Hex[] }

/** Transfers by transaction. */
type BlockCache = Map<Hex, readonly TransferLocation[]>

/** Blocks in the cache: about as many as each poll reads again. */
const cachedBlocks = 12

/**
 * Reads the transfers of a block by the receipts of all its transactions, so that a provider's limit on logs hides none. Caches receipts while
 * polls read the block again.
 *
 * @throws {RpcError} when the provider does not know the block
 */
export function createBlockTransfers(
  rpc: TransactionRpc & { content(block: bigint): Promise<BlockContent | null> },
) {
  // The cache belongs to one set of watched topics: it may lack transfers of another.
  const caches = new WeakMap<ReadonlySet<Hex>, Map<Hex, BlockCache>>()

  function cacheOf(topics: ReadonlySet<Hex>, blockHash: Hex): BlockCache {
    const blocks = caches.get(topics) ?? new Map<Hex, BlockCache>()
    caches.set(topics, blocks)
    const cache = blocks.get(blockHash) ?? new Map()
    blocks.set(blockHash, cache)
    const [oldest] = blocks.keys()
    if (oldest && blocks.size > cachedBlocks) blocks.delete(oldest)
    return cache
  }

  return async (block: bigint, topics: ReadonlySet<Hex>): Promise<BlockTransfers> => {
    const content = await rpc.content(block)
    if (!content) throw new RpcError('contradiction', `The RPC does not know block ${block}.`)
    const { hash: blockHash, txHashes } = content
    const cache = cacheOf(topics, blockHash)
    const missing = txHashes.filter((txHash) => !cache.has(txHash))
    const results = await readTransactions(
      rpc,
      missing.map((txHash) => ({ txHash, blockHash })),
    )
    for (const [txHash, result] of results) {
      if (result.type !== 'read' || result.receipt?.blockHash !== blockHash) continue
      const transfers = result.receipt.transfers.filter((transfer) => isWatched(transfer, topics))
      cache.set(txHash, transfers)
    }
    return {
      transfers: txHashes.flatMap((txHash) => cache.get(txHash) ?? []),
      unread: txHashes
        .filter((txHash) => !cache.has(txHash))
        .map((txHash) => ({ txHash, blockHash, blockNumber: block })),
    }
  }
}
