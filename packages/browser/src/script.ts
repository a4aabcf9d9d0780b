import { warnOfAttributes } from './lib/warnOfUnknown.ts'
import { bundledLoaders } from './open/bundledLoaders.ts'
import { openWith } from './open/openWith.ts'
import { runningScript } from './open/runningScript.ts'
import type { Checkout, CheckoutTheme, OpenServiceModalOptions } from './options.ts'

// The script-tag build: defines one global; the service defaults to the script's origin.

type ScriptOptions = Omit<OpenServiceModalOptions, 'baseUrl'> & { baseUrl?: string }

const script = runningScript()
const origin =
  (script && data(script, 'base-url')) ?? (script?.src ? new URL(script.src).origin : '')

function openServiceModal(options: ScriptOptions): Checkout {
  return openWith(bundledLoaders, { baseUrl: origin, ...options })
}

/** Avoids `dataset`, which inherits from `Object.prototype`. */
function data(element: Element, name: string): string | undefined {
  return element.getAttribute(`data-${name}`) ?? undefined
}

const buttonAttributes = ['client-secret', 'merchant-name', 'theme', 'locale', 'logo'].map(
  (name) => `data-${name}`,
)

function openByButton(event: MouseEvent) {
  const { target } = event
  const button = target instanceof Element ? target.closest('[data-client-secret]') : null
  if (!button || event.defaultPrevented) return
  event.preventDefault()
  warnOfAttributes(button, buttonAttributes)
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
    appearance: { logo: data(button, 'logo') },
    onSuccess: dispatch('success'),
    onPending: dispatch('pending'),
    onError: dispatch('error'),
    onClose: dispatch('close'),
  })
}

if (script) warnOfAttributes(script, ['data-base-url', 'data-buttons'])
Object.assign(window, { PaymentIntents: { openServiceModal } })

// Opt-in, so that markup injected by others opens nothing.
if (script?.hasAttribute('data-buttons')) document.addEventListener('click', openByButton)
