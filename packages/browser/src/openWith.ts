import type { Checkout, CheckoutError, OpenServiceModalOptions } from './options.ts'

type Opening = { clientSecret: string; checkout: Checkout }

type LoadModal = () => Promise<Pick<typeof import('./modal.tsx'), 'mountModal'>>

// Invariant: at most one checkout is open; this is it.
let open: Opening | null = null

/** `openServiceModal`, with the modal loaded as the build at hand has it. */
export function openWith(loadModal: LoadModal, options: OpenServiceModalOptions): Checkout {
  const baseUrl = validate(options)
  if (open?.clientSecret === options.clientSecret) return open.checkout
  const replaced = open
  const opening = begin(loadModal, options, baseUrl)
  // Set before the old one closes: its onClose may open a third, which then replaces this one.
  open = opening
  replaced?.checkout.close()
  return opening.checkout
}

function begin(loadModal: LoadModal, options: OpenServiceModalOptions, baseUrl: string): Opening {
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
    // Everything the modal made listens to this signal and undoes itself before `abort` returns.
    closing.abort()
    attempt(() => options.onClose?.())
    settle()
  }

  const onError = once<CheckoutError>('error', options.onError)
  const onSuccess = once('success', options.onSuccess)
  const onPending = once('pending', options.onPending)
  loadModal()
    .then(
      ({ mountModal }) =>
        mountModal({ ...options, baseUrl, signal, close, onSuccess, onPending, onError }),
      () => {
        onError({
          code: 'network_error',
          message: 'The checkout could not be loaded. Open it again.',
          recoverable: false,
        })
        close()
      },
    )
    .catch((error) => {
      reportError(error)
      close()
    })
  return opening
}

function attempt(callback: () => void) {
  try {
    callback()
  } catch (error) {
    reportError(error)
  }
}

function validate(options: OpenServiceModalOptions): string {
  if (typeof document === 'undefined') {
    throw new TypeError('Call openServiceModal in the browser, not on a server.')
  }
  for (const [name, example] of Object.entries(required)) {
    const value = options?.[name as keyof typeof required]
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
