import type { Client, RefundSigner, RefundToSign } from '@payment-intents/node'
import type { OrderRefund } from '../db/refunds.ts'

type Hex = `0x${string}`

/**
 * Signs a refund of this shop that waits for it, for exactly the amount and destination that are recorded, and submits the
 * signature. Safe to repeat: the token takes a refund's nonce once from a wallet.
 *
 * @throws PaymentIntentsError when the payment API cannot be reached or refuses
 */
export async function signRefund(
  { client, signer }: { client: Client; signer: RefundSigner },
  recorded: Pick<OrderRefund, 'id' | 'order_id' | 'amount_units' | 'destination'>,
  options: { signal?: AbortSignal } = {},
): Promise<void> {
  const { id, order_id, amount_units, destination } = recorded
  const { typed_data, ...refund } = await client.refunds.retrieve(id, options)
  if (!typed_data || !destination) return
  // Somebody else's, who pays it another way, such as by the dashboard.
  if (refund.metadata.order_id !== order_id) return
  const { domain, types, primaryType, message } = typed_data
  // The buyer or the merchant has named another one since: its event is on the way.
  if (message.to !== destination || message.value !== String(amount_units)) return
  const authorization = { ...message, from: signer.address }
  const signature = await signer.signTypedData({
    domain: { ...domain, verifyingContract: domain.verifyingContract as Hex },
    types,
    primaryType,
    message: {
      from: signer.address,
      to: destination as Hex,
      value: BigInt(amount_units),
      validAfter: BigInt(message.validAfter),
      validBefore: BigInt(message.validBefore),
      nonce: message.nonce as Hex,
    },
  } satisfies RefundToSign)
  await client.refunds.authorize(id, { authorization, signature }, options)
}
