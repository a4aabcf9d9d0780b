import type { ObservedTransfer, ReadTransaction } from '@payment-intents/core'
import type { Hex } from 'viem'
import type { Providers } from '../providers/providers.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { RpcError } from '../rpc/rpcError.ts'

/** Reads a transaction that a merchant names, from a ready provider. A second provider confirms it before it counts. */
export function createReadTransaction(options: {
  readonly providers: (chainId: number) => Pick<Providers, 'choose' | 'checkHealth'> | null
  readonly log: { debug(fields: object, message: string): void }
}): ReadTransaction {
  return async (chainId, txHash) => {
    const providers = options.providers(chainId)
    if (!providers) return null
    try {
      // If another process follows the chain, nothing else checks providers after their backoff.
      if (!providers.choose()) await providers.checkHealth()
      const reader = providers.choose()
      return reader && (await readTransaction(reader.rpc, txHash))
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      const fields = { chain_id: chainId, tx_hash: txHash, reason: error.message }
      options.log.debug(fields, 'a transaction could not be read')
      return null
    }
  }
}

/** @throws {RpcError} */
async function readTransaction(
  rpc: Pick<Rpc, 'receipt' | 'header'>,
  txHash: Hex,
): Promise<readonly ObservedTransfer[] | 'unknown'> {
  const receipt = await rpc.receipt(txHash, { unbatched: true })
  if (!receipt) return 'unknown'
  const [first] = receipt.transfers
  if (!first) return []
  const header = await rpc.header(first.blockNumber)
  if (header?.hash !== receipt.blockHash) return 'unknown'
  if (!receipt.succeeded) return []
  const blockTimestamp = header.timestamp
  return receipt.transfers.map((transfer) => ({ ...transfer, blockTimestamp }))
}
