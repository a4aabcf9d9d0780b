import type { Merchant } from '@payment-intents/rules'
import type { FastifyRequest } from 'fastify'
import type { Actor } from '../db/act.ts'
import type { HttpContext } from './context.ts'
import { HttpError } from './errors.ts'
import type { Keyring } from './keyring.ts'
import { senderOf } from './sender.ts'

/**
 * Whom the request's bearer key speaks for.
 *
 * @throws {HttpError} `api_key_missing`, `api_key_invalid` or `merchant_not_found`
 */
async function authenticate(keyring: Keyring, request: FastifyRequest): Promise<Merchant> {
  const [, key] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? []
  if (!key) {
    throw new HttpError(
      'api_key_missing',
      'No API key. Send the header `Authorization: Bearer <API key>` from your backend.',
    )
  }
  const found = await keyring(key, senderOf(request))
  if (found.type === 'refused') throw refused(request, found.why)
  if (found.owner.merchantClosed) {
    throw new HttpError(
      'merchant_not_found',
      'The merchant that owns this API key has been closed.',
    )
  }
  return found.owner.merchant
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
export function bearerOnly({ keyring }: Pick<HttpContext, 'keyring'>) {
  const merchants = new WeakMap<FastifyRequest, Merchant>()
  const merchantOf = (request: FastifyRequest): Merchant => {
    const merchant = merchants.get(request)
    if (!merchant) throw new Error('The request was not authenticated')
    return merchant
  }
  return {
    options: {
      onRequest: async (request: FastifyRequest) => {
        merchants.set(request, await authenticate(keyring, request))
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
