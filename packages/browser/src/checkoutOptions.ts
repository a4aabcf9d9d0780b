/** A wallet's provider (EIP-1193): `window.ethereum`, or the provider of wagmi, AppKit, WalletConnect or Privy. */
export type EIP1193Provider = {
  request(args: { method: string; params?: readonly unknown[] | object }): Promise<unknown>
}

/** A wallet that the page provides; listed before the wallets found in the browser. */
export type WalletOption = {
  name: string
  /** A `data:` image. Others are not shown, so that opening the checkout loads nothing. */
  icon?: string
  provider: EIP1193Provider
}

/** Why a payment did not go through. The list is closed, so a `switch` over it can be exhaustive. */
export type CheckoutErrorCode =
  | 'user_rejected'
  | 'wallet_unauthorized'
  | 'method_unsupported'
  | 'wallet_disconnected'
  | 'wallet_not_found'
  | 'wrong_chain'
  | 'chain_add_failed'
  | 'request_pending'
  | 'insufficient_token'
  | 'insufficient_gas'
  | 'address_blocked'
  | 'token_paused'
  | 'tx_reverted'
  | 'tx_replaced'
  | 'tx_dropped'
  | 'duplicate_submission'
  | 'intent_expired'
  | 'intent_canceled'
  | 'intent_not_found'
  | 'network_error'
  | 'rate_limited'
  | 'internal_error'

export type CheckoutError = {
  code: CheckoutErrorCode
  /** For developers: the message shown to the payer, in English. */
  message: string
  /** Whether the payer can still pay in this checkout. */
  recoverable: boolean
}

export type CheckoutPayment = {
  payment_intent_id: string
  /** Hash of the transaction that paid. */
  tx_hash: string
}

export type CheckoutTheme = 'auto' | 'light' | 'dark'

/** A way to pay: with a wallet in this browser, or from elsewhere by a QR code, an amount and an address. */
export type CheckoutPaymentMethod = 'wallets' | 'qr'

/** A text that the page can replace: the names of the two payment methods, the heading once it is paid, and the button below it. */
export type CheckoutLabel = 'wallets' | 'qr' | 'paid' | 'done'

/** Settings that style sheets cannot express. Colours, font, radius and `z-index` are CSS custom properties. */
export type CheckoutAppearance = {
  /**
   * An `https:` or `data:image/` URL, shown before the merchant's name in place of its initial. An image that cannot be loaded is not
   * shown. A policy has to allow its origin in `img-src`.
   */
  logo?: string | undefined
  /** In the language of `locale`; shown as text. */
  labels?: { readonly [Label in CheckoutLabel]?: string | undefined } | undefined
}

/**
 * Each callback is called at most once per opening, `onClose` always and last. An exception from a callback is reported like any uncaught
 * error and changes nothing.
 */
export type OpenServiceModalOptions = CheckoutOptions & (OfIntent | OfLink)

type OfIntent = {
  /** `client_secret` of the payment intent, from your backend. */
  clientSecret: string
  paymentLink?: undefined
  merchant?: undefined
}

type OfLink = {
  /** A payment link in place of `clientSecret`: its id, or its URL. The payer chooses the values that the link leaves open. */
  paymentLink: string
  /** The merchant whose link it has to be, `mer_…`: any other is not found. */
  merchant?: string | undefined
  clientSecret?: undefined
}

type CheckoutOptions = {
  /** Your name as the payer knows it; shown below the name registered with the service if they differ. */
  merchantName: string
  /** Origin of the payment intent service, such as `https://pay.example.com`. */
  baseUrl: string
  /** The intent reached `succeeded`: a signal for this page, never proof. Fulfil from your backend. */
  onSuccess?: ((payment: CheckoutPayment) => void) | undefined
  /** The payment was seen on chain and is being confirmed. */
  onPending?: ((payment: CheckoutPayment) => void) | undefined
  onError?: ((error: CheckoutError) => void) | undefined
  onClose?: (() => void) | undefined
  wallets?: readonly WalletOption[] | undefined
  /** The ways to pay; the first opens. An omitted way is hidden unless it is the only way. */
  paymentMethods?: readonly CheckoutPaymentMethod[] | undefined
  appearance?: CheckoutAppearance | undefined
  /** Defaults to `auto`: the payer's system preference. */
  theme?: CheckoutTheme | undefined
  /** BCP 47 tag; defaults to the browser's. An unsupported language falls back to English. */
  locale?: string | undefined
  /** Parent of the modal's element; defaults to `document.body`. */
  container?: HTMLElement | undefined
  /** CSP nonce for the style element of browsers without constructed style sheets. */
  nonce?: string | undefined
}

export type Checkout = {
  /** Closes the modal. A payment that was sent goes on. Calling it again does nothing. */
  close(): void
  /** Resolves after `onClose`, once the modal is removed from the page. Never rejects. */
  closed: Promise<void>
}
