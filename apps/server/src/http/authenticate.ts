import type { Merchant } from '@payment-intents/rules'
import { HttpError } from '@payment-intents/rules'
import type { FastifyRequest } from 'fastify'
import type { Keyring } from './keyring.ts'
import { senderOf } from './sender.ts'

/**
 * Whom the request's bearer key speaks for.
 *
 * @throws {HttpError} `api_key_missing`, `api_key_invalid` or `merchant_not_found`
 */
export async function authenticate(keyring: Keyring, request: FastifyRequest): Promise<Merchant> {
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

/** The answer does not say why; the log does, so that an operator knows a typo from a revoked key. */
function refused(request: FastifyRequest, why: 'malformed' | 'unknown' | 'revoked'): HttpError {
  request.log.info({ api_key: why }, 'API key refused')
  return new HttpError(
    'api_key_invalid',
    'This API key is not valid. Check that it is complete, not revoked, and made by this server.',
  )
}
