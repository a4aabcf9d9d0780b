import type { Client, RefundSigner, SignableRefund } from '@payment-intents/node'
import type { OrderRefund } from '../db/refunds.ts'

/**
 * Signs a refund of this shop that waits for a signature, for exactly the recorded amount and destination. Safe to
 * repeat.
 * @throws PaymentIntentsError when the payment API cannot be reached or refuses
 */
export async function signRefund(
  { client, signer }: { client: Client; signer: RefundSigner },
  recorded: Pick<OrderRefund, 'id' | 'amount_units' | 'destination'>,
  options: { signal?: AbortSignal } = {},
): Promise<void> {
  const { id, amount_units, destination } = recorded
  if (!destination) return
  const refund: SignableRefund = { id, amount_units, destination }
  await client.refunds.sign(refund, { ...options, signer })
}
