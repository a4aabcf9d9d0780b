import {
  logoPath,
  noSuchPicture,
  type Picture,
  picturePath,
  pictureResponse,
} from '@payment-intents/core'
import type { FastifyInstance } from 'fastify'
import { findLogo } from '../../store/merchants/brands.ts'
import { findPicture } from '../../store/payment-links/pictures.ts'
import { createPayerLimits } from '../limits/payerLimits.ts'
import type { HttpContext } from '../transport/httpContext.ts'

/**
 * Merchants' logos, for the hosted page and the dashboard, and pictures of payment links, which merchants' pages may
 * show. The address of a picture contains its hash, so that a browser requests it once.
 */
export function picturesRoutes(app: FastifyInstance, context: HttpContext): void {
  const { limit, countAddress } = createPayerLimits(context)
  const { pool } = context.db
  const serve = (
    path: string,
    find: (hash: string) => Promise<Pick<Picture, 'type' | 'content'> | null>,
  ) =>
    app.get<{ Params: { hash: string } }>(
      path,
      { onRequest: countAddress },
      async (request, reply) => {
        const { hash } = request.params
        const picture = hashed.test(hash) ? await limit(() => find(hash)) : null
        if (!picture) throw noSuchPicture()
        const ifNoneMatch = request.headers['if-none-match']
        const response = pictureResponse(picture, { hash, ifNoneMatch })
        return reply
          .status(response.status)
          .headers(response.headers)
          .send(response.body ?? undefined)
      },
    )
  serve(logoPath(':hash'), (hash) => findLogo(pool, hash))
  serve(picturePath(':hash'), (hash) => findPicture(pool, hash))
}

/** SHA-256, base64url. */
const hashed = /^[\w-]{43}$/
