import { bearerKey, HttpError, invalidApiKey, type Service } from '@payment-intents/core'
import type { FastifyRequest } from 'fastify'
import { clientAddress } from '../limits/clientAddress.ts'
import type { ApiKeyCache } from './apiKeyCache.ts'
import type { Caller } from './caller.ts'

/**
 * Returns the caller that the request's bearer key belongs to.
 * @throws {HttpError} `api_key_missing`, `api_key_invalid` or `merchant_not_found`
 */
export async function authenticate(
  apiKeyCache: ApiKeyCache,
  request: FastifyRequest,
  service: Pick<Service, 'confirmations'>,
): Promise<Caller & { readonly apiKeyId: string }> {
  const key = bearerKey(request.headers.authorization)
  const lookup = await apiKeyCache(key, clientAddress(request))
  if (lookup.type === 'refused') {
    // The response does not say why; the log does, so that an operator can tell a typo from a revoked key.
    request.log.info({ api_key: lookup.why }, 'API key refused')
    throw invalidApiKey(key, service)
  }
  if (lookup.owner.merchantClosed) {
    throw new HttpError(
      'merchant_not_found',
      'The merchant that owns this API key has been closed.',
    )
  }
  const { id: apiKeyId, merchant, scope } = lookup.owner
  return { apiKeyId, merchant, scope }
}
