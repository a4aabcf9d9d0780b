import type { ResolvedPaymentLink } from '@payment-intents/contract'
import type { StatusContent } from '../view/content/statusContent.ts'
import type { View } from '../view/view.ts'
import type { pageMessages } from './pageMessages.ts'

/** The differences from a modal of a page that consists only of the checkout and cannot be closed. */
export type HostedPage = {
  readonly messages: typeof pageMessages
  /** The shop's return address; null: none; undefined: the service has not responded yet. */
  readonly returnUrl: string | null | undefined
  /** The actions of a screen at which the payment is over. */
  end(view: View): Partial<StatusContent>
  /** Replaces the text that the payment was not found. */
  missing(view: View): Partial<StatusContent>
  /** Called after each drawing. */
  drawn(view: View): void
  /** Called after each drawing of the step before the checkout, on the page of a payment link. */
  stepDrawn?(title: string, link: ResolvedPaymentLink | null, isReady: boolean): void
}
