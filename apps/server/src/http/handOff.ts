import { conflict, invalidBody } from '@payment-intents/rules'
import type { FastifyInstance } from 'fastify'
import { insertHandoff } from '../db/intents/handoffs.ts'
import { isReturnOrigin } from '../db/merchants/returnOrigins.ts'
import { returnOriginOf } from '../returnOrigin.ts'
import { hashToken, newToken } from '../secrets/handoffToken.ts'
import type { HttpContext } from './context.ts'
import { createGate } from './gate.ts'
import { pageEndpoint } from './pageEndpoint.ts'

/** A body has a secret and a URL. */
const bodyLimit = 4_096

/**
 * A link with which a checkout goes on in another browser: `/checkout/h/<token>`. The token is in the path, because apps
 * that open links drop fragments. It is good for one exchange within minutes, which is a `POST` of the page's own.
 */
export function handOffRoute(app: FastifyInstance, context: HttpContext): void {
  const { db, database, share, publicUrl, resolveLimit: limit } = context
  const gate = createGate({ most: share, waiting: 1_000, waitMs: 5_000, database })
  pageEndpoint(
    app,
    context,
    'handOffPaymentIntent',
    { bodyLimit, limit },
    async ({ id: intentId, body: { return_url: returnUrl = null } }) => {
      const token = newToken()
      const expiresAt = await gate('payers', async () => {
        if (returnUrl !== null) {
          const origin = returnOriginOf(returnUrl)
          const isAllowed = origin && (await isReturnOrigin(db.pool, { intentId, origin }))
          if (!isAllowed) throw invalidBody([{ path: 'return_url', message: notRegistered }])
        }
        return insertHandoff(db.pool, { hash: hashToken(token), intentId, returnUrl })
      })
      if (!expiresAt) {
        throw conflict('illegal_state', 'The payment intent has ended: nothing is left to pay.')
      }
      const url = `${publicUrl}/checkout/h/${token}`
      return JSON.stringify({ url, expires_at: expiresAt.toISOString() })
    },
  )
}

const notRegistered = 'must be https, and of an origin that the merchant has registered'
