import { conflict } from '../http/httpError.ts'
import { checkActiveLinks, checkSettings } from './linkRules.ts'
import type { LinkSettings, PaymentLink } from './paymentLink.ts'
import type { LinkContext } from './store.ts'

/**
 * A link after a merchant's change.
 * @param change the fields that the request names; the others stay
 * @throws {HttpError} `invalid_body`, or `conflict` for fewer places than are used or too many active links
 */
export function changePaymentLink(
  link: PaymentLink,
  change: Partial<LinkSettings>,
  { now, ...context }: LinkContext & { readonly now: number },
): PaymentLink {
  checkSettings(change, context, now)
  if (change.active && !link.active) checkActiveLinks(context)
  const { maxPayments } = change
  if (typeof maxPayments === 'number' && maxPayments < link.paymentsCount) {
    const message = `It is paid ${link.paymentsCount} times already: max_payments cannot be less.`
    throw conflict('illegal_state', message)
  }
  return { ...link, ...change }
}
