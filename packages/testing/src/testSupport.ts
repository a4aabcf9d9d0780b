import { type Address, createPublicClient, erc20Abi, http } from 'viem'
import { pause } from './pause.ts'
import type { DevAccount, DevChain } from './startDevChain.ts'

export function devAccount(chain: DevChain, index: number): DevAccount {
  const found = chain.accounts[index]
  if (!found) throw new Error(`There is no account ${index}.`)
  return found
}

export function account(chain: DevChain, index: number): Address {
  return devAccount(chain, index).address
}

export function tokenBalance(chain: DevChain, owner: Address): Promise<bigint> {
  const client = createPublicClient({ transport: http(chain.url) })
  return client.readContract({
    abi: erc20Abi,
    address: chain.token,
    functionName: 'balanceOf',
    args: [owner],
  })
}

/** The receipt of a transaction, once it is in a block: anvil answers before it mines. */
export async function untilMined(chain: DevChain, hash: unknown): Promise<Record<string, unknown>> {
  for (;;) {
    const receipt = await chain.rpc<Record<string, unknown> | null>('eth_getTransactionReceipt', [
      hash,
    ])
    if (receipt) return receipt
    await pause(5)
  }
}
