import type { Payer } from './entry.ts'
import { type Lie, once, refuse } from './scriptedWallet.ts'

export type Detour = Payer & {
  /** The requests to the wallet on the way. */
  heading: string
}

const elsewhere = { chainId: 1 }
const unsupported = refuse(4200, 'Not supported.')
const decimal: Lie = async (truth) => Number(await truth())

/** Wallets that respond in unusual ways, which no payer should notice. */
export const detours: readonly Detour[] = [
  {
    name: 'wraps “unknown chain” in another error',
    heading: 'wallet_addEthereumChain',
    wallet: {
      ...elsewhere,
      lies: {
        wallet_switchEthereumChain: once(
          refuse(-32603, 'Internal error.', { originalError: { code: 4902, message: 'Unknown.' } }),
        ),
      },
    },
  },
  {
    name: 'says “unknown chain” in words alone',
    heading: 'wallet_addEthereumChain',
    wallet: {
      ...elsewhere,
      lies: {
        wallet_switchEthereumChain: once(refuse(-32603, 'Unrecognized chain ID "0x14a34".')),
      },
    },
  },
  {
    name: 'names its chain in decimal',
    heading: 'eth_sendTransaction',
    wallet: { lies: { eth_chainId: decimal } },
  },
  {
    name: 'cannot read the chain',
    heading: 'eth_sendTransaction',
    wallet: {
      lies: {
        eth_call: unsupported,
        eth_estimateGas: unsupported,
        eth_getBalance: unsupported,
        eth_getTransactionByHash: unsupported,
      },
    },
  },
  {
    name: 'is a smart wallet',
    heading: 'wallet_sendCalls',
    wallet: { atomic: 'supported' },
  },
  {
    name: 'says that it takes calls, and does not',
    heading: 'eth_sendTransaction',
    wallet: { atomic: 'supported', lies: { wallet_sendCalls: unsupported } },
  },
]
