import type { Checkout, CheckoutError, OpenServiceModalOptions } from '../checkoutOptions.ts'
import type { HostedPage } from '../hosted/hostedPage.ts'
import { withoutPrototype } from '../lib/withoutPrototype.ts'
import type { SharedParts } from '../link/sharedParts.ts'
import type { Messages } from '../locales/en.ts'
import { languages, pickLanguage } from '../locales/pickLanguage.ts'
import type { ModalParts } from '../modal.tsx'
import { post, type ServiceTransport } from '../service/post.ts'
import { mountShell, type Shell } from '../shell/mountShell.ts'
import type { LoadManualParts } from '../view/lazyManualParts.ts'
import type { retryImport } from './retryImport.ts'

/** After this time, the checkout opens in English, even if a part of the messages has arrived. */
export const messagesTimeoutMs = 3000

/** `key`: the client secret, or the id of the link. */
type Opening = { key: string; checkout: Checkout; begin: () => void }

/** The shell and the messages that can be shown meanwhile. */
export type Failed = readonly [shell: Shell, messages: Partial<Messages> | null]

export type Mount = (
  options: OpenServiceModalOptions,
  parts: ModalParts,
  page?: HostedPage,
) => unknown
type Modal = { mountModal: Mount }
type LinkStep = { mountLink: (sharedParts: SharedParts) => Mount }

/**
 * Loads a build's parts: when the checkout opens, and for a payer without a wallet in this browser. If the modal is a separate file, that
 * file has the loaders of its later parts.
 */
export type Loaders = {
  /** Calls back when loading fails, and resolves once a later try succeeds. */
  modal: (onFailed: () => Promise<Failed>) => Promise<Modal>
  /** The step of a payment link; the page of one payment has none. */
  link?: (options: OpenServiceModalOptions) => Promise<LinkStep>
  manualParts?: LoadManualParts
  /** Loads a file again whose import has failed with this error. */
  retryImport?: (error: Error) => ReturnType<typeof retryImport>
  messages: (
    language: string,
    baseUrl: string,
    signal: AbortSignal,
  ) => Promise<Partial<Messages> | null>
}

// Invariant: no other checkout is open.
let open: Opening | null = null

/**
 * `openServiceModal`, with the loaders of a build.
 *
 * @param page set when the checkout is the whole page
 */
export function openWith(
  loaders: Loaders,
  passedOptions: OpenServiceModalOptions,
  page?: HostedPage,
): Checkout {
  const options = withoutPrototype(passedOptions)
  options.appearance = withoutPrototype(options.appearance)
  options.baseUrl = validate(options)
  // The end of a link's address is its id.
  const key = (options.clientSecret ?? options.paymentLink.split('/').pop()) as string
  if (open?.key === key) return open.checkout
  const replaced = open
  const opening = prepare(loaders, options, key, page)
  // Set before the old checkout closes: its onClose may open a third, which then replaces this checkout.
  open = opening
  replaced?.checkout.close()
  opening.begin()
  return opening.checkout
}

function prepare(
  loaders: Loaders,
  options: OpenServiceModalOptions,
  key: string,
  page: HostedPage | undefined,
): Opening {
  const { clientSecret, baseUrl } = options
  const closing = new AbortController()
  const { signal } = closing
  // Code that awaits `closed` runs after `close` has returned.
  const closed = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve())
  })

  function once<Value>(callback: ((value: Value) => void) | undefined) {
    let next = callback
    return (value: Value) => {
      const call = next
      next = undefined
      if (!signal.aborted) attempt(() => call?.(value))
    }
  }

  function callbacks() {
    return {
      onSuccess: once(options.onSuccess),
      onPending: once(options.onPending),
      onError: once<CheckoutError>(options.onError),
    }
  }

  const opening: Opening = { key, checkout: { close, closed }, begin }
  return opening

  function close() {
    if (signal.aborted) return
    if (open === opening) open = null
    // All parts of the modal clean up on this signal before `abort` returns.
    closing.abort()
    attempt(() => options.onClose?.())
  }

  /** Sends the first request while the modal loads; the modal's first call is the same, and gets this request's response. */
  function preloadTransport(secret: { client_secret: string }): ServiceTransport {
    const early = new AbortController()
    const abort = () => early.abort()
    signal.addEventListener('abort', abort)
    let first: Promise<Response> | null = post(baseUrl, 'resolve', secret, early.signal)
    // The caller that takes the response handles the rejection.
    first.catch(() => {})
    return (operation, request, until) => {
      const response = first
      if (!response) return post(baseUrl, operation, { ...secret, ...request }, until)
      first = null
      until.addEventListener('abort', abort)
      return response
    }
  }

  function begin() {
    if (signal.aborted) return
    const first = callbacks()
    const serviceTransport = clientSecret && preloadTransport({ client_secret: clientSecret })
    const [language, tag] = pickLanguage(options.locale)
    // If its messages fail to load, the checkout is in English.
    const messages =
      language === 'en'
        ? null
        : new Promise<Partial<Messages> | null>((resolve) => {
            const timer = setTimeout(resolve, messagesTimeoutMs, null)
            signal.addEventListener('abort', () => clearTimeout(timer))
            loaders.messages(language, baseUrl, signal).then(resolve, () => resolve(null))
          })
    const ready: Promise<Failed> = Promise.all([
      // In this task, so that the next frame shows the shell.
      new Promise<Shell>((resolve) =>
        resolve(mountShell(withoutPrototype({ ...options, language, page, signal, close }))),
      ),
      messages,
    ])
    const modal = loaders.modal(() => {
      const message = 'The checkout could not be loaded.'
      first.onError({ code: 'network_error', message, recoverable: true })
      return ready
    })
    Promise.all([ready, modal])
      .then(([[shell, messages], { mountModal }]) => {
        options.wallets = options.wallets?.map(withoutPrototype)
        return mountModal(
          options,
          {
            ...first,
            ...{
              serviceTransport,
              loaders,
              languages,
              messages,
              tag,
              shell,
              signal,
              close,
              callbacks,
            },
          } as ModalParts,
          page,
        )
      })
      .catch((error) => {
        // Log the stack; an uncaught error would count as the page's own.
        console.error(error)
        first.onError({
          code: 'internal_error',
          message: `The checkout could not be shown: ${error}`,
          recoverable: false,
        })
        close()
      })
  }
}

/** Calls the page: one of its errors is reported like any uncaught error, and changes nothing. */
function attempt(callback: () => void): void {
  try {
    callback()
  } catch (error) {
    // jsdom and old browsers have no `reportError`, which must not hide the error.
    if (typeof reportError !== 'undefined') reportError(error)
    else {
      setTimeout(() => {
        throw error
      })
    }
  }
}

/** Returns the base URL without a slash at its end. */
function validate(options: OpenServiceModalOptions): string {
  if (typeof document === 'undefined') {
    throw new TypeError('openServiceModal needs a browser.')
  }
  const { clientSecret, paymentLink, merchantName, baseUrl } = options
  const needed = {
    __proto__: null,
    merchantName,
    baseUrl,
    'clientSecret` (pi_..._secret_...) or `paymentLink':
      (clientSecret && paymentLink) || /^sk_/.test(clientSecret as string)
        ? 0
        : (clientSecret ?? paymentLink),
  } as object as Record<string, unknown>
  for (const name in needed) {
    if (typeof needed[name] !== 'string' || !needed[name]) {
      throw new TypeError(`openServiceModal needs \`${name}\`, a string.`)
    }
  }
  return baseUrl.replace(/\/+$/, '')
}
