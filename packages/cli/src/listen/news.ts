import type { Event } from '@payment-intents/contract'

export type Signing = {
  readonly secret: string
  /** PAYMENT_INTENTS_WEBHOOK_SECRET in the command's environment: a handler is often started from the same shell. */
  readonly environment: 'unset' | 'same' | 'other'
}

/** The listener's reports. */
export type News =
  | {
      readonly kind: 'ready'
      readonly baseUrl: string
      /** The target of posted events, and their signing secret. */
      readonly forwarding: (Signing & { readonly to: string }) | undefined
    }
  | { readonly kind: 'event'; readonly event: Event }
  | {
      readonly kind: 'delivery'
      readonly event: Event
      /** From 1. */
      readonly attempt: number
      /** HTTP status of the response, if any. */
      readonly status: number | undefined
      /** Milliseconds until the response or the timeout. */
      readonly ms: number
      /** Why it failed and what to do; undefined if it succeeded. */
      readonly problem: string | undefined
      /** Milliseconds until the next attempt; undefined if there is none. */
      readonly retryMs: number | undefined
    }
  | { readonly kind: 'lost'; readonly message: string }
  | { readonly kind: 'regained' }
  /** `last`: the event to resume after, so that no undelivered event is missed. */
  | { readonly kind: 'stopped'; readonly last: string | undefined }
