import type { Wallet } from '../wallet/provider/discoverWallets.ts'

/** Its value is the wallet's `rdns` (EIP-6963), and nothing else. */
const key = 'payment-intents-wallet'

/** Stores which wallet has paid or signed; a wallet without an `rdns` is not stored. */
export function keepLastWallet({ rdns }: Wallet): void {
  try {
    if (rdns) localStorage.setItem(key, rdns)
  } catch {
    // Storage may be denied or full: the list then stays as it was found.
  }
}

/** Puts the wallet that was used last first, and marks it. */
export function lastWalletFirst(wallets: readonly Wallet[]): readonly Wallet[] {
  const last = readLast()
  const marked = wallets.map((wallet) => ({ ...wallet, isLast: !!last && wallet.rdns === last }))
  return marked.sort((first, second) => Number(second.isLast) - Number(first.isLast))
}

function readLast(): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}
