import type { ResolvedPaymentLink } from '@payment-intents/contract'
import type { StatusContent } from '../view/content/statusContent.ts'
import type { View } from '../view/view.ts'
import type { pageMessages } from './pageMessages.ts'

/** The page that the checkout is the whole of, and which cannot be closed: what it shows otherwise than a modal. */
export type HostedPage = {
  readonly messages: typeof pageMessages
  /** Where the shop wants its customer back; null: nowhere; undefined: the service has not said yet. */
  readonly returnUrl: string | null | undefined
  /** The way on from a screen at which the payment is over. */
  end(view: View): Partial<StatusContent>
  /** What is said instead of that the payment was not found. */
  missing(view: View): Partial<StatusContent>
  /** Called after each drawing. */
  drawn(view: View): void
  /** The same of the step before the checkout, on the page of a payment link. */
  stepDrawn?(title: string, link: ResolvedPaymentLink | null, isReady: boolean): void
}
