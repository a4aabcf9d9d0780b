import type { Checkout, OpenServiceModalOptions } from '../options.ts'
import { loadAgain } from './loadAgain.ts'
import { loadModal } from './loadModal.ts'
import { type Loaders, openWith } from './openWith.ts'
import { reloadModal } from './reloadModal.ts'

/**
 * Opens the checkout for one payment intent, as a modal over the page.
 *
 * While one is open, a second call with the same secret returns it, and a call with another
 * secret closes it first. Call it in a click handler. Importing it has no side effects.
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

/** The step of a payment link, over the parts of the modal. */
async function loadLink() {
  const step = import('../link/mountLink.tsx').catch(loadAgain)
  const { kit } = await loadModal()
  return { mountModal: (await step).mountLink(kit) }
}

const loaders: Loaders = {
  modal(options, onFailed) {
    const load = options.paymentLink ? loadLink : loadModal
    return load().catch(() => onFailed().then(reloadModal(load)))
  },
  byHand: () => import('../view/byHand.ts').catch(loadAgain),
  messages: (language) =>
    import('../locales/loadMessages.ts').then(({ loadMessages }) => loadMessages(language)),
}
