import {
  type AttachRefund,
  type AuthorizeRefund,
  type ConfirmRefund,
  type CreateRefund,
  endpoints,
  type ListedRefund,
  type ListRefunds,
  type Metadata,
  type Mode,
  type Refund,
  type UpdateRefund,
} from '@payment-intents/contract'
import type { CallOptions, ReadOptions } from '../options/clientOptions.ts'
import type { List } from '../requests/list.ts'
import { method } from '../requests/method.ts'
import type { Send } from '../requests/send.ts'
import { createSigned } from './createSigned.ts'
import type { RefundSigner } from './refundSigner.ts'
import { signExisting } from './signExisting.ts'

/** Options of a refund's creation. */
export type CreateRefundOptions = CallOptions & {
  /**
   * The wallet that pays the refund. Its key stays in it; it must be registered for the merchant. If it is missing or
   * undefined, the refund is created and waits for its signature.
   */
  signer?: RefundSigner | undefined
}

/** A refund to sign, from your records, a response or an event. The service must request exactly these terms. */
export type SignableRefund = Pick<ListedRefund, 'id' | 'amount_units' | 'destination'> &
  Partial<Pick<ListedRefund, 'payment_intent' | 'transfer' | 'chain' | 'mode' | 'refund_reference'>>

export type SignRefundOptions = ReadOptions & {
  /** The wallet that pays the refund. Its key stays in it; it must be registered for the merchant. */
  signer: RefundSigner
}

export type Refunds<M = Metadata> = {
  /**
   * Creates a refund: an amount to pay back. With a `signer`, also signs and submits it: the service pays the gas.
   * Retried safely at every step: one idempotency key creates one refund, and a signature is used once. If a step fails
   * after the creation, the error has the key of the creation, even if the client generated it: repeat the call with
   * this key.
   *
   * The client signs only what you pass: this amount, to this destination, in USDC. A refund without a destination is not
   * signed.
   *
   * @param params `amount_units` in units of 0.000001 USDC; required with a signer, else by default the refundable
   *   amount. Name a `payment_intent` or an unmatched `transfer`, and the `destination` that the payer gave you
   * @throws PaymentIntentsError `conflict` with reason `amount_exceeds_refundable` for more than was finally received,
   *   or `insufficient_token` and the like if the signer's wallet cannot pay; `wallet_invalid` for a destination that
   *   loses the money, or a signer that is not registered; `signer_failed` if the signer throws
   * @example
   * ```ts
   * import { createClient, type RefundSigner, toUnits } from '@payment-intents/node'
   *
   * // Such as an account of viem.
   * export async function refundReturn(signer: RefundSigner, destination: `0x${string}`) {
   *   const refund = await createClient().refunds.create(
   *     { payment_intent: 'pi_01', amount_units: toUnits('10.00'), destination },
   *     { signer, idempotencyKey: 'refund of return 1042' },
   *   )
   *   return refund.status // pending
   * }
   * ```
   */
  create(params: CreateRefund, options?: CreateRefundOptions): Promise<Refund<M>>

  /**
   * Retrieves a refund, with its `typed_data` while it waits for a signature.
   *
   * @throws PaymentIntentsError `not_found` when this merchant has no such refund in this mode
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function isRefunded(id: string): Promise<boolean> {
   *   return (await createClient().refunds.retrieve(id)).status === 'succeeded'
   * }
   * ```
   */
  retrieve(id: string, options?: ReadOptions): Promise<Refund<M>>

  /**
   * Lists refunds, newest first. Await it for the first page; iterate it for all items.
   *
   * @param params `limit` is the page size, 1 to 100, 10 by default; `amount_units` is in units of 0.000001 USDC
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * const client = createClient()
   * for await (const refund of client.refunds.list({ status: 'requires_signature' })) {
   *   console.log(refund.id, refund.amount_units)
   * }
   * ```
   */
  list(params?: ListRefunds, options?: ReadOptions): List<ListedRefund<M>>

  /**
   * Sets or replaces the destination of a refund that is not signed yet. Idempotent.
   *
   * @throws PaymentIntentsError `wallet_invalid`, or `conflict` with reason `refund_in_flight` once it is signed
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export function nameDestination(id: string, destination: `0x${string}`) {
   *   return createClient().refunds.update(id, { destination })
   * }
   * ```
   */
  update(id: string, params: UpdateRefund, options?: ReadOptions): Promise<Refund<M>>

  /**
   * Confirms the destination that a payer named without proof at `links.page`. Check it with the payer through another
   * channel first: anyone who has the link can name a destination. Idempotent.
   *
   * @param params the destination that you confirm
   * @throws PaymentIntentsError `conflict` with reason `illegal_state` if the payer has named another destination since
   * @example
   * ```ts
   * import { createClient, type ListedRefund } from '@payment-intents/node'
   *
   * export async function confirmed({ id, destination }: ListedRefund) {
   *   return destination && createClient().refunds.confirm(id, { destination })
   * }
   * ```
   */
  confirm(id: string, params: ConfirmRefund, options?: ReadOptions): Promise<Refund<M>>

  /**
   * Signs an existing refund, and submits the signature: a refund whose destination was named after its creation, or
   * whose signature expired before it was used. The service pays the gas. Safe to repeat: a signature is used once, and
   * a refund that is pending, paid or canceled is returned unchanged.
   *
   * The client signs only what you pass: this amount, to this destination, in USDC. Take the amount from your own
   * records: a compromised service could name any amount.
   *
   * @param refund with `id`, `amount_units` and `destination`, such as the object of a `refund.updated` event
   * @throws PaymentIntentsError `conflict` with reason `illegal_state` if the refund has another destination by now, or
   *   `insufficient_token` and the like if the signer's wallet cannot pay; `wallet_invalid` for a signer that is not
   *   registered; `invalid_response` if the service requests any other signature; `signer_failed` if the signer throws
   * @example
   * ```ts
   * import { createClient, type RefundSigner } from '@payment-intents/node'
   *
   * export async function signNow(id: string, amount_units: number, signer: RefundSigner) {
   *   const { refunds } = createClient()
   *   const { destination } = await refunds.retrieve(id)
   *   return destination && refunds.sign({ id, amount_units, destination }, { signer })
   * }
   * ```
   */
  sign(refund: SignableRefund, options: SignRefundOptions): Promise<Refund<M>>

  /**
   * Submits the `typed_data` of a refund, signed by a registered wallet of the merchant, as a dashboard does. A backend
   * uses `create` or `sign` with a `signer` instead. Idempotent.
   *
   * @throws PaymentIntentsError `conflict` with its reason if the wallet cannot pay or another wallet has signed;
   *   `wallet_invalid` if the wallet is not registered; `invalid_body` if something else was signed
   * @example
   * ```ts
   * import { type AuthorizeRefund, createClient } from '@payment-intents/node'
   *
   * export function submit(id: string, signed: AuthorizeRefund) {
   *   return createClient().refunds.authorize(id, signed)
   * }
   * ```
   */
  authorize(id: string, params: AuthorizeRefund, options?: ReadOptions): Promise<Refund<M>>

  /**
   * Attaches a transfer made elsewhere, by a Safe or an exchange, as the payment of a refund. Idempotent.
   *
   * @throws PaymentIntentsError `conflict` with reason `transaction_not_found` until it is in a block, `transfer_mismatch` if it
   *   holds no USDC transfer of exactly the amount to the destination, or `transfer_used` if another refund has it
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export function paidBySafe(id: string, tx_hash: `0x${string}`) {
   *   return createClient().refunds.attach(id, { tx_hash })
   * }
   * ```
   */
  attach(id: string, params: AttachRefund, options?: ReadOptions): Promise<Refund<M>>

  /**
   * Cancels a refund that nothing can pay any more. It does not revoke a signature that was never submitted. Idempotent.
   *
   * @throws PaymentIntentsError `conflict` with reason `refund_in_flight` while a signature may still pay it
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export function withdraw(id: string) {
   *   return createClient().refunds.cancel(id)
   * }
   * ```
   */
  cancel(id: string, options?: CallOptions): Promise<Refund<M>>
}

/** @param modeOfKey the mode of the API key; undefined for a key of an unknown format */
export function refunds(send: Send, modeOfKey: () => Mode | undefined): Refunds {
  const retrieve = method(send, endpoints.retrieveRefund)
  const authorize = method(send, endpoints.authorizeRefund)
  return {
    create: createSigned(send, { modeOfKey, retrieve, authorize }),
    retrieve,
    list: method(send, endpoints.listRefunds),
    update: method(send, endpoints.updateRefund),
    confirm: method(send, endpoints.confirmRefund),
    sign: signExisting({ modeOfKey, retrieve, authorize }),
    authorize,
    attach: method(send, endpoints.attachRefund),
    cancel: method(send, endpoints.cancelRefund),
  }
}
