import { randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { Client } from '@payment-intents/node'
import { insertOrder, type Order } from '../db/orders.ts'
import { formatUsdc } from '../formatUsdc.ts'
import type { Chain } from '../networks.ts'
import type { Product } from '../products.ts'

/**
 * Creates a payment intent for one product and stores the order with it. When it returns, the order is on disk. If it
 * fails, there is no order, and the intent, if any, expires unpaid.
 *
 * @throws PaymentIntentsError when the payment API cannot be reached or refuses
 */
export async function createOrder(
  deps: { client: Client; db: DatabaseSync },
  input: { product: Product; lane: 'sdk' | 'manual'; chain: Chain },
): Promise<Order> {
  const id = `ord_${randomBytes(10).toString('hex')}`
  const intent = await deps.client.createPaymentIntent(
    {
      amount_units: input.product.amountUnits,
      chain: input.chain,
      lane: input.lane,
      metadata: { order_id: id, line_items: [lineOf(input.product)] },
    },
    { idempotencyKey: id },
  )
  const order: Order = {
    id,
    product_id: input.product.id,
    amount_units: intent.amount_units,
    lane: intent.lane,
    payment_intent_id: intent.id,
    client_secret: intent.client_secret,
    mode: intent.mode,
    chain: intent.chain,
    status: intent.status,
    version: 0,
    tx_hash: null,
    expires_at: intent.expires_at,
    created_at: new Date().toISOString(),
    fulfilled_at: null,
  }
  insertOrder(deps.db, order)
  return order
}

/** The product's fields that the checkout shows. */
function lineOf({ name, amountUnits }: Product) {
  return { name, quantity: 1, amount: formatUsdc(amountUnits).replace(/[^\d.]/g, '') }
}
