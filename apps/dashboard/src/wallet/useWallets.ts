import { useEffect, useState } from 'react'
// The checkout's wallet code, which its package does not export.
import {
  discoverWallets,
  type Wallet,
} from '../../../../packages/browser/src/wallet/provider/discoverWallets.ts'

export type { Wallet }

/** The wallets of this browser, including wallets that announce themselves late. */
export function useWallets(): readonly Wallet[] {
  const [wallets, setWallets] = useState<readonly Wallet[]>([])
  useEffect(() => {
    const ending = new AbortController()
    discoverWallets([], ending.signal, setWallets)
    return () => ending.abort()
  }, [])
  return wallets
}
