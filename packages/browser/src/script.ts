import type { Messages } from './locales/en.ts'
import { mountModal } from './modal.tsx'
import { type Loaders, openWith } from './openWith.ts'
import type { Checkout, CheckoutTheme, OpenServiceModalOptions } from './options.ts'
import { runningScript } from './runningScript.ts'
import { sleep } from './sleep.ts'

// The script-tag build: defines one global; the service defaults to the script's origin.

type ScriptOptions = Omit<OpenServiceModalOptions, 'baseUrl'> & { baseUrl?: string }

const script = runningScript()
const origin =
  (script && data(script, 'base-url')) ?? (script?.src ? new URL(script.src).origin : '')

/** After this the checkout opens in English. */
const messagesTimeoutMs = 3000

const loaders: Loaders = {
  modal: async () => ({ mountModal }),
  // Messages are data: a page that pins the script's hash runs no other code.
  async messages(language, baseUrl, signal) {
    const asked = fetch(`${baseUrl}/v1/locales/${language}.json`, {
      referrerPolicy: 'no-referrer',
      signal,
    })
    const response = await Promise.race([asked, sleep(messagesTimeoutMs, signal)])
    if (!response?.ok) throw new Error(language)
    return (await response.json()) as Partial<Messages>
  },
}

function openServiceModal(options: ScriptOptions): Checkout {
  return openWith(loaders, { baseUrl: origin, ...options })
}

/** Avoids `dataset`, which inherits from `Object.prototype`. */
function data(element: Element, name: string): string | undefined {
  return element.getAttribute(`data-${name}`) ?? undefined
}

function openByButton(event: MouseEvent) {
  const { target } = event
  const button = target instanceof Element ? target.closest('[data-client-secret]') : null
  if (!button || event.defaultPrevented) return
  event.preventDefault()
  const dispatch = (name: string) => (detail?: unknown) => {
    button.dispatchEvent(
      new CustomEvent(`payment-intents:${name}`, { bubbles: true, detail: detail ?? null }),
    )
  }
  openServiceModal({
    clientSecret: data(button, 'client-secret') ?? '',
    merchantName: data(button, 'merchant-name') ?? document.title,
    theme: data(button, 'theme') as CheckoutTheme | undefined,
    locale: data(button, 'locale'),
    onSuccess: dispatch('success'),
    onPending: dispatch('pending'),
    onError: dispatch('error'),
    onClose: dispatch('close'),
  })
}

/** Opens the checkout as the whole page. The client secret is in the fragment, which is removed at once. */
function openPage() {
  const clientSecret = location.hash.slice(1)
  const page = clientSecret ? 'opened' : 'linkless'
  if (clientSecret) history.replaceState(null, '', location.pathname + location.search)
  const asked = new URLSearchParams(location.search)
  const options = {
    clientSecret: clientSecret || '-',
    // The service names the merchant.
    merchantName: '-',
    baseUrl: origin,
    theme: (asked.get('theme') ?? undefined) as CheckoutTheme | undefined,
    locale: asked.get('locale') ?? undefined,
  }
  openWith(loaders, options, page)
}

Object.assign(window, { PaymentIntents: { openServiceModal } })

// Opt-in, so that markup injected by others opens nothing.
if (script?.hasAttribute('data-buttons')) document.addEventListener('click', openByButton)

if (script?.hasAttribute('data-page')) {
  openPage()
  window.addEventListener('hashchange', () => location.hash && openPage())
}
