import type { PromptOwner } from './ownerPrompt.ts'
import { type ReachableChain, reachableChains } from './reachableChains.ts'
import type { RequestedChain } from './requests/requestParams.ts'
import { RpcError } from './walletRpcError.ts'

/** A wallet's chains and its current chain. Chain ids are hexadecimal. */
export type WalletNetwork = {
  current(): Promise<string>
  /** The chains of the wallet's RPC URLs. */
  findReachable(): Promise<ReachableChain[]>
  /** The current chain. @throws {RpcError} 4901 without an RPC URL of it */
  requireReachable(): Promise<ReachableChain>
  nameOf(chainId: string): string
  switchTo(chain: RequestedChain): Promise<null>
  add(chain: RequestedChain): Promise<null>
}

export function createWalletNetwork(options: {
  readonly rpcUrls: readonly string[]
  /** The initial chain; undefined: the first of the RPC URLs, and the wallet has all of them. */
  readonly chainId: number | undefined
  readonly promptOwner: PromptOwner
  /** The wallet is on another chain. */
  readonly changed: (chainId: string) => void
}): WalletNetwork {
  const { rpcUrls, promptOwner, changed } = options
  let chainId = options.chainId === undefined ? null : `0x${options.chainId.toString(16)}`
  /** Names of the known chains by id. */
  const chains = new Map(chainId === null ? [] : [[chainId, '']])

  async function current(): Promise<string> {
    if (chainId !== null) return chainId
    const all = await findReachable()
    for (const candidate of all) chains.set(candidate.chainId, '')
    chainId = all[0]?.chainId ?? ''
    return chainId
  }

  function findReachable(): Promise<ReachableChain[]> {
    return reachableChains(rpcUrls)
  }

  async function moveTo(
    { chainId: wanted, chainName }: RequestedChain,
    method: 'wallet_switchEthereumChain' | 'wallet_addEthereumChain',
  ): Promise<null> {
    if ((await promptOwner({ method, chainId: wanted })) === 'lie') return null
    if (method === 'wallet_addEthereumChain') chains.set(wanted, chainName)
    if (wanted === chainId) return null
    chainId = wanted
    changed(chainId)
    return null
  }

  return {
    current,
    findReachable,
    async requireReachable() {
      const [on, reachable] = [await current(), await findReachable()]
      const network = reachable.find(({ chainId }) => chainId === on)
      if (network) return network
      const message = `This wallet has no connection to chain ${on}; switch the chain first.`
      throw new RpcError(4901, message)
    },
    nameOf: (id) => chains.get(id) || `Chain ${Number(id)}`,
    async switchTo(chain) {
      if (chain.chainId === (await current())) return null
      if (!chains.has(chain.chainId)) {
        const message = `This wallet does not know chain ${chain.chainId}; add it first.`
        throw new RpcError(4902, message)
      }
      return moveTo(chain, 'wallet_switchEthereumChain')
    },
    async add(chain) {
      await current()
      const all = (await findReachable()).map(({ chainId }) => chainId)
      if (!all.includes(chain.chainId)) {
        throw new RpcError(-32602, `This wallet pays on chain ${all.join(' and ')} only.`)
      }
      return moveTo(chain, 'wallet_addEthereumChain')
    },
  }
}
