import { createHash, randomBytes } from 'node:crypto'
import {
  type Address,
  type CreatePaymentIntent,
  endpoints,
  limits,
  type Mode,
} from '@payment-intents/contract'
import {
  type Creation,
  conflict,
  create,
  HttpError,
  invalidBody,
  type Merchant,
  othersWallet,
  withClientSecret,
} from '@payment-intents/rules'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { newId } from '../db/ids.ts'
import { isOthersWallet } from '../db/merchants/walletOwners.ts'
import {
  findEarlier,
  type IdempotentRequest,
  type StoredCreation,
  storeCreation,
} from '../intents/storeCreation.ts'
import { clientSecretOf } from '../secrets/clientSecret.ts'
import type { HttpContext } from './context.ts'
import { createInFlight } from './inFlight.ts'
import { depthOf, type JsonBody } from './json.ts'
import { serveUnshared } from './serve.ts'

const { method, path } = endpoints.createPaymentIntent
const route = `${method} ${path}`

export function createPaymentIntentRoute(app: FastifyInstance, context: HttpContext): void {
  const inFlight = createInFlight({ waitMs: 2_000 })
  // It takes its merchant's share when its key is free, not while it waits for that.
  serveUnshared(app, context, 'createPaymentIntent', async (served) => {
    const { merchant, body, request, reply } = served
    const metadata = metadataOf(served.source)
    const idempotency = idempotentRequest(request, body, metadata)
    const stored = await inFlight(merchant, idempotency, () =>
      context.gate(merchant.id, () => store(context, merchant, { body, metadata, idempotency })),
    )
    switch (stored.type) {
      case 'mismatch':
        throw conflict(
          'idempotency_key_reused',
          'This Idempotency-Key was used with another body in the last 24 hours. Use a new key for a new payment intent.',
        )
      case 'in_flight':
        throw conflict(
          'idempotency_key_in_flight',
          'A request with this Idempotency-Key is still being worked on. Send the same request again.',
        )
      case 'no_payable_amount_left':
        throw conflict(
          'no_payable_amount_left',
          'Too many open payment intents ask for this amount at this wallet to tell a manual payment apart. Use lane `sdk`, another wallet_address, or a different amount.',
        )
      case 'wallet_taken':
        throw new HttpError('wallet_invalid', othersWallet(String(body.wallet_address)))
      case 'replayed':
        reply.header('idempotent-replayed', 'true')
    }
    const secret = clientSecretOf(stored.id, context.serverSecret)
    return withClientSecret(stored.response, secret)
  })
}

type Asked = {
  readonly body: CreatePaymentIntent
  readonly metadata: string
  readonly idempotency: IdempotentRequest | null
}

async function store(
  context: HttpContext,
  merchant: Merchant,
  { body, metadata, idempotency }: Asked,
): Promise<StoredCreation> {
  const decided = create(body, metadata, merchant, {
    isOthersWallet: await isOthers(context, merchant, body.wallet_address),
    newId: (createdAt) => newId('pi', createdAt),
    salt: `0x${randomBytes(32).toString('hex')}`,
    clock: (chainId) => context.clock(chainId).now,
    confirmations: context.confirmations(merchant.mode),
  })
  if (decided.type !== 'created') return replayInstead(decided, context, merchant, idempotency)
  return storeCreation(context.db, decided.terms, {
    request: idempotency,
    namesWallet: body.wallet_address !== undefined,
    since: context.clock(decided.terms.chainId).earliest,
    random: Math.random,
  })
}

type Refusal = Exclude<Creation, { type: 'created' }>

/** What was answered before is answered again, whatever was configured since; all else is refused. */
async function replayInstead(
  refused: Refusal,
  { db }: HttpContext,
  { id: merchantId, mode }: Merchant,
  request: IdempotentRequest | null,
) {
  const earlier = request && (await findEarlier(db.pool, { merchantId, mode }, request))
  if (earlier?.type === 'replayed') return earlier
  throw refusal(refused, mode)
}

function refusal(decided: Refusal, mode: Mode): HttpError {
  if (decided.type === 'wallet_invalid') return new HttpError('wallet_invalid', decided.message)
  const message = `this server does not take ${mode} payments on ${decided.chain}`
  return invalidBody([{ path: 'chain', message }])
}

async function isOthers(
  { db }: HttpContext,
  { id: merchantId, mode }: Merchant,
  address: string | undefined,
): Promise<boolean> {
  if (address === undefined) return false
  return isOthersWallet(db.pool, {
    merchantId,
    mode,
    wallet: address.toLowerCase() as Address,
  })
}

/** Metadata as it was sent, which is how it is given back. */
function metadataOf({ value, text }: JsonBody): string {
  const metadata = text.get('metadata') ?? '{}'
  if (Buffer.byteLength(metadata) > limits.metadataBytes) {
    throw invalidBody([{ path: 'metadata', message: 'is larger than 16 KiB' }])
  }
  if (depthOf(value.metadata) > limits.metadataDepth) {
    throw invalidBody([{ path: 'metadata', message: 'is nested deeper than 8 levels' }])
  }
  return metadata
}

function idempotentRequest(
  request: FastifyRequest,
  body: CreatePaymentIntent,
  metadata: string,
): IdempotentRequest | null {
  const key = request.headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key !== 'string' || !/^[ -~]{1,255}$/.test(key)) {
    const message = 'must be 1 to 255 printable ASCII characters'
    throw invalidBody([{ path: 'Idempotency-Key', message }])
  }
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
  const hash = createHash('sha256').update(JSON.stringify(asked)).digest()
  return { route, key, hash }
}
