import { webhookHandler } from '@payment-intents/node/next'
import { markPaid } from '#lib/server/orders.ts'
import { PAYMENT_INTENTS_WEBHOOK_SECRET } from '$app/env/private'
import type { RequestHandler } from './$types'

// Any handler that takes a `Request` and returns a `Response`: the signature covers the body as it came.
const receive = webhookHandler(
  (event) => {
    if (event.type !== 'payment_intent.succeeded') return
    const order = markPaid(event.data.object)
    // The order's row is what is packed from; this line only shows that it happens once.
    if (order) console.log(`Ship the ${order.item} of ${order.id}`)
  },
  { secret: PAYMENT_INTENTS_WEBHOOK_SECRET },
)

export const POST: RequestHandler = ({ request }) => receive(request)
