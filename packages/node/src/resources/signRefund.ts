import type { AuthorizeRefund, Refund } from '@payment-intents/contract'
import { isPaymentIntentsError } from '../errors/paymentIntentsError.ts'
import { type RefundSigner, type RefundToSign, signTypedData } from './refundSigner.ts'
import { type RefundTerms, refundToSign } from './refundToSign.ts'

type Calls = {
  readonly signer: RefundSigner
  readonly retrieve: (id: string) => Promise<Refund>
  readonly authorize: (id: string, signed: AuthorizeRefund) => Promise<Refund>
}

/** Attempts to sign: a signature that expired before it arrived is made again. */
const tries = 3

/**
 * Signs a refund and submits the signature. Signing again is safe: the token accepts the refund's nonce once from an
 * account, and every attempt signs the same nonce.
 *
 * @param first the refund as the service last described it
 * @returns the refund, unsigned if it needs no signature
 * @throws PaymentIntentsError
 */
export async function signRefund(
  first: Refund,
  terms: RefundTerms,
  { signer, retrieve, authorize }: Calls,
): Promise<Refund> {
  let refund = first
  const fixed: RefundTerms = {
    ...terms,
    chain: terms.chain ?? first.chain,
    refund_reference: terms.refund_reference ?? first.refund_reference,
  }
  for (let tried = 1; ; tried += 1) {
    if (!refund.typed_data) return refund
    const typedData = refundToSign(refund, fixed, signer.address)
    const signature = await signTypedData(signer, refund.id, typedData)
    try {
      return await authorize(refund.id, { authorization: authorizationOf(typedData), signature })
    } catch (error) {
      if (tried === tries || !isLate(error)) throw error
      refund = await retrieve(refund.id)
    }
  }
}

function authorizationOf({ message }: RefundToSign): AuthorizeRefund['authorization'] {
  const { value, validAfter, validBefore, ...addresses } = message
  return {
    ...addresses,
    ...{ value: String(value), validAfter: String(validAfter), validBefore: String(validBefore) },
  }
}

/** Whether the signature had expired when the service checked it. */
export function isLate(error: unknown): boolean {
  return (
    isPaymentIntentsError(error) &&
    error.issues.some(({ path }) => path === 'authorization.validBefore')
  )
}
