import { mountModal } from './modal.tsx'
import { openWith } from './openWith.ts'
import type { Checkout, CheckoutTheme, OpenServiceModalOptions } from './options.ts'

// The script-tag build. Its one global, and the origin that it came from as the default service.

type ScriptOptions = Omit<OpenServiceModalOptions, 'baseUrl'> & { baseUrl?: string }

// Only known while the script runs for the first time.
const script = document.currentScript as HTMLScriptElement | null
const origin = script?.dataset.baseUrl ?? (script?.src ? new URL(script.src).origin : '')

function openServiceModal(options: ScriptOptions): Checkout {
  return openWith(async () => ({ mountModal }), { baseUrl: origin, ...options })
}

document.addEventListener('click', (event) => {
  const { target } = event
  const button =
    target instanceof Element ? target.closest<HTMLElement>('[data-client-secret]') : null
  if (!button || event.defaultPrevented) return
  event.preventDefault()
  const { clientSecret = '', merchantName = document.title, theme, locale } = button.dataset
  const tell = (name: string) => (detail?: unknown) => {
    button.dispatchEvent(
      new CustomEvent(`payment-intents:${name}`, { bubbles: true, detail: detail ?? null }),
    )
  }
  openServiceModal({
    clientSecret,
    merchantName,
    theme: theme as CheckoutTheme | undefined,
    locale,
    onSuccess: tell('success'),
    onPending: tell('pending'),
    onError: tell('error'),
    onClose: tell('close'),
  })
})

Object.assign(window, { PaymentIntents: { openServiceModal } })
