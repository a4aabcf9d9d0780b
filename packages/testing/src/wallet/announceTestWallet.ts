import type { OptionNames } from '@payment-intents/contract/options'
import { checkOptions } from '../lib/checkOptions.ts'
import type { TestWallet } from './createTestWallet.ts'

export type WalletInfo = {
  uuid: string
  name: string
  /** A `data:` image. */
  icon: string
  /** The wallet's reverse domain name. */
  rdns: string
}

const infoNames: OptionNames<WalletInfo> = { uuid: true, name: true, icon: true, rdns: true }

const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#345"/><path d="M7 11h18v12H7z" fill="#fff"/></svg>',
)}`

/** The page's globals, which are not declared for Node. */
declare const window: EventTarget

/**
 * Announces a wallet to every page script that discovers wallets, now and later. Call it in the page.
 *
 * @param info the name and icon that pages show; `Test Wallet` by default
 * @see https://eips.ethereum.org/EIPS/eip-6963
 */
export function announceTestWallet(wallet: TestWallet, info: Partial<WalletInfo> = {}): void {
  checkOptions('announceTestWallet', info, infoNames)
  const detail = Object.freeze({
    info: Object.freeze({
      uuid: crypto.randomUUID(),
      name: 'Test Wallet',
      icon,
      rdns: 'dev.payment-intents.test-wallet',
      ...info,
    }),
    provider: wallet,
  })
  const announce = () =>
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  window.addEventListener('eip6963:requestProvider', announce)
  announce()
}
