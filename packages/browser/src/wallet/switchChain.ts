import type { EIP1193Provider } from '../checkoutOptions.ts'
import { sleep } from '../lib/sleep.ts'
import type { Problem } from './problem.ts'
import type { ReadWallet } from './provider/readWallet.ts'
import { walletError } from './provider/walletError.ts'

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
 * @returns `null` once `eth_chainId` confirms the switch: some wallets report success without switching
 */
export async function switchChain(
  provider: EIP1193Provider,
  read: ReadWallet,
  network: Network,
  { signal, onChain, onStep }: Steps,
): Promise<Problem | null> {
  if (await isOn(read, network)) return null
  onStep('switching')
  const switched = new AbortController()
  signal.addEventListener('abort', () => switched.abort(), { signal: switched.signal })
  const arrived = untilOn(read, network, onChain, switched.signal)
  try {
    // Some wallets switch and never respond.
    return await Promise.race([arrived.then(() => null), request()])
  } finally {
    switched.abort()
  }

  async function request(): Promise<Problem | null> {
    const problem = await requestSwitch(provider, read, network)
    if (problem?.code === 'request_pending') {
      onStep(problem.code)
      await arrived
    }
    // Others respond before they switch.
    if (!problem && !(await isOn(read, network))) {
      await Promise.race([arrived, sleep(settleMs, switched.signal)])
    }
    return (await isOn(read, network)) ? null : (problem ?? { code: 'wrong_chain' })
  }
}

type Steps = {
  signal: AbortSignal
  onChain: OnChain
  /** `request_pending`: the wallet shows an earlier request, which the payer has to finish first. */
  onStep: (step: 'switching' | 'request_pending') => void
}

const pollMs = 500
/** How long `eth_chainId` may lag behind a switch that the wallet reports: three seconds, and until it is read again. */
const settleMs = 3000 + pollMs

/** Resolves when the wallet is on the network; never once the signal aborts. */
function untilOn(
  read: ReadWallet,
  network: Network,
  onChain: OnChain,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const look = () =>
      isOn(read, network).then(
        (isOnChain) => isOnChain && !signal.aborted && resolve(),
        () => {},
      )
    onChain(look, signal)
    const poll = async () => {
      await sleep(pollMs, signal)
      if (signal.aborted) return
      await look()
      poll()
    }
    poll()
  })
}

/** Calls back whenever the wallet says that its chain has changed, until the signal aborts. */
export type OnChain = (listener: () => void, signal: AbortSignal) => void

/** Providers emit events (EIP-1193), but need not. */
export function onChainChanged(
  provider: EIP1193Provider,
  listener: () => void,
  signal: AbortSignal,
): void {
  const emitter = provider as Partial<Record<'on' | 'removeListener', Listen>>
  try {
    emitter.on?.('chainChanged', listener)
    signal.addEventListener('abort', () => emitter.removeListener?.('chainChanged', listener))
  } catch {
    // The wallet is polled anyway.
  }
}

type Listen = (event: string, listener: () => void) => void

async function requestSwitch(
  provider: EIP1193Provider,
  read: ReadWallet,
  network: Network,
): Promise<Problem | null> {
  const chainId = `0x${network.chainId.toString(16)}`
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
    return null
  } catch (error) {
    const code = walletError(error)
    return code === 'wrong_chain' ? addChain(provider, read, network, chainId) : { code }
  }
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
