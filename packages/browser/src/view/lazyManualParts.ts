import type { warnOfUnknown } from '../lib/warnOfUnknown.ts'
import type { Messages } from '../locales/en.ts'
import type { GetUsdc } from './panels/GetUsdc.tsx'
import type { NoWallet } from './panels/NoWallet.tsx'
import type { QrPanel } from './panels/QrPanel.tsx'

/** The panels and messages for a payer who has no wallet in this browser, or no USDC. */
export type ManualParts = {
  GetUsdc: typeof GetUsdc
  NoWallet: typeof NoWallet
  QrPanel: typeof QrPanel
  warnOfUnknown: typeof warnOfUnknown
  styles: string
  /** In English; none if they cannot be loaded. */
  messages: Partial<Messages> | null
}

export type LoadManualParts = (baseUrl: string, signal: AbortSignal) => Promise<ManualParts>

/**
 * Loads the parts when a panel of theirs is first drawn, since a payer with a wallet needs none. After a failure, the next drawing tries again.
 *
 * @param onLoaded draws again
 * @returns a function that returns the parts; `null` until they are loaded
 */
export function lazyManualParts(
  load: () => Promise<ManualParts>,
  onLoaded: (loaded: ManualParts) => void,
): () => ManualParts | null {
  let loaded: ManualParts | null = null
  let isLoading = false

  async function start() {
    isLoading = true
    loaded = await load().catch(() => null)
    isLoading = false
    if (loaded) onLoaded(loaded)
  }

  return () => {
    if (!loaded && !isLoading) void start()
    return loaded
  }
}
