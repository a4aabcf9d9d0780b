import type { Page } from '../lib/page.ts'
import type { EarlierCreation, IdempotentRequest } from '../payment-intents/store.ts'
import type { Actor } from '../service.ts'
import type { PaymentLink } from './paymentLink.ts'

export type PaymentLinkFilter = {
  readonly limit: number
  /** The id to continue after. */
  readonly startingAfter: string | null
  /** null: both. */
  readonly active: boolean | null
  /** Unix milliseconds, inclusive. */
  readonly createdAfter: number | null
  /** Unix milliseconds, exclusive. */
  readonly createdBefore: number | null
}

/** What a link is decided on. No other request makes a link active until the decision is written. */
export type LinkSurroundings = {
  /** Active links of the merchant in the mode, as far as the limit; 0 for a request that activates none. */
  readonly activeLinks: number
  /** Whether the merchant has registered the origin of the request's `return_url`. */
  readonly isReturnOrigin: boolean
}

export type PaymentLinkCreation =
  /** `response` is JSON text. */
  { readonly type: 'created'; readonly response: string } | EarlierCreation

/** A `decide` refuses by throwing an `HttpError`: nothing is written then. */
export type PaymentLinkStore = {
  /** null also for another merchant's or mode's. */
  find(actor: Actor, id: string): Promise<PaymentLink | null>
  /** Newest first. */
  list(actor: Actor, filter: PaymentLinkFilter): Promise<Page<PaymentLink>>
  /** Has `decide` decide, and writes the link with its idempotency key: both or nothing. */
  create(
    actor: Actor,
    request: {
      /** Of `return_url`; null: it has none that a page may lead back to. */
      readonly origin: string | null
      readonly idempotency: IdempotentRequest | null
    },
    decide: (surroundings: LinkSurroundings) => {
      readonly link: PaymentLink
      /** JSON text, which is kept under the idempotency key. */
      readonly response: string
    },
  ): Promise<PaymentLinkCreation>
  /**
   * Locks a link, has `decide` decide, and writes what it returns.
   *
   * @returns null also for another merchant's or mode's
   */
  underLock(
    actor: Actor,
    request: {
      readonly id: string
      readonly origin: string | null
      readonly activates: boolean
    },
    decide: (link: PaymentLink, surroundings: LinkSurroundings) => PaymentLink,
  ): Promise<PaymentLink | null>
}
