import { type CreatePaymentIntent, endpoints, type Mode } from '@payment-intents/contract'
import {
  type Creation,
  checkMetadata,
  create,
  creationConflict,
  HttpError,
  idempotencyKey,
  invalidBody,
  type Merchant,
  othersWallet,
  replayHeaders,
  withClientSecret,
  withLinks,
} from '@payment-intents/rules'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { newId } from '../db/ids.ts'
import { findStatus } from '../db/intents/paymentIntents.ts'
import {
  createCreationStore,
  creationsAtOnce,
  findEarlier,
  type IdempotentRequest,
  type StoreCreation,
  type StoredCreation,
} from '../intents/storeCreations.ts'
import { keccak256 } from '../keccak256.ts'
import { randomBytes } from '../randomBytes.ts'
import { clientSecretOf } from '../secrets/clientSecret.ts'
import { sha256 } from '../secrets/sha256.ts'
import type { HttpContext } from './context.ts'
import { createGate } from './gate.ts'
import { createInFlight } from './inFlight.ts'
import type { JsonBody } from './json.ts'
import { linksOf } from './links.ts'
import { serveUnshared } from './serve.ts'
import { createCheckFirst, paymentOf } from './x402Creation.ts'

const { method, path } = endpoints.createPaymentIntent
const route = `${method} ${path}`

export function createPaymentIntentRoute(app: FastifyInstance, context: HttpContext): void {
  const inFlight = createInFlight({ waitMs: 2_000 })
  const storeCreation = createCreationStore(context.db, Math.random)
  const { database } = context
  const gate = createGate({ most: creationsAtOnce, waiting: 1_000, waitMs: 5_000, database })
  const checkFirst = createCheckFirst(context)
  serveUnshared(app, context, 'createPaymentIntent', async (served) => {
    const { merchant, body, request, reply } = served
    const metadata = metadataOf(served.source)
    const idempotency = idempotentRequest(request, body, metadata)
    const payment = paymentOf(request)
    const asked = { body, metadata, idempotency, hasPayment: payment !== null }
    // A request takes its merchant's share once its key is free, not while it waits for that.
    const inTurn = <Result>(work: () => Promise<Result>) => gate(merchant.id, work)
    const stored = await inFlight(merchant, idempotency, async () => {
      if (payment !== null) {
        const earlier = () => findEarlierOf(context, merchant, idempotency)
        const decided = decide(context, merchant, asked)
        // What was made before is answered again, whatever has become of its payment.
        if (decided.type === 'created' && !(await inTurn(earlier))) {
          await checkFirst(decided.terms, payment, inTurn).catch(async (refusal) => {
            // Another process may have made it meanwhile, and its payment may be used by now.
            if (!(await inTurn(earlier))) throw refusal
          })
        }
      }
      return inTurn(() => store(context, storeCreation, merchant, asked))
    })
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
        request.log.debug(
          {
            ...{ chain_id: stored.chainId, event: 'payment_intent.created' },
            ...{ merchant: merchant.id, mode: merchant.mode },
            ...{ payment_intent: stored.id, amount_units: body.amount_units },
          },
          'recorded',
        )
        break
      case 'replayed':
        reply.headers(replayHeaders(await findStatus(context.db.pool, stored.id)))
    }
    const key = context.serverKeys.named(stored.secretKey)
    const secret = clientSecretOf(stored.id, key)
    const links = linksOf(context, stored, key, secret)
    return withClientSecret(withLinks(stored.response, links), secret)
  })
}

type Asked = {
  readonly body: CreatePaymentIntent
  readonly metadata: string
  readonly idempotency: IdempotentRequest | null
  readonly hasPayment: boolean
}

function decide(
  context: HttpContext,
  merchant: Merchant,
  { body, metadata }: Pick<Asked, 'body' | 'metadata'>,
): Creation {
  return create(body, metadata, merchant, {
    newId: (createdAt) => newId('pi', createdAt),
    salt: `0x${randomBytes(32).toString('hex')}`,
    clock: (chainId) => context.clock(chainId).now,
    confirmations: context.confirmations(merchant.mode),
    keccak256,
  })
}

async function store(
  context: HttpContext,
  storeCreation: StoreCreation,
  merchant: Merchant,
  { body, metadata, idempotency, hasPayment }: Asked,
): Promise<StoredCreation> {
  const decided = decide(context, merchant, { body, metadata })
  if (decided.type !== 'created') return replayInstead(decided, context, merchant, idempotency)
  const stored = await storeCreation({
    terms: decided.terms,
    hasPayment,
    request: idempotency,
    namesWallet: body.wallet_address !== undefined,
    since: context.clock(decided.terms.chainId).earliest,
    secretKey: context.serverKeys.current().fingerprint,
  })
  if (stored.type === 'created') {
    const created = { type: 'payment_intent.created', object: stored.response }
    context.metrics.recorded(decided.terms.chainId, [created])
  }
  return stored
}

type Refusal = Exclude<Creation, { type: 'created' }>

/** What was answered before is answered again, whatever was configured since; all else is refused. */
async function replayInstead(
  refused: Refusal,
  context: HttpContext,
  merchant: Merchant,
  request: IdempotentRequest | null,
) {
  const earlier = await findEarlierOf(context, merchant, request)
  if (earlier?.type === 'replayed') return earlier
  throw refusal(refused, merchant.mode)
}

async function findEarlierOf(
  { db }: HttpContext,
  { id: merchantId, mode }: Merchant,
  request: IdempotentRequest | null,
) {
  return request && findEarlier(db.pool, { merchantId, mode }, request)
}

function refusal(decided: Refusal, mode: Mode): HttpError {
  if (decided.type === 'wallet_invalid') return new HttpError('wallet_invalid', decided.message)
  const message = `this server does not take ${mode} payments on ${decided.chain}`
  return invalidBody([{ path: 'chain', message }])
}

/** Metadata as it was sent, which is how it is given back. */
function metadataOf({ value, text }: JsonBody): string {
  const metadata = text.get('metadata') ?? '{}'
  checkMetadata(value.metadata, Buffer.byteLength(metadata))
  return metadata
}

function idempotentRequest(
  request: FastifyRequest,
  body: CreatePaymentIntent,
  metadata: string,
): IdempotentRequest | null {
  const key = idempotencyKey(request.headers['idempotency-key'])
  if (key === null) return null
  // Values in a fixed order: the same request is the same whatever order its properties came in.
  const asked = [
    body.amount_units,
    body.chain,
    body.wallet_address,
    body.expires_in_minutes,
    body.lane,
    body.token,
    metadata,
  ]
  return { route, key, hash: sha256(JSON.stringify(asked), 'hex') }
}
