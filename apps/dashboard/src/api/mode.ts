import type { Mode } from '@payment-intents/contract'

const key = 'mode'
let mode: Mode | undefined

/** The mode that this page shows until it ends. A new tab begins in test mode. */
export function currentMode(): Mode {
  mode ??= sessionStorage.getItem(key) === 'mainnet' ? 'mainnet' : 'testnet'
  return mode
}

/** Sets the mode of a page that has sent no request of a mode yet. */
export function setMode(onlyMode: Mode): void {
  mode = onlyMode
  sessionStorage.setItem(key, onlyMode)
}

/**
 * Opens the overview in another mode. This page, its data and its requests keep theirs and end: an id of one mode is
 * unknown in the other.
 */
export function openMode(next: Mode): void {
  sessionStorage.setItem(key, next)
  location.assign('/')
}
