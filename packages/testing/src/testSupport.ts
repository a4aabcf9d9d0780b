import { type Address, createPublicClient, erc20Abi, http } from 'viem'
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
