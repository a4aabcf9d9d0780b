import { createClient } from '@payment-intents/node'
import { keepAttempt, type Order } from './orders.ts'

const client = createClient() // Reads PAYMENT_INTENTS_API_KEY and PAYMENT_INTENTS_BASE_URL.

/**
 * Creates one payment intent per attempt at an order, however often the buyer presses the button.
 *
 * @returns the secret with which the page opens the checkout
 */
export async function startPayment(order: Order): Promise<string> {
  const intent = await client.createPaymentIntent(
    { amount_units: order.amount_units, metadata: { order_id: order.id } },
    { idempotencyKey: `${order.id}-${order.attempt}` },
  )
  if (intent.ended_as === 'expired' || intent.ended_as === 'canceled') {
    return startPayment({ ...order, attempt: order.attempt + 1 })
  }
  // Save the intent before the page gets the secret: a payment is matched to its order by the id of the intent.
  keepAttempt(order.id, order.attempt, intent.id)
  return intent.client_secret
}
