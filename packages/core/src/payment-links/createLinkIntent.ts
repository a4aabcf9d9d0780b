import type { Chain } from '@payment-intents/contract'
import { conflict, creationConflict, HttpError, internalError } from '../http/httpError.ts'
import { creationContext } from '../payment-intents/creation/createPaymentIntent.ts'
import { newTerms } from '../payment-intents/creation/newIntent.ts'
import type { Terms } from '../payment-intents/intent.ts'
import type { LinkPayer } from '../payment-intents/store.ts'
import type { Service } from '../service.ts'
import type { PayersLink } from './store.ts'

type LinkPayment = { readonly chain: Chain; readonly amount: bigint }

/** The terms of a new intent of a link, with the link's metadata. */
export function linkTerms(
  service: Service,
  { link, merchant }: PayersLink,
  { chain, amount }: LinkPayment,
): Terms {
  const context = { ...creationContext(service, merchant), paymentLink: link.id }
  return newTerms({ chain, amount_units: Number(amount) }, link.metadata, merchant, context)
}

/**
 * Creates an intent of a link, once for each key. Reserves no amount for it.
 * @param payment.payer can open the intent again; null: nobody can
 * @returns its id
 */
export async function createLinkIntent(
  service: Service,
  opened: PayersLink,
  payment: LinkPayment & { readonly payer: LinkPayer | null; readonly key: string },
): Promise<string> {
  const { paymentIntents } = service.store
  const { payer, key, chain, amount } = payment
  const idempotency = { key, fingerprint: `${opened.link.id} ${chain} ${amount}` }
  const terms = linkTerms(service, opened, payment)
  const stored = await paymentIntents.withIdempotencyLock(opened.merchant, idempotency, () =>
    paymentIntents.create({
      ...{ terms, operation: 'payPaymentLink', idempotency, payer },
      ...{ namesWallet: false, reservesAmount: false },
      since: service.clock(terms.chainId).earliest,
      secretKey: service.secrets.currentKey(),
    }),
  )
  switch (stored.type) {
    case 'created':
    case 'replayed':
      return JSON.parse(stored.response).id
    case 'mismatch':
      throw conflict(
        'payment_in_flight',
        'Another request of this visitor created a payment meanwhile: resolve the link again.',
      )
    case 'in_flight':
      throw creationConflict('idempotency_key_in_flight')
    case 'wallet_taken':
      throw new HttpError('wallet_invalid', `The merchant cannot be paid on ${chain} now.`)
    case 'no_payable_amount_left':
      throw internalError()
  }
}
