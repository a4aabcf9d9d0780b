import type { ResolvedPaymentLink } from '@payment-intents/contract'
import type { StatusContent } from '../view/content/statusContent.ts'
import type { View } from '../view/view.ts'
import type { pageMessages } from './pageMessages.ts'

/** A page that consists of the checkout alone and cannot be closed: how it differs from a modal. */
export type HostedPage = {
  readonly messages: typeof pageMessages
  /** The shop's return address; null: none; undefined: the service has not responded yet. */
  readonly returnUrl: string | null | undefined
  /** The way on from a screen at which the payment is over. */
  end(view: View): Partial<StatusContent>
  /** Replaces the text that the payment was not found. */
  missing(view: View): Partial<StatusContent>
  /** Called after each drawing. */
  drawn(view: View): void
  /** The same of the step before the checkout, on the page of a payment link. */
  stepDrawn?(title: string, link: ResolvedPaymentLink | null, isReady: boolean): void
}
