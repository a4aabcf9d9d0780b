import type {
  Checkout,
  CheckoutErrorCode,
  CheckoutPayment,
  OpenServiceModalOptions,
} from '@payment-intents/browser'

/** A checkout without a dialog, which the test controls. */
export type FakeCheckout = Checkout & {
  /** As the page passed them. */
  readonly options: OpenServiceModalOptions
  readonly isOpen: boolean
  /** The payment was seen on chain: calls `onPending`. @throws Error when the checkout is closed */
  pend(payment?: Partial<CheckoutPayment>): void
  /** The payment is confirmed: calls `onSuccess`. The checkout stays open, as it does for a payer. @throws Error when it is closed */
  succeed(payment?: Partial<CheckoutPayment>): void
  /** A problem: calls `onError`. After a code that begins with `intent_` the payer cannot go on. @throws Error when it is closed */
  fail(code: CheckoutErrorCode): void
}

/** Opens a fake checkout. Like the real checkout, it calls each callback at most once, and `onClose` last. */
export function openFakeCheckout(
  options: OpenServiceModalOptions,
  checkouts: FakeCheckout[],
): FakeCheckout {
  validate(options)
  const previous = checkouts.findLast(({ isOpen }) => isOpen)
  if (previous && keyOf(previous.options) === keyOf(options)) return previous
  const checkout = createFakeCheckout(options)
  // The previous checkout calls `onClose`, which may open a third: the third replaces this checkout.
  checkouts.push(checkout)
  previous?.close()
  return checkout
}

function createFakeCheckout(options: OpenServiceModalOptions): FakeCheckout {
  const called = new Set<string>()
  let isOpen = true
  let resolveClosed = () => {}
  const closed = new Promise<void>((resolve) => {
    resolveClosed = resolve
  })

  function call<Name extends 'onPending' | 'onSuccess' | 'onError'>(
    name: Name,
    value: Parameters<NonNullable<OpenServiceModalOptions[Name]>>[0],
  ): void {
    if (!isOpen) throw new Error(`The checkout is closed: it can no longer call ${name}.`)
    if (called.has(name)) return
    called.add(name)
    const callback = options[name] as ((value: unknown) => void) | undefined
    callback?.(value)
  }

  return {
    options,
    closed,
    get isOpen() {
      return isOpen
    },
    pend: (payment) => call('onPending', { ...paymentOf(options), ...payment }),
    succeed: (payment) => call('onSuccess', { ...paymentOf(options), ...payment }),
    fail: (code) =>
      call('onError', {
        code,
        message: `The fake checkout failed with ${code}.`,
        recoverable: !code.startsWith('intent_'),
      }),
    close() {
      if (!isOpen) return
      isOpen = false
      options.onClose?.()
      resolveClosed()
    },
  }
}

/** The payment intent of the secret; a made-up intent for a payment link. */
function paymentOf({ clientSecret = 'pi_of_a_payment_link' }: OpenServiceModalOptions) {
  const [payment_intent_id = ''] = clientSecret.split('_secret_')
  return { payment_intent_id, tx_hash: `0x${'5a'.repeat(32)}` }
}

/** Two calls with the same key open the same checkout. The end of a link's URL is its id. */
function keyOf({ clientSecret, paymentLink }: OpenServiceModalOptions): string | undefined {
  return clientSecret ?? paymentLink?.split('/').pop()
}

function validate(options: OpenServiceModalOptions): void {
  if (!(globalThis as { document?: unknown }).document)
    throw new TypeError('openServiceModal needs a browser.')
  const { clientSecret, paymentLink, merchantName, baseUrl } = options
  const needed = {
    merchantName,
    baseUrl,
    'clientSecret` (pi_..._secret_...) or `paymentLink':
      (clientSecret && paymentLink) || /^sk_/.test(String(clientSecret))
        ? undefined
        : (clientSecret ?? paymentLink),
  }
  for (const [name, value] of Object.entries(needed)) {
    if (!value || typeof value !== 'string')
      throw new TypeError(`openServiceModal needs \`${name}\`, a string.`)
  }
}
