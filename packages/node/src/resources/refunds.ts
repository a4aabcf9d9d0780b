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
import type { CallOptions, ReadOptions } from '../options/options.ts'
import type { List } from '../requests/list.ts'
import { method } from '../requests/method.ts'
import type { Send } from '../requests/send.ts'
import { createSigned } from './createSigned.ts'
import type { RefundSigner } from './refundSigner.ts'
import { signExisting } from './signExisting.ts'

/** Options of a refund's creation. */
export type CreateRefundOptions = CallOptions & {
  /**
   * The wallet that pays the refund. Its key stays in it; it must be registered for the merchant. Without one, also if it is
   * undefined, the refund is created and waits for its signature.
   */
  signer?: RefundSigner | undefined
}

/** A refund to be signed, as you keep, retrieved or received it: what you pass has to be what the service asks to sign. */
export type SignableRefund = Pick<ListedRefund, 'id' | 'amount_units' | 'destination'> &
  Partial<Pick<ListedRefund, 'payment_intent' | 'transfer' | 'chain' | 'mode' | 'refund_reference'>>

export type SignRefundOptions = ReadOptions & {
  /** The wallet that pays the refund. Its key stays in it; it must be registered for the merchant. */
  signer: RefundSigner
}

export type Refunds<M = Metadata> = {
  /**
   * Creates a refund: an amount that is to be paid back. With a `signer`, also signs and submits it: the service pays the gas.
   * Retried safely at every step: one idempotency key makes one refund, and a signature is used once. If a step fails after the
   * creation, the error has the key of the creation, also where the client generated it: repeat the call with it.
   *
   * The client signs only what you pass: this amount, to this destination, in USDC. A refund without a destination is not
   * signed.
   *
   * @param params `amount_units` in units of 0.000001 USDC; required with a signer, else by default all that is refundable. Name
   *   a `payment_intent` or an unmatched `transfer`, and the `destination` that the payer gave you
   * @throws PaymentIntentsError `conflict` with reason `amount_exceeds_refundable` for more than was received for good,
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
   * Retrieves a refund, with what is to be signed while it waits for that.
   *
   * @throws PaymentIntentsError `not_found` when this merchant has none with this id in this mode
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
   * Lists refunds, newest first: awaited, the first page; iterated, all of them.
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
   * Names the destination of a refund that is not signed yet, or another one. Idempotent.
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
   * Confirms the destination that a payer named without proof at `links.page`. Ask the payer by another way first: whoever has the
   * link can name one. Idempotent.
   *
   * @param params the destination that you confirm
   * @throws PaymentIntentsError `conflict` with reason `illegal_state` if the payer has named another one since
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
   * Signs a refund that exists, and submits the signature: one whose destination was named after its creation, or whose signature
   * was over before it was used. The service pays the gas. Safe to repeat: a signature is used once, and a refund that is
   * pending, paid or canceled is returned as it is.
   *
   * The client signs only what you pass: this amount, to this destination, in USDC. Take the amount from your own records, since a
   * service in wrong hands could name any.
   *
   * @param refund with `id`, `amount_units` and `destination`, such as the object of a `refund.updated` event
   * @throws PaymentIntentsError `conflict` with reason `illegal_state` if the refund has another destination by now, or
   *   `insufficient_token` and the like if the signer's wallet cannot pay; `wallet_invalid` for a signer that is not registered;
   *   `invalid_response` if the service asks to sign anything else; `signer_failed` if the signer throws
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
   * Submits the `typed_data` of a refund, signed by a registered wallet of the merchant, as a dashboard does. In a backend,
   * `create` or `sign` with a `signer` does it. Idempotent.
   *
   * @throws PaymentIntentsError `conflict` with its reason if the wallet cannot pay or another one has signed; `wallet_invalid` if
   *   the wallet is not registered; `invalid_body` if something else was signed
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
   * Says that a transfer made elsewhere, by a Safe or an exchange, pays a refund. Idempotent.
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

/** @param modeOfKey the mode of the API key; undefined for a key of another form */
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
