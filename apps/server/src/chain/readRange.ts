import type { Address } from '@payment-intents/contract'
import type { Rpc, RpcTransfer } from './rpc.ts'
import { RpcError } from './rpcError.ts'

/** A wallet's transfers in one block that are more than the provider shows. */
export type Skipped = {
  readonly block: bigint
  readonly wallet: Address
  readonly reason: string
}

/**
 * The transfers of a range of blocks. One block whose answer is too large is asked for half of the wallets at a time,
 * down to the one wallet that is at fault, which is skipped: it is read with the block once more, by a second provider
 * too.
 *
 * @param skipped takes what is skipped
 * @throws {RpcError} `range` when several blocks are too large for the provider
 */
export async function readRange(
  rpc: Pick<Rpc, 'transfers'>,
  range: { from: bigint; to: bigint; wallets: ReadonlySet<Address> },
  skipped: (one: Skipped) => void,
): Promise<RpcTransfer[]> {
  const { from, to, wallets } = range
  try {
    return await rpc.transfers(range)
  } catch (error) {
    const isTooLarge = error instanceof RpcError && error.fault === 'range'
    if (!isTooLarge || from !== to) throw error
    const [wallet, ...others] = wallets
    if (wallet && others.length === 0) {
      skipped({ block: from, wallet, reason: error.message })
      return []
    }
    const half = Math.ceil(wallets.size / 2)
    const halves = [[...wallets].slice(0, half), [...wallets].slice(half)]
    const found: RpcTransfer[] = []
    for (const some of halves) {
      found.push(...(await readRange(rpc, { from, to, wallets: new Set(some) }, skipped)))
    }
    return found
  }
}
