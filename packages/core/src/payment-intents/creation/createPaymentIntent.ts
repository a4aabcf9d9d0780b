import { x402Headers } from '@payment-intents/contract'
import { creationConflict, HttpError } from '../../http/httpError.ts'
import { idempotencyKey, metadataOf } from '../../http/readRequest.ts'
import type { Handler, Service, ServiceRequest, ServiceResponse } from '../../service.ts'
import { linksOf } from '../links.ts'
import { withClientSecret, withLinks } from '../present.ts'
import type { IdempotentRequest, StoredCreation } from '../store.ts'
import { checkCreationPayment } from './checkCreationPayment.ts'
import { type CreationContext, type Merchant, newTerms, walletInUse } from './newIntent.ts'
import { replayHeaders } from './replayHeaders.ts'

type Request = ServiceRequest<'createPaymentIntent'>

/** Creates one intent for each idempotency key. */
export const createPaymentIntent: Handler<'createPaymentIntent'> = async (service, request) => {
  const { merchant, actor, body } = request
  const { paymentIntents } = service.store
  const metadata = metadataOf(request)
  const idempotency = idempotentRequest(request, metadata)
  const payment = request.header(x402Headers.signature) || null
  const terms = () => newTerms(body, metadata, merchant, creationContext(service, merchant))
  const findEarlier = async () => idempotency && paymentIntents.findEarlier(actor, idempotency)

  const stored = await paymentIntents.withIdempotencyLock(merchant, idempotency, async () => {
    try {
      if (payment !== null && !(await findEarlier())) {
        await checkCreationPayment(service, terms(), payment)
      }
      // Compute the terms again: the chain's clock moved on during the check of the payment.
      const intent = terms()
      return await paymentIntents.create({
        ...{ terms: intent, operation: 'createPaymentIntent', idempotency },
        namesWallet: body.wallet_address !== undefined,
        reservesAmount: payment === null,
        since: service.clock(intent.chainId).earliest,
        secretKey: service.secrets.currentKey(),
      })
    } catch (refusal) {
      // Replay an earlier creation, even if its payment or the merchant's settings have changed since.
      const earlier = refusal instanceof HttpError ? await findEarlier() : null
      if (earlier?.type === 'replayed') return earlier
      throw refusal
    }
  })
  return present(service, request, stored)
}

async function present(
  service: Service,
  { actor, body }: Request,
  stored: StoredCreation,
): Promise<ServiceResponse> {
  switch (stored.type) {
    case 'mismatch':
      throw creationConflict('idempotency_key_reused')
    case 'in_flight':
      throw creationConflict('idempotency_key_in_flight')
    case 'no_payable_amount_left':
      throw creationConflict('no_payable_amount_left')
    case 'wallet_taken':
      throw new HttpError('wallet_invalid', walletInUse(body.wallet_address))
    case 'created':
    case 'replayed': {
      const { response, secretKey } = stored
      const { id, chain_id: chainId } = JSON.parse(response)
      const secret = service.secrets.clientSecret(id, secretKey)
      const links = linksOf(service, { id, chainId }, secretKey, secret)
      const text = withClientSecret(withLinks(response, links), secret)
      if (stored.type === 'replayed') {
        const status = await service.store.paymentIntents.findStatus(id)
        return { body: text, headers: replayHeaders(status) }
      }
      const event = {
        type: 'payment_intent.created',
        intentId: id,
        transferId: null,
        refundId: null,
      } as const
      const events = [{ ...event, ...actor, object: response }]
      return { body: text, written: { chainId, events } }
    }
  }
}

export function creationContext(service: Service, { mode }: Merchant): CreationContext {
  return {
    newId: (createdAt) => service.newId('pi', createdAt),
    salt: service.randomSalt(),
    clock: (chainId) => service.clock(chainId).now,
    confirmations: service.confirmations(mode),
    ...(service.keccak256 ? { keccak256: service.keccak256 } : {}),
  }
}

function idempotentRequest({ header, body }: Request, metadata: string): IdempotentRequest | null {
  const key = idempotencyKey(header('idempotency-key'))
  if (key === null) return null
  // Values in a fixed order: the order of a request's properties does not matter.
  const values = [
    body.amount_units,
    body.chain,
    body.wallet_address,
    body.expires_in_minutes,
    body.lane,
    body.token,
    metadata,
  ]
  return { key, fingerprint: JSON.stringify(values) }
}
