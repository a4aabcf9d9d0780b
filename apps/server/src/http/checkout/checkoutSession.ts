import { HttpError, parse, returnOriginOf } from '@payment-intents/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { clientSecretOf, readClientSecret } from '../../lib/crypto/clientSecret.ts'
import { hashToken, newToken } from '../../lib/crypto/token.ts'
import { isReturnOrigin } from '../../store/merchants/returnOrigins.ts'
import {
  type CheckoutSession,
  findSession,
  insertSession,
  spendHandoff,
} from '../../store/payment-intents/handoffs.ts'
import { createPayerLimits } from '../limits/payerLimits.ts'
import { readBody } from '../transport/body.ts'
import type { HttpContext } from '../transport/httpContext.ts'
import { sessionCookie, sessionHashes } from './checkoutCookie.ts'
import { presentBrand } from './presentBrand.ts'

const bodyLimit = 4_096

/** The credential that opens the hosted page: the token of a handoff, or the client secret of a link. */
const openingSchema = z.union(
  [
    z.strictObject({ token: z.string().min(1).max(100) }),
    z.strictObject({
      client_secret: z.string().min(1).max(200),
      return_url: z.string().max(2_000).optional(),
    }),
  ],
  'must have a token, or a client_secret and at most a return_url',
)

/**
 * Sessions of the hosted page. Each belongs to an intent; its cookie has the path of that intent's page.
 *
 * Only a `POST` of JSON from the same origin is accepted. Another site's request has no cookie (`SameSite`), names its
 * origin, and cannot send JSON without a preflight, which gets no response here.
 */
export function checkoutSessionRoutes(app: FastifyInstance, context: HttpContext): void {
  const { db, serverKeys, publicUrl } = context
  const limits = createPayerLimits(context)
  const onRequest = [refuseOtherSites, limits.countAddress]

  app.post('/checkout/session', { onRequest, bodyLimit }, async (request, reply) => {
    const body = parse(openingSchema, readBody(request.body).value)
    const token = newToken()
    const hash = hashToken(token)
    const session = await ('token' in body ? spend(body.token) : open(body))
    if (!session) throw notFound()
    reply.header('set-cookie', sessionCookie(token, session, publicUrl))
    return respond(reply, session)

    function spend(handoff: string): Promise<CheckoutSession | null> {
      return limits.limit(() => spendHandoff(db.pool, { token: hashToken(handoff), session: hash }))
    }

    async function open(opening: { client_secret: string; return_url?: string | undefined }) {
      const intentId = readClientSecret(opening.client_secret, serverKeys.all)
      limits.countIntent(request, intentId)
      if (intentId === null) return null
      return limits.limit(async () => {
        const returnUrl = await allowed(intentId, opening.return_url, request)
        return insertSession(db.pool, { hash, intentId, returnUrl })
      })
    }
  })

  app.post<{ Params: { id: string } }>(
    '/checkout/:id/session',
    { onRequest, bodyLimit },
    async (request, reply) => {
      readBody(request.body)
      const hashes = sessionHashes(request)
      const intentId = request.params.id
      const session =
        hashes.length > 0
          ? await limits.limit(() => findSession(db.pool, { hashes, intentId }))
          : null
      if (!session) throw notFound()
      return respond(reply, session)
    },
  )

  /** An address that is not allowed does not keep a payer from paying: the page then has no way back. */
  async function allowed(intentId: string, url: string | undefined, { log }: FastifyRequest) {
    if (!url) return null
    const origin = returnOriginOf(url)
    if (origin && (await isReturnOrigin(db.pool, { intentId, origin }))) return url
    log.warn(
      { payment_intent: intentId, origin },
      'return_url is ignored: register its origin with POST /v1/return_origins',
    )
    return null
  }

  function respond(reply: FastifyReply, { intentId, returnUrl, brand }: CheckoutSession): string {
    reply
      .type('application/json; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('cross-origin-resource-policy', 'same-origin')
    const client_secret = clientSecretOf(intentId, serverKeys.current())
    return JSON.stringify({
      ...{ id: intentId, client_secret, return_url: returnUrl },
      brand: brand && presentBrand(brand),
    })
  }
}

/** Reads `Sec-Fetch-Site` (Fetch Metadata), or in older browsers `Origin`, which they send with each `POST`. */
async function refuseOtherSites({ headers, host }: FastifyRequest): Promise<void> {
  const { 'sec-fetch-site': site, origin } = headers
  const isSame =
    site === undefined
      ? origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)
      : site === 'same-origin'
  if (!isSame) throw notFound()
}

function notFound(): HttpError {
  return new HttpError(
    'intent_not_found',
    'This opens no payment: it was used, has expired, or never was.',
  )
}
