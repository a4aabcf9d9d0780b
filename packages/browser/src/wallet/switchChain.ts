import type { EIP1193Provider } from '../options.ts'
import type { Problem } from './problem.ts'
import type { ReadWallet } from './readWallet.ts'
import { walletError } from './walletError.ts'

export type Network = {
  chainId: number
  name: string
  nativeSymbol: string
  rpcUrl: string
  explorerUrl: string | null
}

/**
 * Switches the wallet to a chain, adding the chain if unknown (EIP-3326, EIP-3085).
 *
 * @param onAsk called when the wallet is about to be asked
 * @returns `null` once `eth_chainId` confirms the switch: some wallets report success without switching
 */
export async function switchChain(
  provider: EIP1193Provider,
  read: ReadWallet,
  network: Network,
  onAsk: () => void,
): Promise<Problem | null> {
  if (await isOn(read, network)) return null
  onAsk()
  const chainId = `0x${network.chainId.toString(16)}`
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
  } catch (error) {
    const code = walletError(error)
    if (code !== 'wrong_chain') return { code }
    const problem = await addChain(provider, read, network, chainId)
    if (problem) return problem
  }
  return (await isOn(read, network)) ? null : { code: 'wrong_chain' }
}

async function addChain(
  provider: EIP1193Provider,
  read: ReadWallet,
  network: Network,
  chainId: string,
): Promise<Problem | null> {
  const chain = {
    chainId,
    chainName: network.name,
    nativeCurrency: { name: network.nativeSymbol, symbol: network.nativeSymbol, decimals: 18 },
    rpcUrls: [network.rpcUrl],
    ...(network.explorerUrl ? { blockExplorerUrls: [network.explorerUrl] } : {}),
  }
  try {
    await provider.request({ method: 'wallet_addEthereumChain', params: [chain] })
  } catch (error) {
    const code = walletError(error)
    const isSpecific = code === 'user_rejected' || code === 'request_pending'
    return { code: isSpecific ? code : 'chain_add_failed' }
  }
  // A wallet may add the chain without switching to it.
  if (await isOn(read, network)) return null
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
    return null
  } catch (error) {
    return { code: walletError(error) }
  }
}

async function isOn(read: ReadWallet, network: Network): Promise<boolean> {
  const chainId = await read('eth_chainId')
  // Hexadecimal by the standard; some wallets return a number or a decimal string.
  return Number(chainId) === network.chainId
}
