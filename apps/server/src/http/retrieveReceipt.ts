import { notFound, notPaid, presentReceipt } from '@payment-intents/rules'
import type { FastifyInstance } from 'fastify'
import { findForCheckouts } from '../db/intents/paymentIntents.ts'
import type { HttpContext } from './context.ts'
import { serve } from './serve.ts'

export function retrieveReceiptRoute(app: FastifyInstance, context: HttpContext): void {
  serve(app, context, 'retrieveReceipt', async ({ actor, id }) => {
    const found = (await findForCheckouts(context.db.pool, [id])).get(id)
    const { merchantId, mode } = found?.intent ?? {}
    if (!found || merchantId !== actor.merchantId || mode !== actor.mode) {
      throw notFound('payment intent')
    }
    const receipt = presentReceipt(found.intent, found.merchantName)
    if (!receipt) throw notPaid()
    return receipt
  })
}
