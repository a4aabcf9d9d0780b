import { webhookHandler } from '@payment-intents/node/next'
import { markPaid } from '#lib/server/orders.ts'
import { PAYMENT_INTENTS_WEBHOOK_SECRET } from '$app/env/private'
import type { RequestHandler } from './$types'

// Takes a `Request`, whose body must be unread: the signature covers the raw body.
const receive = webhookHandler(
  (event) => {
    if (event.type !== 'payment_intent.succeeded') return
    const order = markPaid(event.data.object)
    // Ship from the order's row; this line only shows that it happens once.
    if (order) console.log(`Ship the ${order.item} of ${order.id}`)
  },
  { secret: PAYMENT_INTENTS_WEBHOOK_SECRET },
)

export const POST: RequestHandler = ({ request }) => receive(request)
