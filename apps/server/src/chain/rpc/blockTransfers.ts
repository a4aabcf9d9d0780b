import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'
import type { WantedTransaction } from '../reading/scan.ts'
import { readTransactions, type TransactionRpc } from './readTransactions.ts'
import type { RpcTransfer } from './rpc.ts'
import { RpcError } from './rpcError.ts'

/** The transfers of one block to some wallets. */
export type BlockTransfers = {
  readonly transfers: readonly RpcTransfer[]
  /** Transactions whose receipts could not be read now. */
  readonly unread: readonly WantedTransaction[]
}

/** A block's transactions. */
export type BlockContent = { readonly hash: Hex; readonly txHashes: readonly Hex[] }

/** Transfers by transaction. */
type BlockCache = Map<Hex, readonly RpcTransfer[]>

/** Each poll reads about as many blocks again. */
const cachedBlocks = 12

/**
 * Reads transfers by the receipts of all transactions of a block: a provider that limits the logs of one query hides none
 * of them. Receipts that were read are kept while polls read the block again.
 *
 * @throws {RpcError} when the provider does not know the block
 */
export function createBlockTransfers(
  rpc: TransactionRpc & { content(block: bigint): Promise<BlockContent | null> },
) {
  // A set is of one state of the watched wallets: another one may miss transfers.
  const caches = new WeakMap<ReadonlySet<Address>, Map<Hex, BlockCache>>()

  function cacheOf(wallets: ReadonlySet<Address>, blockHash: Hex): BlockCache {
    const blocks = caches.get(wallets) ?? new Map<Hex, BlockCache>()
    caches.set(wallets, blocks)
    const cache = blocks.get(blockHash) ?? new Map()
    blocks.set(blockHash, cache)
    const [oldest] = blocks.keys()
    if (oldest && blocks.size > cachedBlocks) blocks.delete(oldest)
    return cache
  }

  return async (block: bigint, wallets: ReadonlySet<Address>): Promise<BlockTransfers> => {
    const content = await rpc.content(block)
    if (!content) throw new RpcError('contradiction', `The RPC does not know block ${block}.`)
    const { hash: blockHash, txHashes } = content
    const cache = cacheOf(wallets, blockHash)
    const missing = txHashes.filter((txHash) => !cache.has(txHash))
    const results = await readTransactions(
      rpc,
      missing.map((txHash) => ({ txHash, blockHash })),
    )
    for (const [txHash, result] of results) {
      if (result.type !== 'read' || result.receipt?.blockHash !== blockHash) continue
      const transfers = result.receipt.transfers.filter(({ to }) => wallets.has(to))
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
