import type { Checkout, CheckoutTheme, OpenServiceModalOptions } from './checkoutOptions.ts'
import { warnOfAttributes } from './lib/warnOfUnknown.ts'
import { loadLinkFile } from './link/loadLinkFile.ts'
import { bundledLoaders } from './open/bundledLoaders.ts'
import { type Loaders, openWith } from './open/openWith.ts'
import { runningScript } from './open/runningScript.ts'

// The script-tag build: defines one global; the service defaults to the script's origin.

const script = runningScript()
const origin =
  (script && data(script, 'base-url')) ?? (script?.src ? new URL(script.src).origin : '')
const merchant = script ? data(script, 'merchant') : undefined
let isWarned = false

const loaders: Loaders = {
  ...bundledLoaders,
  link: ({ baseUrl, nonce }) =>
    loadLinkFile(script?.src.replace(/[^/]*$/, 'link.js') || `${baseUrl}/v1/link.js`, nonce),
}

function openServiceModal(options: object): Checkout {
  return openWith(loaders, { baseUrl: origin, ...options } as OpenServiceModalOptions)
}

/** Avoids `dataset`, which inherits from `Object.prototype`. */
function data(element: Element, name: string): string | undefined {
  return element.getAttribute(`data-${name}`) ?? undefined
}

const buttonAttributes = [
  'client-secret',
  'payment-link',
  'merchant-name',
  'theme',
  'locale',
  'logo',
].map((name) => `data-${name}`)

function openByButton(event: MouseEvent) {
  const { target } = event
  const button =
    target instanceof Element ? target.closest('[data-client-secret],[data-payment-link]') : null
  if (!button || event.defaultPrevented) return
  const paymentLink = data(button, 'payment-link')
  // Markup injected by others could open a link of theirs.
  if (paymentLink !== undefined && !merchant) {
    if (!isWarned)
      console.warn('Payment Intents: `data-payment-link` needs `data-merchant` on the script tag.')
    isWarned = true
    return
  }
  event.preventDefault()
  warnOfAttributes(button, buttonAttributes)
  const dispatch = (name: string) => (detail?: unknown) => {
    button.dispatchEvent(
      new CustomEvent(`payment-intents:${name}`, { bubbles: true, detail: detail ?? null }),
    )
  }
  openServiceModal({
    ...(paymentLink === undefined
      ? { clientSecret: data(button, 'client-secret') }
      : { paymentLink, merchant }),
    merchantName: data(button, 'merchant-name') ?? document.title,
    theme: data(button, 'theme') as CheckoutTheme | undefined,
    locale: data(button, 'locale'),
    appearance: { logo: data(button, 'logo') },
    onSuccess: dispatch('success'),
    onPending: dispatch('pending'),
    onError: dispatch('error'),
    onClose: dispatch('close'),
  })
}

if (script) warnOfAttributes(script, ['data-base-url', 'data-buttons', 'data-merchant'])
Object.assign(window, { PaymentIntents: { openServiceModal } })

// Opt-in, so that markup injected by others opens nothing.
if (script?.hasAttribute('data-buttons')) document.addEventListener('click', openByButton)
