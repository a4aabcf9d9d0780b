import { HttpError } from '@payment-intents/core'
import type { FastifyInstance } from 'fastify'
import { findLogo } from '../../store/merchants/brands.ts'
import { createPayerLimits } from '../limits/payerLimits.ts'
import type { HttpContext } from '../transport/httpContext.ts'
import { isHeld } from '../transport/staticFile.ts'

/**
 * Merchants' logos, for the hosted page. A logo's address is its hash, so that a browser asks for it once; another logo has
 * another address.
 */
export function logosRoute(app: FastifyInstance, context: HttpContext): void {
  const { limit, countAddress } = createPayerLimits(context)
  app.get<{ Params: { hash: string } }>(
    '/v1/logos/:hash',
    { onRequest: countAddress },
    async (request, reply) => {
      const { hash } = request.params
      const logo = hashed.test(hash) ? await limit(() => findLogo(context.db.pool, hash)) : null
      if (!logo) throw new HttpError('not_found', 'There is no such logo.')
      const etag = `"${hash}"`
      reply.headers(headers).header('etag', etag)
      if (isHeld(request.headers['if-none-match'], etag)) return reply.status(304).send()
      return reply.type(logo.type).send(logo.content)
    },
  )
}

/** SHA-256, base64url. */
const hashed = /^[\w-]{43}$/

const headers = {
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
  // Opened by itself, it is a picture and nothing else.
  'content-security-policy': "default-src 'none'; sandbox",
}
