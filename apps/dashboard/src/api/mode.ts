import type { Mode } from '@payment-intents/contract'

const key = 'mode'

/** The mode that this tab shows. A new tab begins in test mode. */
export function currentMode(): Mode {
  return sessionStorage.getItem(key) === 'mainnet' ? 'mainnet' : 'testnet'
}

export function setMode(mode: Mode): void {
  sessionStorage.setItem(key, mode)
}
