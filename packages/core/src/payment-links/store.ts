import type { Page } from '../lib/presentPage.ts'
import type { Merchant } from '../payment-intents/creation/newIntent.ts'
import type { Intent } from '../payment-intents/intent.ts'
import type { EarlierCreation, IdempotentRequest, LinkPayer } from '../payment-intents/store.ts'
import type { Picture } from '../pictures/pictureOf.ts'
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

/** The facts that decide on a link. No other request activates a link of the merchant until the decision is written. */
export type LinkContext = {
  /** Active links of the merchant in the mode, counted up to the limit; 0 for a request that activates none. */
  readonly activeLinks: number
  /** Whether the merchant has registered the origin of the request's `return_url`. */
  readonly isReturnOrigin: boolean
}

/** Also the chains on which only other merchants have proven the merchant's wallet. */
export type LinkCreationContext = LinkContext & Pick<PaymentLink, 'outrankedChains'>

export type PaymentLinkCreation =
  /** `response` is JSON text. */
  { readonly type: 'created'; readonly response: string } | EarlierCreation

/** A link with the merchant's data that its payers see. */
export type PayersLink = {
  readonly link: PaymentLink
  readonly merchant: Merchant
  readonly merchantName: string
  /** The merchant's contact: a mail address or an https URL. */
  readonly support: string | null
  /** Whether the origin of `returnUrl` is still registered by the merchant. */
  readonly isReturnOrigin: boolean
}

/** A payment intent that a visitor created. */
export type VisitorPayment = Pick<
  Intent,
  'id' | 'chain' | 'chainId' | 'amount' | 'status' | 'expiresAt'
>

/** Intents of links that are open and not paid, counted up to the limits. */
export type OpenPayments = { readonly ofLink: number; readonly ofClient: number }

/** If `decide` throws an `HttpError`, the request is refused and nothing is written. */
export type PaymentLinkStore = {
  /** null also for another merchant's or mode's. */
  find(actor: Actor, id: string): Promise<PaymentLink | null>
  /** null also for a closed merchant. */
  findForPayer(id: string): Promise<PayersLink | null>
  /** The newest intent of a visitor of a link. */
  findPayment(id: string, visitor: string): Promise<VisitorPayment | null>
  /** Runs the work of one client address in sequence. Throws an `HttpError` if too much of it waits. */
  withClientLock<Result>(client: LinkPayer['client'], work: () => Promise<Result>): Promise<Result>
  countOpen(link: PaymentLink, client: LinkPayer['client']): Promise<OpenPayments>
  /** Newest first. */
  list(actor: Actor, filter: PaymentLinkFilter): Promise<Page<PaymentLink>>
  /** Calls `decide`, and writes the link with its idempotency key: both or nothing. */
  create(
    actor: Actor,
    request: {
      /** The origin of `return_url`; null: a page may not return there. */
      readonly origin: string | null
      readonly idempotency: IdempotentRequest | null
      readonly picture: Picture | null
    },
    decide: (context: LinkCreationContext) => {
      readonly link: PaymentLink
      /** JSON text, stored under the idempotency key. */
      readonly response: string
    },
  ): Promise<PaymentLinkCreation>
  /**
   * Locks a link, calls `decide`, and writes its result.
   * @returns null also for another merchant's or mode's
   */
  underLock(
    actor: Actor,
    request: {
      readonly id: string
      readonly origin: string | null
      readonly activates: boolean
      /** A new picture. A link without a picture afterwards loses its previous picture. */
      readonly picture: Picture | null
    },
    decide: (link: PaymentLink, context: LinkContext) => PaymentLink,
  ): Promise<PaymentLink | null>
}
