import { type Endpoint, endpoints, limits, type RequestOf } from '@payment-intents/contract'
import {
  noSuchIntent,
  noSuchRefund,
  type PublicOperation,
  parse,
  rateLimited,
} from '@payment-intents/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readClientSecret } from '../../lib/crypto/clientSecret.ts'
import { readRefundToken } from '../../lib/crypto/refundToken.ts'
import { clientAddress } from '../limits/clientAddress.ts'
import { createRateLimit, type Limit } from '../limits/rateLimit.ts'
import { keepBody, readBody } from './body.ts'
import { allowAnyOrigin, handlePreflight } from './cors.ts'
import type { HttpContext } from './httpContext.ts'
import { sendJson } from './sendJson.ts'

/** A request with an intent's client secret, a refund's token, a receipt's salt, or a payment link's id. */
export type PublicRequest<Name extends PublicOperation> = Pick<RequestOf<Name>, 'body'> & {
  /** The id of the intent, refund or link, which may no longer exist. */
  readonly id: string
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/**
 * Serves pages of any origin, which have no API key. `handle` returns the JSON text of the response, or undefined if it
 * sends the response later itself.
 *
 * @param limit of the requests with one secret; without a valid secret, of those from one address
 */
export function publicEndpoint<Name extends PublicOperation>(
  app: FastifyInstance,
  context: Pick<HttpContext, 'addressLimit' | 'serverKeys'>,
  name: Name,
  limit: Limit,
  handle: (request: PublicRequest<Name>) => Promise<string> | undefined,
): void {
  app.register(async (scope) => {
    // Browsers send this type without a preflight (CORS). Accept it only here, where no request acts in anyone's name.
    scope.addContentTypeParser('text/plain', { parseAs: 'buffer' }, keepBody)
    routes(scope)
  })

  function routes(scope: FastifyInstance): void {
    const {
      path,
      body: schema,
      bodyBytes: bodyLimit = limits.requestBytes,
    }: Endpoint = endpoints[name]
    const now = () => performance.now()
    const limitSecret = createRateLimit({ ...limit, now })
    const limitAddress = createRateLimit({ ...context.addressLimit, now })

    handlePreflight(scope, path)

    // Anyone may send anything here, so count the sender before its body is read.
    const onRequest = [
      allowAnyOrigin,
      (request: FastifyRequest, _reply: FastifyReply, done: (refusal?: Error) => void) => {
        const seconds = limitAddress.take(clientAddress(request))
        done(seconds > 0 ? rateLimited(seconds) : undefined)
      },
    ]
    // Not async: thousands of requests are held, and each would keep this function's frame in memory.
    scope.post(path, { onRequest, bodyLimit }, (request, reply) => {
      if (!schema) throw new Error('An endpoint of pages has a body.')
      const body = parse(schema, readBody(request.body).value) as PublicRequest<Name>['body'] &
        PublicRequest<PublicOperation>['body']
      request.body = undefined
      const keys = context.serverKeys.all
      const proven = idOf(body, keys)
      // Count a guessed secret for its address: guesses must not exhaust the limit of a checkout.
      refuseBeyond(limitSecret.take(proven ?? clientAddress(request)))
      const id = proven ?? namedBy(body)
      if (id === null) throw 'token' in body ? noSuchRefund() : noSuchIntent()
      return handle({ body, id, request, reply })?.then((text) => sendJson(reply, text))
    })
  }
}

/** The id that the secret proves; null: the secret is invalid, or the request has none. */
function idOf(
  body: PublicRequest<PublicOperation>['body'],
  keys: HttpContext['serverKeys']['all'],
): string | null {
  if ('token' in body) return readRefundToken(body.token, keys)
  return 'client_secret' in body ? readClientSecret(body.client_secret, keys) : null
}

/** The id that a request names without proof: a public link's, or a receipt's, whose salt is checked later. */
function namedBy(body: PublicRequest<PublicOperation>['body']): string | null {
  if ('salt' in body) return body.payment_intent
  return 'id' in body ? body.id : null
}

function refuseBeyond(seconds: number): void {
  if (seconds > 0) throw rateLimited(seconds)
}
