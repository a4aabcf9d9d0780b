import { type Endpoint, endpoints, type Operation, type RequestOf } from '@payment-intents/contract'
import { type Merchant, parse } from '@payment-intents/rules'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../db/merchants/actor.ts'
import { authenticate } from './authenticate.ts'
import { readBody } from './body.ts'
import type { HttpContext } from './context.ts'
import type { JsonBody } from './json.ts'
import { type ObjectRoute, objectId } from './objectId.ts'
import { parseQuery } from './query.ts'
import { sendJson } from './send.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose key it has; null where no endpoint has asked for one. */
    merchant: Merchant | null
  }
}

/** A request to an endpoint of merchants, authenticated and parsed as the table of endpoints says. */
export type Served<Name extends Operation> = RequestOf<Name> & {
  readonly merchant: Merchant
  /** The scope of what the request may read and change. */
  readonly actor: Actor
  /** The body as it was sent. */
  readonly source: JsonBody
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Answers with the JSON text that `answer` gives, within the merchant's share of the server. */
export function serve<Name extends Operation>(
  app: FastifyInstance,
  context: Pick<HttpContext, 'keyring' | 'gate'>,
  name: Name,
  answer: (served: Served<Name>) => Promise<string>,
): void {
  serveUnshared(app, context, name, (served) =>
    context.gate(served.merchant.id, () => answer(served)),
  )
}

/** The same for an endpoint that takes its merchant's share itself, once it needs it. */
export function serveUnshared<Name extends Operation>(
  app: FastifyInstance,
  { keyring }: Pick<HttpContext, 'keyring'>,
  name: Name,
  answer: (served: Served<Name>) => Promise<string>,
): void {
  const { method, path, object, query, body, isBodyOptional, unavailable }: Endpoint =
    endpoints[name]
  app.route<ObjectRoute>({
    method,
    url: path.replace('{id}', ':id'),
    ...(unavailable ? { config: { unavailable } } : {}),
    // Before the body is read: a request without a key costs nothing and learns nothing.
    onRequest: async (request) => {
      request.merchant = await authenticate(keyring, request)
    },
    async handler(request, reply) {
      const { merchant } = request
      if (!merchant) throw new Error('The request was not authenticated.')
      const source = body ? readBody(request.body, isBodyOptional) : noBody
      const parsed = {
        query: query && parseQuery(query, request),
        body: body && parse(body, source.value),
        id: object ? objectId(request, object) : '',
      } as RequestOf<Name>
      const actor = { merchantId: merchant.id, mode: merchant.mode }
      return sendJson(reply, await answer({ ...parsed, merchant, actor, source, request, reply }))
    },
  })
}

const noBody: JsonBody = { value: {}, text: new Map() }
