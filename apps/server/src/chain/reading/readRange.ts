import type { Address } from '@payment-intents/contract'
import type { BlockTransfers } from '../rpc/blockTransfers.ts'
import { type Rpc, readsWholeToken, walletsPerQuery } from '../rpc/rpc.ts'
import { RpcError } from '../rpc/rpcError.ts'

type RangeRpc = Pick<Rpc, 'transfers' | 'blockTransfers'>
type Range = {
  readonly from: bigint
  readonly to: bigint
  readonly wallets: ReadonlySet<Address>
}

/**
 * The transfers of a range of blocks. A block with more logs than the provider shows is read by its receipts.
 *
 * @throws {RpcError} `range` when several blocks are too large for the provider
 */
export async function readRange(rpc: RangeRpc, range: Range): Promise<BlockTransfers> {
  const { from, to, wallets } = range
  try {
    return { transfers: await rpc.transfers(range), unread: [] }
  } catch (error) {
    if (!isTooLarge(error) || from !== to) throw error
  }
  return (await readByWallets(rpc, range)) ?? rpc.blockTransfers(from, wallets)
}

/** Strangers' transfers were too many, perhaps: queries name the wallets. null: they do already, or are refused, too. */
async function readByWallets(rpc: RangeRpc, range: Range): Promise<BlockTransfers | null> {
  if (!readsWholeToken(range.wallets)) return null
  const wallets = [...range.wallets]
  const transfers = []
  try {
    for (let start = 0; start < wallets.length; start += walletsPerQuery) {
      const some = new Set(wallets.slice(start, start + walletsPerQuery))
      transfers.push(...(await rpc.transfers({ ...range, wallets: some })))
    }
    return { transfers, unread: [] }
  } catch (error) {
    if (isTooLarge(error)) return null
    throw error
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof RpcError && error.fault === 'range'
}
