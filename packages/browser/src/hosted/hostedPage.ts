import type { View } from '../view/view.ts'

export type Back = {
  href: string
  /** After which time it leads there by itself, in milliseconds; null: only the payer does. */
  afterMs: number | null
}

/** What the checkout knows of the page that it is the whole of, and which cannot be closed. */
export type HostedPage = {
  /** `linkless`: it was opened without a link. `used`: with one that has been used or has expired. */
  readonly opened: 'opened' | 'linkless' | 'used'
  /** Where the shop wants its customer back; null: nowhere; undefined: the service has not said yet. */
  readonly returnUrl: string | null | undefined
  /** The way back to the shop from a screen at which the payment is over; null: there is none. */
  back(view: View): Back | null
  /** The payer is not led back by itself. */
  stay(): void
  /** Called after each drawing. */
  drawn(view: View): void
}
