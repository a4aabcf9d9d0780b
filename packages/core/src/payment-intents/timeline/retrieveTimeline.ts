import { notFoundError } from '../../http/httpError.ts'
import type { Handler } from '../../service.ts'
import { timelineOf } from './timelineOf.ts'

export const retrieveTimeline: Handler<'retrieveTimeline'> = async ({ store }, { actor, id }) => {
  const intent = await store.paymentIntents.find(actor, id)
  if (!intent) throw notFoundError('payment intent')
  const records = await store.paymentIntents.readTimeline(id)
  return { body: JSON.stringify(timelineOf(intent, records)) }
}
