import { webhookHandler } from '@payment-intents/node/next'
import { markPaid } from '../../lib/orders'

export const POST = webhookHandler((event) => {
  if (event.type !== 'payment_intent.succeeded') return
  const order = markPaid(event.data.object)
  // Ship from the order's row; this line only shows that it happens once.
  if (order) console.log(`Ship the ${order.item} of ${order.id}`)
})
