import type { HostedPage } from './hosted/hostedPage.ts'
import type { Messages } from './locales/en.ts'
import { pickLanguage } from './locales/pickLanguage.ts'
import type { ModalOptions } from './modal.tsx'
import type { Checkout, CheckoutError, OpenServiceModalOptions } from './options.ts'
import { own } from './own.ts'
import { type Ask, post } from './post.ts'
import { mountShell, type Shell } from './shell/mountShell.ts'
import type { LoadQr } from './view/keepEncoder.ts'

type Opening = { clientSecret: string; checkout: Checkout; begin: () => void }

/** What can be shown meanwhile. */
export type Failed = readonly [shell: Shell, messages: Partial<Messages> | null]

type Modal = { mountModal: (options: ModalOptions, page?: HostedPage) => void }

/** What a build loads when the checkout opens, and when it first draws a QR code. */
export type Loaders = {
  /** Calls back when it fails, and resolves once it is loaded after all. */
  modal: (onFailed: () => Promise<Failed>) => Promise<Modal>
  qr: LoadQr
  messages: (language: string, baseUrl: string, signal: AbortSignal) => Promise<Partial<Messages>>
}

// Invariant: at most one checkout is open; this is it.
let open: Opening | null = null

/**
 * `openServiceModal`, with the loaders of a build.
 *
 * @param page set when the checkout is the whole page
 */
export function openWith(
  loaders: Loaders,
  given: OpenServiceModalOptions,
  page?: HostedPage,
): Checkout {
  const options = own(given)
  options.appearance = own(options.appearance)
  const baseUrl = validate(options)
  if (open?.clientSecret === options.clientSecret) return open.checkout
  const replaced = open
  const opening = prepare(loaders, options, { baseUrl, page })
  // Set before the old one closes: its onClose may open a third, which then replaces this one.
  open = opening
  replaced?.checkout.close()
  opening.begin()
  return opening.checkout
}

type Place = { baseUrl: string; page: HostedPage | undefined }

function prepare(
  loaders: Loaders,
  options: OpenServiceModalOptions,
  { baseUrl, page }: Place,
): Opening {
  const { clientSecret } = options
  const closing = new AbortController()
  const { signal } = closing
  let settle = () => {}
  const closed = new Promise<void>((resolve) => {
    settle = resolve
  })

  const once = <Value>(callback: ((value: Value) => void) | undefined) => {
    let next = callback
    return (value: Value) => {
      if (signal.aborted) return
      const call = next
      next = undefined
      attempt(() => call?.(value))
    }
  }

  const opening: Opening = { clientSecret, checkout: { close, closed }, begin }
  return opening

  function close() {
    if (signal.aborted) return
    if (open === opening) open = null
    // All parts of the modal clean up on this signal before `abort` returns.
    closing.abort()
    attempt(() => options.onClose?.())
    settle()
  }

  function begin() {
    if (signal.aborted) return
    const onError = once<CheckoutError>(options.onError)
    const onSuccess = once(options.onSuccess)
    const onPending = once(options.onPending)
    const ask = firstAsked(clientSecret, baseUrl, signal)
    const { language, tag } = pickLanguage(options.locale)
    // Without its messages, the checkout is in English.
    const messages =
      language === 'en' ? null : loaders.messages(language, baseUrl, signal).catch(() => null)
    // In this task, so that the next frame shows it.
    const shown = new Promise<Shell>((resolve) =>
      resolve(mountShell(own({ ...options, language, page, signal, close }))),
    )
    const modal = loaders.modal(() => {
      const message = 'The checkout could not be loaded.'
      onError({ code: 'network_error', message, recoverable: true })
      return Promise.all([shown, messages])
    })
    Promise.all([shown, modal, messages])
      .then(([shell, { mountModal }, messages]) => {
        // Their own properties alone, as of the options.
        const wallets = options.wallets?.map(own)
        const given = {
          ...{ ask, loadQr: loaders.qr, wallets, messages, tag, shell, signal, close },
          ...{ onSuccess, onPending, onError },
        }
        mountModal(own({ ...options, ...given }), page)
      })
      .catch((error) => {
        report(error)
        const message = `The checkout could not be shown: ${error}`
        onError({ code: 'internal_error', message, recoverable: false })
        close()
      })
  }
}

/** Sends the first request while the modal loads; the modal's first call, which is the same, gets its response. */
function firstAsked(client_secret: string, baseUrl: string, closing: AbortSignal): Ask {
  const early = new AbortController()
  const abort = () => early.abort()
  closing.addEventListener('abort', abort)
  let first: Promise<Response> | null = post(baseUrl, 'resolve', { client_secret }, early.signal)
  // The caller that takes the response handles the rejection.
  first.catch(() => {})
  return (operation, request, signal) => {
    const answer = first
    if (!answer) return post(baseUrl, operation, { client_secret, ...request }, signal)
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
  if (typeof reportError !== 'undefined') return reportError(error)
  setTimeout(() => {
    throw error
  })
}

function validate(options: OpenServiceModalOptions): string {
  if (typeof document === 'undefined') {
    throw new TypeError('Call openServiceModal in the browser, not on a server.')
  }
  for (const name of ['clientSecret', 'merchantName', 'baseUrl'] as const) {
    if (typeof options[name] !== 'string' || !options[name]) {
      throw new TypeError(`openServiceModal needs \`${name}\`, a string.`)
    }
  }
  return options.baseUrl.replace(/\/+$/, '')
}
