import { type CreatePaymentIntent, type Mode, x402Headers } from '@payment-intents/contract'
import { creationConflict, HttpError, invalidBody } from '../../http/httpError.ts'
import { checkMetadata, idempotencyKey } from '../../http/readRequest.ts'
import type { Handler, Service, ServiceRequest, ServiceResponse } from '../../service.ts'
import { linksOf } from '../links.ts'
import { withClientSecret, withLinks } from '../present.ts'
import type { IdempotentRequest, StoredCreation } from '../store.ts'
import { checkCreationPayment } from './checkCreationPayment.ts'
import { type Creation, create, type Merchant, othersWallet } from './create.ts'
import { replayHeaders } from './replayHeaders.ts'

type Request = ServiceRequest<'createPaymentIntent'>

/** Creates one intent for each idempotency key. */
export const createPaymentIntent: Handler<'createPaymentIntent'> = async (service, request) => {
  const { merchant, actor, body } = request
  const { paymentIntents } = service.store
  const metadata = metadataOf(request)
  const idempotency = idempotentRequest(request, metadata)
  const payment = request.header(x402Headers.signature) || null
  const decide = () => decideTerms(service, merchant, body, metadata)
  const findEarlier = async () => idempotency && paymentIntents.findEarlier(actor, idempotency)

  const stored = await paymentIntents.alone(merchant, idempotency, async () => {
    if (payment !== null) {
      const decided = decide()
      // An earlier creation is replayed, whatever has become of its payment.
      if (decided.type === 'created' && !(await findEarlier())) {
        await checkCreationPayment(service, decided.terms, payment).catch(async (refusal) => {
          // Another process may have created it meanwhile, and its payment may be used by now.
          if (!(await findEarlier())) throw refusal
        })
      }
    }
    const decided = decide()
    if (decided.type !== 'created') {
      const earlier = await findEarlier()
      // An earlier creation is replayed, whatever was configured since.
      if (earlier?.type === 'replayed') return earlier
      throw refusalOf(decided, merchant.mode)
    }
    return paymentIntents.create({
      terms: decided.terms,
      idempotency,
      namesWallet: body.wallet_address !== undefined,
      hasPayment: payment !== null,
      since: service.clock(decided.terms.chainId).earliest,
      secretKey: service.secrets.currentKey(),
    })
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
      throw new HttpError('wallet_invalid', othersWallet(String(body.wallet_address)))
    case 'created':
    case 'replayed': {
      const { id, chainId, response, secretKey } = stored
      const secret = service.secrets.clientSecret(id, secretKey)
      const links = linksOf(service, { id, chainId }, secretKey, secret)
      const text = withClientSecret(withLinks(response, links), secret)
      if (stored.type === 'replayed') {
        const status = await service.store.paymentIntents.findStatus(id)
        return { body: text, headers: replayHeaders(status) }
      }
      const event = { type: 'payment_intent.created', intentId: id, transferId: null } as const
      const events = [{ ...event, ...actor, object: response }]
      return { body: text, written: { chainId, events } }
    }
  }
}

function decideTerms(
  service: Service,
  merchant: Merchant,
  body: CreatePaymentIntent,
  metadata: string,
): Creation {
  return create(body, metadata, merchant, {
    newId: (createdAt) => service.newId('pi', createdAt),
    salt: service.randomSalt(),
    clock: (chainId) => service.clock(chainId).now,
    confirmations: service.confirmations(merchant.mode),
    ...(service.keccak256 ? { keccak256: service.keccak256 } : {}),
  })
}

function refusalOf(decided: Exclude<Creation, { type: 'created' }>, mode: Mode): HttpError {
  if (decided.type === 'wallet_invalid') return new HttpError('wallet_invalid', decided.message)
  const message = `this server does not take ${mode} payments on ${decided.chain}`
  return invalidBody([{ path: 'chain', message }])
}

/** Metadata as sent, which is how responses return it. */
function metadataOf({ source }: Request): string {
  const metadata = source.text.get('metadata') ?? '{}'
  checkMetadata(source.value.metadata, metadata)
  return metadata
}

function idempotentRequest({ header, body }: Request, metadata: string): IdempotentRequest | null {
  const key = idempotencyKey(header('idempotency-key'))
  if (key === null) return null
  // Values in a fixed order: a request is the same in whatever order its properties come.
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
