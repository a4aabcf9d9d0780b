import type { Messages } from './locales/en.ts'
import { pickLanguage } from './locales/pickLanguage.ts'
import type { ModalOptions } from './modal.tsx'
import type { Checkout, CheckoutError, OpenServiceModalOptions } from './options.ts'
import { own } from './own.ts'
import { type Ask, post } from './post.ts'

type Opening = { clientSecret: string; checkout: Checkout }

/** What a build loads when the checkout opens. */
export type Loaders = {
  modal: () => Promise<{ mountModal: (options: ModalOptions) => void }>
  /** The languages of `messages`: all but English. */
  languages: readonly string[]
  messages: (language: string, baseUrl: string, signal: AbortSignal) => Promise<Partial<Messages>>
}

// Invariant: at most one checkout is open; this is it.
let open: Opening | null = null

/** `openServiceModal`, with the loaders of a build. */
export function openWith(loaders: Loaders, given: OpenServiceModalOptions): Checkout {
  const options = own(given)
  const baseUrl = validate(options)
  if (open?.clientSecret === options.clientSecret) return open.checkout
  const replaced = open
  const opening = begin(loaders, options, baseUrl)
  // Set before the old one closes: its onClose may open a third, which then replaces this one.
  open = opening
  replaced?.checkout.close()
  return opening.checkout
}

function begin(loaders: Loaders, options: OpenServiceModalOptions, baseUrl: string): Opening {
  const closing = new AbortController()
  const { signal } = closing
  const fired = new Set<string>()
  let settle = () => {}
  const closed = new Promise<void>((resolve) => {
    settle = resolve
  })

  const once = <Value>(name: string, callback: ((value: Value) => void) | undefined) => {
    return (value: Value) => {
      if (signal.aborted || fired.has(name)) return
      fired.add(name)
      attempt(() => callback?.(value))
    }
  }

  const opening: Opening = { clientSecret: options.clientSecret, checkout: { close, closed } }

  function close() {
    if (signal.aborted) return
    if (open === opening) open = null
    // All parts of the modal clean up on this signal before `abort` returns.
    closing.abort()
    attempt(() => options.onClose?.())
    settle()
  }

  const onError = once<CheckoutError>('error', options.onError)
  const onSuccess = once('success', options.onSuccess)
  const onPending = once('pending', options.onPending)
  const ask = firstAsked(options.clientSecret, baseUrl, signal)
  const { language, tag } = pickLanguage(loaders.languages, options.locale)
  // Without its messages, the checkout is in English.
  const messages =
    language === 'en' ? null : loaders.messages(language, baseUrl, signal).catch(() => null)
  Promise.all([loaders.modal(), messages])
    .then(
      ([{ mountModal }, messages]) =>
        mountModal(
          own({ ...options, ask, messages, tag, signal, close, onSuccess, onPending, onError }),
        ),
      () =>
        fail(
          'network_error',
          'The checkout could not be loaded. Reload the page and open it again.',
        ),
    )
    .catch((error) => {
      report(error)
      fail('internal_error', `The checkout could not be shown: ${error}`)
    })
  return opening

  function fail(code: CheckoutError['code'], message: string) {
    onError({ code, message, recoverable: false })
    close()
  }
}

/** Sends the first request while the modal loads; the modal's first call gets its response. */
function firstAsked(client_secret: string, baseUrl: string, closing: AbortSignal): Ask {
  const early = new AbortController()
  const abort = () => early.abort()
  closing.addEventListener('abort', abort)
  let first: Promise<Response> | null = post(baseUrl, { client_secret }, early.signal)
  // The caller that takes the response handles the rejection.
  first.catch(() => {})
  return (request, signal) => {
    const answer = first
    if (!answer) return post(baseUrl, { client_secret, ...request }, signal)
    first = null
    signal.addEventListener('abort', abort)
    return answer
  }
}

function attempt(callback: () => void) {
  try {
    callback()
  } catch (error) {
    report(error)
  }
}

/** Reports an error as an uncaught one. jsdom and old browsers have no `reportError`, which must not hide the error. */
function report(error: unknown) {
  if (typeof reportError === 'function') return reportError(error)
  setTimeout(() => {
    throw error
  })
}

function validate(options: OpenServiceModalOptions): string {
  if (typeof document === 'undefined') {
    throw new TypeError('Call openServiceModal in the browser, not on a server.')
  }
  for (const [name, example] of Object.entries(required)) {
    const value = options[name as keyof typeof required]
    if (typeof value !== 'string' || !value) {
      throw new TypeError(`openServiceModal needs \`${name}\`, such as '${example}'.`)
    }
  }
  return options.baseUrl.replace(/\/+$/, '')
}

const required = {
  clientSecret: 'pi_…_secret_…',
  merchantName: 'Kiosk',
  baseUrl: 'https://pay.example.com',
}
