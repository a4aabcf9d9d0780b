/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="dom.asynciterable" />

// These run in the page, without anything outside of a function.

export type Opening = { readonly clientSecret: string; readonly baseUrl: string }

/** Milliseconds from the navigation until the page and its scripts were loaded. */
export function loadedMs(): number {
  const [navigation] = performance.getEntriesByType('navigation')
  return (navigation as PerformanceNavigationTiming).loadEventStart
}

/**
 * Opens the checkout, and returns the milliseconds from the call to the end of the first frame with its dialog, and to the
 * first with a wallet to press or a QR code to scan. The page brings the wallet, which never gets a request.
 */
export async function openInPage({
  clientSecret,
  baseUrl,
}: Opening): Promise<{ shown: number; open: number }> {
  type Shop = { PaymentIntents: { openServiceModal(options: object): unknown } }
  const { PaymentIntents } = window as unknown as Shop
  const provider = { request: () => new Promise(() => {}) }
  const wallets = [{ name: 'Wallet', provider }]
  const visibility = { opacityProperty: true, visibilityProperty: true }
  const isUsable = () =>
    [...document.body.children].some(({ shadowRoot }) => {
      const choices = shadowRoot?.querySelectorAll('[part~=wallet]:enabled, .qr svg') ?? []
      return [...choices].some((choice) => choice.checkVisibility(visibility))
    })
  const started = performance.now()
  PaymentIntents.openServiceModal({ clientSecret, baseUrl, merchantName: 'Kiosk', wallets })
  const isShown = () =>
    [...document.body.children].some(({ shadowRoot }) => shadowRoot?.querySelector('dialog[open]'))
  let shown = 0
  while (!isUsable()) {
    if (!shown && isShown()) {
      // A task after the frame's callbacks runs when the frame was drawn.
      await new Promise(requestAnimationFrame)
      await new Promise((drawn) => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = drawn
        port2.postMessage(null)
      })
      shown = performance.now() - started
    }
    if (performance.now() - started > 60_000)
      throw new Error('A minute on, there is no way to pay.')
    await new Promise(requestAnimationFrame)
  }
  return { shown, open: performance.now() - started }
}
