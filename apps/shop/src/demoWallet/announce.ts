import { icon } from './icon.ts'
import type { Provider } from './provider.ts'

/**
 * Makes the wallet known to every page script that looks for one, now and later.
 *
 * @see https://eips.ethereum.org/EIPS/eip-6963
 */
export function announce(provider: Provider): void {
  const info = Object.freeze({
    uuid: crypto.randomUUID(),
    name: 'Demo Wallet',
    icon,
    rdns: 'dev.payment-intents.demo-wallet',
  })
  const detail = Object.freeze({ info, provider })
  const tell = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  window.addEventListener('eip6963:requestProvider', tell)
  tell()
}
