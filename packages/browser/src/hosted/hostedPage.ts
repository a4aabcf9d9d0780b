import type { View } from '../view/view.ts'

/** What the checkout knows of the page that it is the whole of, and which cannot be closed. */
export type HostedPage = {
  /** `linkless`: it was opened without a link. `used`: with one that has been used or has expired. */
  readonly opened: 'opened' | 'linkless' | 'used'
  /** Where the shop wants its customer back; null: nowhere. */
  readonly returnUrl: string | null
  /** Whether the payer is about to be taken there by itself, unless it is `stay`ed. */
  readonly returns: boolean
  stay(): void
  /** Called after each drawing. */
  drawn(view: View): void
}
