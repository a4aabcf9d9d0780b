import { notFoundError } from '../http/httpError.ts'
import type { Handler } from '../service.ts'
import { linksOf } from './links.ts'
import { presentInEvent, withLinks } from './present.ts'

export const retrievePaymentIntent: Handler<'retrievePaymentIntent'> = async (
  service,
  { actor, id },
) => {
  const intent = await service.store.paymentIntents.find(actor, id)
  if (!intent) throw notFoundError('payment intent')
  const links = linksOf(service, intent, service.secrets.currentKey())
  return { body: withLinks(presentInEvent(intent), links) }
}
