import { notFoundError } from '../http/httpError.ts'
import type { Handler } from '../service.ts'
import { presentPaymentLink } from './presentPaymentLink.ts'

export const retrievePaymentLink: Handler<'retrievePaymentLink'> = async (
  { store, publicUrl },
  { actor, id },
) => {
  const link = await store.paymentLinks.find(actor, id)
  if (!link) throw notFoundError('payment link')
  return { body: presentPaymentLink(link, publicUrl) }
}
