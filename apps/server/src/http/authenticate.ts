import { timingSafeEqual } from 'node:crypto'
import type { Merchant } from '@payment-intents/rules'
import type { FastifyRequest } from 'fastify'
import { hashApiKey, isWellFormedApiKey } from '../apiKey.ts'
import type { Actor } from '../db/act.ts'
import { findApiKeyOwner } from '../db/apiKeys.ts'
import type { Db } from '../db/connect.ts'
import { HttpError } from './errors.ts'

/**
 * Whom the request's bearer key speaks for.
 *
 * @throws {HttpError} `api_key_missing`, `api_key_invalid` or `merchant_not_found`
 */
async function authenticate(db: Db, request: FastifyRequest): Promise<Merchant> {
  const [, key] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? []
  if (!key) {
    throw new HttpError(
      'api_key_missing',
      'No API key. Send the header `Authorization: Bearer <API key>` from your backend.',
    )
  }
  if (!isWellFormedApiKey(key)) throw refused(request, 'malformed')
  const hash = hashApiKey(key)
  const owner = await findApiKeyOwner(db.pool, hash)
  if (!owner || !timingSafeEqual(owner.hash, hash)) throw refused(request, 'unknown')
  if (owner.revoked) throw refused(request, 'revoked')
  if (owner.merchantClosed) {
    throw new HttpError(
      'merchant_not_found',
      'The merchant that owns this API key has been closed.',
    )
  }
  return owner.merchant
}

/** The answer does not tell why; the log does, so that a typo is told from a revoked key. */
function refused(request: FastifyRequest, why: 'malformed' | 'unknown' | 'revoked'): HttpError {
  request.log.info({ api_key: why }, 'API key refused')
  return new HttpError(
    'api_key_invalid',
    'This API key is not valid. Check that it is complete, not revoked, and made by this server.',
  )
}

/**
 * Options of a route that only the bearer of an API key reaches, and what tells its handler whom the key speaks
 * for. They are asked before the body is read: a request without a key costs nothing and learns nothing.
 */
export function bearerOnly(db: Db) {
  const merchants = new WeakMap<FastifyRequest, Merchant>()
  const merchantOf = (request: FastifyRequest): Merchant => {
    const merchant = merchants.get(request)
    if (!merchant) throw new Error('The request was not authenticated')
    return merchant
  }
  return {
    options: {
      onRequest: async (request: FastifyRequest) => {
        merchants.set(request, await authenticate(db, request))
      },
      config: { merchantOf },
    },
    merchantOf,
    /** The scope of what the request may read and change. */
    actorOf(request: FastifyRequest): Actor {
      const { id, mode } = merchantOf(request)
      return { merchantId: id, mode }
    },
  }
}
