import { type Endpoint, endpoints } from '@payment-intents/contract'
import {
  handlers,
  type Merchant,
  type MerchantOperation,
  parseRequest,
  type Service,
  type ServiceRequest,
  type ServiceResponse,
} from '@payment-intents/core'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { logEvents } from '../../store/events/logEvents.ts'
import { authenticate } from '../authentication/authenticate.ts'
import { bytesOf } from './body.ts'
import { headerOf } from './headerOf.ts'
import type { HttpContext } from './httpContext.ts'
import { sendJson } from './sendJson.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The merchant of its API key; null before it is authenticated. */
    merchant: Merchant | null
  }
}

/** These take no share of their merchant: reads that all merchants share, and creations, which have a limit of their own. */
const unshared: ReadonlySet<MerchantOperation> = new Set([
  'retrievePaymentIntent',
  'createPaymentIntent',
])

/** The path parameter of an endpoint of one object. */
export type ObjectRoute = { Params: { id?: string } }

/** Every endpoint of merchants' backends, as the table of endpoints describes it. */
export function merchantRoutes(app: FastifyInstance, context: HttpContext, service: Service): void {
  for (const name of Object.keys(handlers) as MerchantOperation[]) {
    merchantRoute(app, context, service, name)
  }
}

function merchantRoute<Name extends MerchantOperation>(
  app: FastifyInstance,
  { apiKeyCache, limiter, metrics }: HttpContext,
  service: Service,
  name: Name,
): void {
  const { method, path, unavailable, bodyBytes }: Endpoint = endpoints[name]
  const handle = handlers[name]
  app.route<ObjectRoute>({
    method,
    url: path.replace('{id}', ':id'),
    ...(unavailable ? { config: { unavailable } } : {}),
    ...(bodyBytes ? { bodyLimit: bodyBytes } : {}),
    // Before the body is read: a request without a key costs nothing and learns nothing.
    onRequest: async (request) => {
      request.merchant = await authenticate(apiKeyCache, request)
    },
    async handler(request, reply) {
      const { merchant } = request
      if (!merchant) throw new Error('The request was not authenticated.')
      const parsed = parseRequest(name, {
        method: request.method,
        url: request.url,
        id: request.params.id ?? '',
        bytes: bytesOf(request.body),
      })
      const serviceRequest: ServiceRequest<Name> = {
        ...parsed,
        merchant,
        actor: { merchantId: merchant.id, mode: merchant.mode },
        header: (name) => headerOf(request, name),
      }
      const work = () => handle(service, serviceRequest)
      const response = await (unshared.has(name) ? work() : limiter(merchant.id, work))
      report(request, response)
      if (response.headers) reply.headers(response.headers)
      return sendJson(reply, response.body)
    },
  })

  function report({ log }: FastifyRequest, { written }: ServiceResponse): void {
    if (!written) return
    metrics.recorded(written.chainId, written.events)
    logEvents(log, written.chainId, written.events)
  }
}
