import { notFound, notPaid } from '../http/httpError.ts'
import { presentReceipt } from '../payment-intents/present.ts'
import type { Handler } from '../service.ts'

export const retrieveReceipt: Handler<'retrieveReceipt'> = async ({ store }, { actor, id }) => {
  const found = await store.paymentIntents.findForCheckout(id)
  const { merchantId, mode } = found?.intent ?? {}
  if (!found || merchantId !== actor.merchantId || mode !== actor.mode) {
    throw notFound('payment intent')
  }
  const body = presentReceipt(found.intent, found)
  if (!body) throw notPaid()
  return { body }
}
