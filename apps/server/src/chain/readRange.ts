import type { Address } from '@payment-intents/contract'
import type { Rpc, RpcTransfer } from './rpc.ts'
import { RpcError } from './rpcError.ts'

/**
 * The transfers of a range of blocks. One block whose answer is too large is asked for half of the wallets at a time.
 *
 * @throws {RpcError} `range` when several blocks, or one wallet's part of one block, are too large for the provider
 */
export async function readRange(
  rpc: Pick<Rpc, 'transfers'>,
  range: { from: bigint; to: bigint; wallets: ReadonlySet<Address> },
): Promise<RpcTransfer[]> {
  try {
    return await rpc.transfers(range)
  } catch (error) {
    const isTooLarge = error instanceof RpcError && error.fault === 'range'
    if (!isTooLarge || range.from !== range.to || range.wallets.size < 2) throw error
    const wallets = [...range.wallets]
    const half = Math.ceil(wallets.length / 2)
    const halves = await Promise.all(
      [wallets.slice(0, half), wallets.slice(half)].map((some) =>
        readRange(rpc, { ...range, wallets: new Set(some) }),
      ),
    )
    return halves.flat()
  }
}
