import { endpoints, handoffRequestSchema } from '@payment-intents/contract'
import { conflict, HttpError, invalidBody, parse } from '@payment-intents/rules'
import type { FastifyInstance } from 'fastify'
import { insertHandoff } from '../db/intents/handoffs.ts'
import { isReturnOrigin } from '../db/merchants/returnOrigins.ts'
import { returnOriginOf } from '../returnOrigin.ts'
import { readClientSecret } from '../secrets/clientSecret.ts'
import { hashToken, newToken } from '../secrets/handoffToken.ts'
import { readBody } from './body.ts'
import type { HttpContext } from './context.ts'
import { allowAnyOrigin, answerPreflight } from './cors.ts'
import { createPayerLimits } from './payerLimits.ts'

const { path } = endpoints.handOffPaymentIntent
/** A body has a secret and a URL. */
const bodyLimit = 4_096

/**
 * A link with which a checkout goes on in another browser: `/checkout/h/<token>`. The token is in the path, because apps
 * that open links drop fragments. It is good for one exchange within minutes, which is a `POST` of the page's own.
 */
export function handOffRoute(app: FastifyInstance, context: HttpContext): void {
  const { db } = context
  const limits = createPayerLimits(context)
  app.register(async (scope) => {
    // What a browser sends without asking first (CORS): nothing here is done in anyone's name.
    scope.addContentTypeParser('text/plain', { parseAs: 'buffer' }, (_request, body, done) => {
      done(null, body)
    })
    answerPreflight(scope, path)
    const onRequest = [allowAnyOrigin, limits.countAddress]
    scope.post(path, { onRequest, bodyLimit }, async (request, reply) => {
      const body = parse(handoffRequestSchema, readBody(request.body).value)
      const intentId = readClientSecret(body.client_secret, context.serverKeys.all)
      limits.countIntent(request, intentId)
      if (intentId === null) throw notFound()
      const token = newToken()
      const expiresAt = await limits.gate(async () => {
        const { return_url: returnUrl = null } = body
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
      reply.type('application/json; charset=utf-8').header('cache-control', 'no-store')
      return JSON.stringify({
        url: `${context.publicUrl}/checkout/h/${token}`,
        expires_at: expiresAt.toISOString(),
      })
    })
  })
}

const notRegistered = 'must be https, and of an origin that the merchant has registered'

/** The same answer for a wrong secret and an unknown intent. */
function notFound(): HttpError {
  return new HttpError('intent_not_found', 'No payment intent has this client secret.')
}
