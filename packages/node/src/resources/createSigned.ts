import { type CreateRefund, endpoints, type Mode } from '@payment-intents/contract'
import { isPaymentIntentsError, rejected } from '../errors/paymentIntentsError.ts'
import { withoutOption } from '../options/checkOptions.ts'
import type { CallOptions, ReadOptions } from '../options/clientOptions.ts'
import { method } from '../requests/method.ts'
import { unreadable } from '../requests/parameters.ts'
import type { Send } from '../requests/send.ts'
import { checkSigner, type RefundSigner } from './refundSigner.ts'
import type { CreateRefundOptions, Refunds } from './refunds.ts'
import { signRefund } from './signRefund.ts'
import { unsignedRefund } from './unsignedRefund.ts'

type Calls = Pick<Refunds, 'retrieve' | 'authorize'> & {
  readonly modeOfKey: () => Mode | undefined
}

/** Makes `refunds.create`, which also signs if a signer is passed. */
export function createSigned(
  send: Send,
  { modeOfKey, retrieve, authorize }: Calls,
): Refunds['create'] {
  return async (params, options) => {
    const { signer, callOptions } = readOptions(options)
    if (signer === undefined) return method(send, endpoints.createRefund)(params, callOptions)
    const { amount_units, destination, payment_intent = null, transfer = null } = copyOf(params)
    // Generated here, so that every error after the creation has it.
    const defaultKey = crypto.randomUUID()
    const create = method(send, endpoints.createRefund, { defaultKey })
    const created = await create(params, callOptions)
    const idempotencyKey = callOptions?.idempotencyKey ?? defaultKey
    const ofCall: ReadOptions = callOptions ? withoutOption(callOptions, 'idempotencyKey') : {}
    try {
      // A stored response does not show later changes of the refund.
      const refund = created.typed_data ? created : await retrieve(created.id, ofCall)
      if (destination === undefined) return refund
      const terms = { id: created.id, mode: modeOfKey(), payment_intent, transfer, amount_units }
      return await signRefund(
        refund,
        { ...terms, destination },
        {
          signer,
          retrieve: (id) => retrieve(id, ofCall),
          authorize: (id, signed) => authorize(id, signed, ofCall),
        },
      )
    } catch (error) {
      throw unsignedRefund(error, created.id, idempotencyKey)
    }
  }
}

type SignedCreateOptions = {
  readonly signer: RefundSigner | undefined
  readonly callOptions: CallOptions | undefined
}

/** @throws PaymentIntentsError `invalid_body` */
function readOptions(options: CreateRefundOptions | undefined): SignedCreateOptions {
  try {
    const isObject = typeof options === 'object' && options !== null
    // The call refuses anything else.
    if (!isObject || !('signer' in options)) return { signer: undefined, callOptions: options }
    const { signer } = options
    if (signer !== undefined) checkSigner(signer)
    return { signer, callOptions: withoutOption(options, 'signer') }
  } catch (error) {
    throw isPaymentIntentsError(error) ? error : unreadable('The options of this call')
  }
}

/**
 * Copies the caller's parameters before the request. The amount must come from the caller: the service could choose any
 * other.
 *
 * @throws PaymentIntentsError `invalid_body`
 */
function copyOf(params: CreateRefund): CreateRefund & { amount_units: number } {
  try {
    const { amount_units, ...others } = Object(params) as CreateRefund
    if (amount_units !== undefined) return { ...others, amount_units }
  } catch {
    throw unreadable('The parameters of this call')
  }
  const message =
    '`amount_units` must be passed with a signer, which signs no amount that the service chooses'
  throw rejected('invalid_body', `Nothing was sent, since a parameter is missing: ${message}.`, [
    { path: 'amount_units', message },
  ])
}
