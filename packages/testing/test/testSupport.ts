import { type Address, createPublicClient, erc20Abi, http } from 'viem'
import { until } from '../../../tests/support/until.ts'
import type { DevAccount } from '../src/devChain/devAccounts.ts'
import type { DevChain } from '../src/devChain/startDevChain.ts'

export function devAccount(chain: DevChain, index: number): DevAccount {
  const account = chain.accounts[index]
  if (!account) throw new Error(`There is no account ${index}.`)
  return account
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

type Receipt = Record<string, unknown>

/** The receipt of a transaction, once it is in a block: anvil responds before it mines. */
export async function untilMined(chain: DevChain, hash: unknown): Promise<Receipt> {
  return until(async () => {
    const params = [hash]
    const receipt = await chain.rpc<Receipt | null>('eth_getTransactionReceipt', params)
    if (receipt) return receipt
    throw new Error(`${hash} is in no block.`)
  })
}
