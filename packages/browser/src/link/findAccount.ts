import type { WalletOption } from '../checkoutOptions.ts'
import { sharedParts } from './sharedParts.ts'

/** Calls back with an account that a wallet shares with this page without a prompt, if there is one. */
export function findAccount(
  wallets: readonly WalletOption[],
  signal: AbortSignal,
  onAccount: (account: string) => void,
): void {
  const search = new AbortController()
  signal.addEventListener('abort', () => search.abort())
  sharedParts.discoverWallets(wallets, search.signal, async (list) => {
    for (const { provider } of list) {
      const account = await connectedAccount(provider)
      if (search.signal.aborted) return
      if (account) {
        search.abort()
        return onAccount(account)
      }
    }
  })
}

async function connectedAccount(provider: WalletOption['provider']): Promise<string | null> {
  try {
    const [account] = Object(await provider.request({ method: 'eth_accounts' }))
    return /^0x[0-9a-f]{40}$/i.test(account) ? account : null
  } catch {
    return null
  }
}
