import { notFoundError, notPaid } from '../http/httpError.ts'
import { presentReceipt } from '../payment-intents/present.ts'
import type { Handler } from '../service.ts'

export const retrieveReceipt: Handler<'retrieveReceipt'> = async ({ store }, { actor, id }) => {
  const checkoutIntent = await store.paymentIntents.findForCheckout(id)
  const { merchantId, mode } = checkoutIntent?.intent ?? {}
  if (!checkoutIntent || merchantId !== actor.merchantId || mode !== actor.mode) {
    throw notFoundError('payment intent')
  }
  const body = presentReceipt(checkoutIntent.intent, checkoutIntent)
  if (!body) throw notPaid()
  return { body }
}
