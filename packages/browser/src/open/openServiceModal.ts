import type { Checkout, OpenServiceModalOptions } from '../checkoutOptions.ts'
import { loadModal } from './loadModal.ts'
import { type Loaders, openWith } from './openWith.ts'
import { reloadModal } from './reloadModal.ts'
import { retryImport } from './retryImport.ts'

/**
 * Opens the checkout for one payment intent, as a modal over the page.
 *
 * While a checkout is open, a second call with the same secret returns that checkout, and a call with another
 * secret closes it first. Call this function in a click handler. The import has no side effects.
 *
 * @throws TypeError when `clientSecret`, `merchantName` or `baseUrl` is missing, or outside a browser.
 *
 * @example
 * ```ts
 * import { openServiceModal } from '@payment-intents/browser'
 *
 * const checkout = openServiceModal({
 *   clientSecret: 'pi_…_secret_…',
 *   merchantName: 'Kiosk',
 *   baseUrl: 'https://pay.example.com',
 *   onSuccess: ({ payment_intent_id }) => location.assign(`/thanks/${payment_intent_id}`),
 * })
 * await checkout.closed
 * ```
 */
export function openServiceModal(options: OpenServiceModalOptions): Checkout {
  return openWith(loaders, options)
}

const loaders: Loaders = {
  modal: (onFailed) => loadModal().catch(() => onFailed().then(reloadModal)),
  retryImport,
  messages: (language) =>
    import('../locales/loadMessages.ts').then(({ loadMessages }) => loadMessages(language)),
}
