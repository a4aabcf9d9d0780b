import type { warnOfUnknown } from '../lib/warnOfUnknown.ts'
import type { Messages } from '../locales/en.ts'
import type { GetUsdc } from './screens/GetUsdc.tsx'
import type { NoWallet } from './screens/NoWallet.tsx'
import type { QrPanel } from './screens/QrPanel.tsx'

/** The screens for a payer who has no wallet in this browser, or no USDC. */
export type ByHand = {
  GetUsdc: typeof GetUsdc
  NoWallet: typeof NoWallet
  QrPanel: typeof QrPanel
  warnOfUnknown: typeof warnOfUnknown
  styles: string
  /** In English; none if they cannot be loaded. */
  messages: Partial<Messages> | null
}

export type LoadByHand = (baseUrl: string, signal: AbortSignal) => Promise<ByHand>

/**
 * Loads it when it is first drawn, since a payer with a wallet needs none of it. After a failure, the next drawing tries again.
 *
 * @param onLoaded draws again
 * @returns a function that returns it; `null` until it is loaded
 */
export function keepByHand(
  load: () => Promise<ByHand>,
  onLoaded: (loaded: ByHand) => void,
): () => ByHand | null {
  let loaded: ByHand | null = null
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
