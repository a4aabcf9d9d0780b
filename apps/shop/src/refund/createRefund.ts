import type { DatabaseSync } from 'node:sqlite'
import type { Client, RefundSigner } from '@payment-intents/node'
import type { Order } from '../db/orders.ts'
import { recordRefund } from '../db/refunds.ts'

export type RefundInput = {
  /**
   * The number among the order's refunds: 1 for the first. Each number creates one refund, even if it is sent often.
   */
  readonly number: number
  /** Units of 0.000001 USDC. */
  readonly amount_units: number
  /** Without it, the buyer names the destination at the refund's link. */
  readonly destination?: `0x${string}`
}

/**
 * Refunds an order. With a destination, the shop's wallet signs at once. If it fails after the service has created the
 * refund, its webhook records it and `signWaiting` signs it.
 *
 * @throws PaymentIntentsError when the payment API cannot be reached or refuses
 */
export async function createRefund(
  { client, db, signer }: { client: Client; db: DatabaseSync; signer: RefundSigner },
  order: Order,
  { number, amount_units, destination }: RefundInput,
): Promise<string> {
  const refund = await client.refunds.create(
    {
      payment_intent: order.payment_intent_id,
      amount_units,
      destination,
      reason: 'requested_by_customer',
      metadata: { order_id: order.id },
    },
    { signer, idempotencyKey: `refund ${number} of ${order.id}` },
  )
  recordRefund(db, order.id, refund, 0)
  return refund.id
}
