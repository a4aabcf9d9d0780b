import type { Mode } from '@payment-intents/contract'
import { type Issue, isPaymentIntentsError, rejected } from '../errors/paymentIntentsError.ts'
import { withoutOption } from '../options/checkOptions.ts'
import type { ReadOptions } from '../options/clientOptions.ts'
import { unreadable } from '../requests/parameters.ts'
import { checkSigner, isAddress, type RefundSigner } from './refundSigner.ts'
import type { Refunds, SignableRefund, SignRefundOptions } from './refunds.ts'
import type { RefundTerms } from './refundToSign.ts'
import { signRefund } from './signRefund.ts'

type Calls = Pick<Refunds, 'retrieve' | 'authorize'> & {
  readonly modeOfKey: () => Mode | undefined
}

/** Makes `refunds.sign`. */
export function signExisting({ modeOfKey, retrieve, authorize }: Calls): Refunds['sign'] {
  return async (refund, options) => {
    const { terms, signer, callOptions } = readArguments(refund, options)
    const current = await retrieve(terms.id, callOptions)
    const mode = modeOfKey() ?? terms.mode
    return signRefund(
      current,
      { ...terms, mode },
      {
        signer,
        retrieve: (id) => retrieve(id, callOptions),
        authorize: (id, signed) => authorize(id, signed, callOptions),
      },
    )
  }
}

type SignArguments = {
  readonly terms: RefundTerms
  readonly signer: RefundSigner
  readonly callOptions: ReadOptions
}

/** @throws PaymentIntentsError `invalid_body` */
function readArguments(refund: SignableRefund, options: SignRefundOptions): SignArguments {
  try {
    const { signer } = Object(options)
    checkSigner(signer)
    const terms = termsOf(Object(refund))
    return { terms, signer, callOptions: withoutOption(options, 'signer') }
  } catch (error) {
    throw isPaymentIntentsError(error)
      ? error
      : unreadable('The refund or the options of this call')
  }
}

/** @throws PaymentIntentsError `invalid_body` */
function termsOf(refund: SignableRefund): RefundTerms {
  const { id, amount_units, destination } = refund
  const { payment_intent, transfer, chain, mode, refund_reference } = refund
  if (!isAddress(destination)) {
    throw missing('destination', 'must be the address that gets the refund: wait until it is named')
  }
  if (!Number.isSafeInteger(amount_units) || amount_units <= 0) {
    throw missing('amount_units', 'must be the amount of the refund, in units of 0.000001 USDC')
  }
  return {
    ...{ id, amount_units, destination },
    ...{ payment_intent, transfer, chain, mode, refund_reference },
  }
}

function missing(path: string, message: string) {
  const issues: Issue[] = [{ path, message }]
  return rejected('invalid_body', `Nothing was sent, since ${path} ${message}.`, issues)
}
