import { isPaymentIntentsError, PaymentIntentsError } from '../errors/paymentIntentsError.ts'
import { isLate } from './signRefund.ts'

/**
 * The error of a call that created a refund and then failed. It carries the key of the creation: with another key, the
 * call would create a second refund.
 */
export function unsignedRefund(error: unknown, id: string, idempotencyKey: string): unknown {
  if (!isPaymentIntentsError(error)) return error
  const { code, status, requestId, attempts, reason, issues, body, cause } = error
  return new PaymentIntentsError({
    ...{ code, status, requestId, attempts, reason, issues, body, cause, idempotencyKey },
    message: `${error.message} The refund ${id} is created: repeat the call with idempotencyKey '${idempotencyKey}'. Without it, the call makes a second refund.`,
    retryable: error.retryable || isLate(error),
  })
}
