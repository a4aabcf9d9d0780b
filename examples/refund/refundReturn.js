import { setTimeout as sleep } from 'node:timers/promises'
import { toUnits } from '@payment-intents/node'
import { privateKeyToAccount } from 'viem/accounts'

const signer = privateKeyToAccount(process.env.REFUND_KEY)

/** Refunds each return once, however often it is called. It signs here; the service broadcasts and pays the gas. */
export function refundReturn(refunds, { id, paymentIntent, amount, destination }) {
  return refunds.create(
    {
      payment_intent: paymentIntent,
      amount_units: toUnits(amount),
      destination, // Ask the buyer: the account that paid may belong to an exchange.
      reason: 'requested_by_customer',
      metadata: { return_id: id },
    },
    { signer, idempotencyKey: `refund of return ${id}` },
  )
}

/** Waits until the refund is paid or its signature expires. A backend uses the webhook `refund.succeeded` instead. */
export async function untilPaid(refunds, refund) {
  let current = refund
  while (current.status === 'pending') {
    await sleep(1_000)
    current = await refunds.retrieve(refund.id)
  }
  return current
}
