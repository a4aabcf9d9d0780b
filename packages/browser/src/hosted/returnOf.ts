import { overpaidBy } from '../lib/amount.ts'
import type { View } from '../view/view.ts'

export type Back = {
  href: string
  /** The time until the page goes there by itself, in milliseconds; null: only the payer follows the link. */
  afterMs: number | null
}

/** How long the payer can read the outcome of the payment before the page leads back. */
const paidMs = 8_000
const endedMs = 14_000

/**
 * The page's return link; its parameters are for display, never proof. The page follows it by itself only when nothing is left to do or to
 * read.
 */
export function returnOf({ page, state, shown }: View): Back | null {
  const { intent } = state
  if (!page?.returnUrl || !intent) return null
  const url = new URL(page.returnUrl)
  url.searchParams.set('payment_intent', intent.id)
  url.searchParams.set('redirect_status', intent.status)
  const isPlain = intent.near_misses.length === 0
  const afterMs =
    shown.name === 'paid' && !shown.isRequesting && overpaidBy(intent) === 0n
      ? paidMs
      : (shown.name === 'expired' || shown.name === 'canceled') &&
          shown.lastPayment === 'unknown' &&
          isPlain
        ? endedMs
        : null
  return { href: url.href, afterMs }
}
