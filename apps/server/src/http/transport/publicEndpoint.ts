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

/** A request with the client secret of an intent, the token of a refund, the salt of a receipt, or the id of a payment link. */
export type PublicRequest<Name extends PublicOperation> = Pick<RequestOf<Name>, 'body'> & {
  /** The intent's, refund's or link's; there may be none any more. */
  readonly id: string
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/**
 * Serves pages of any origin, which have no API key, with the JSON text that `handle` returns. If that is
 * undefined, `handle` sends the response later.
 *
 * @param limit counts the requests with one secret; for a link, which is public, those of one address
 */
export function publicEndpoint<Name extends PublicOperation>(
  app: FastifyInstance,
  context: Pick<HttpContext, 'addressLimit' | 'serverKeys'>,
  name: Name,
  limit: Limit,
  handle: (request: PublicRequest<Name>) => Promise<string> | undefined,
): void {
  app.register(async (scope) => {
    // Browsers send this type without a preflight (CORS): only here, since nothing here is done in anyone's
    // name.
    scope.addContentTypeParser('text/plain', { parseAs: 'buffer' }, keepBody)
    routes(scope)
  })

  function routes(scope: FastifyInstance): void {
    const {
      path,
      body: schema,
      bodyBytes: bodyLimit = limits.requestBytes,
    }: Endpoint = endpoints[name]
    // Whole seconds: a rounding error could make the rest of a window longer than the window.
    const now = () => Math.floor(performance.now())
    const limitSecret = createRateLimit({ ...limit, now })
    const limitAddress = createRateLimit({ ...context.addressLimit, now })

    handlePreflight(scope, path)

    // Anyone may send anything here: before a body is read, its sender is counted.
    const onRequest = [
      allowAnyOrigin,
      (request: FastifyRequest, _reply: FastifyReply, done: (refusal?: Error) => void) => {
        const seconds = limitAddress.take(clientAddress(request))
        done(seconds > 0 ? rateLimited(seconds) : undefined)
      },
    ]
    // Not async: thousands of requests are held, and each would keep the frame of this function.
    scope.post(path, { onRequest, bodyLimit }, (request, reply) => {
      if (!schema) throw new Error('An endpoint of pages has a body.')
      const body = parse(schema, readBody(request.body).value) as PublicRequest<Name>['body'] &
        PublicRequest<PublicOperation>['body']
      request.body = undefined
      const keys = context.serverKeys.all
      const proven = idOf(body, keys)
      // Guessed secrets are counted by address: guessing one must not exhaust its checkout's limit.
      refuseBeyond(limitSecret.take(proven ?? clientAddress(request)))
      const id = proven ?? namedBy(body)
      if (id === null) throw 'token' in body ? noSuchRefund() : noSuchIntent()
      return handle({ body, id, request, reply })?.then((text) => sendJson(reply, text))
    })
  }
}

/** The id that a secret proves by itself; null: it proves none, or the request has none. */
function idOf(
  body: PublicRequest<PublicOperation>['body'],
  keys: HttpContext['serverKeys']['all'],
): string | null {
  if ('token' in body) return readRefundToken(body.token, keys)
  return 'client_secret' in body ? readClientSecret(body.client_secret, keys) : null
}

/** The id that a request names: of a link, which is public, or of a receipt, whose salt is compared with its intent's later. */
function namedBy(body: PublicRequest<PublicOperation>['body']): string | null {
  if ('salt' in body) return body.payment_intent
  return 'id' in body ? body.id : null
}

function refuseBeyond(seconds: number): void {
  if (seconds > 0) throw rateLimited(seconds)
}
