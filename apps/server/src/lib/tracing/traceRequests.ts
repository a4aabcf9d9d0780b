import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  SpanKind,
  type Tracer,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { type Endpoint, endpoints } from '@payment-intents/contract'
import { withoutSecrets } from '@payment-intents/core'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { runWithin } from './active.ts'
import { setFailed } from './tracedBy.ts'

const probes = ['/livez', '/readyz', '/metrics']
const propagator = new W3CTraceContextPropagator()
const published = new Map(
  Object.entries(endpoints).map(([operationId, endpoint]: [string, Endpoint]) => [
    `${endpoint.method} ${endpoint.path.replace('{id}', ':id')}`,
    { operationId, auth: endpoint.auth },
  ]),
)

/** Traces each request as a span, until its response is sent or its connection is closed. */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { method, routeOptions } = request
    const { url: route } = routeOptions
    if (route && probes.includes(route)) return done()
    const operation = published.get(`${method} ${route}`)
    const attributes = {
      'http.request.method': method,
      'url.scheme': request.protocol,
      'payment_intents.request_id': request.id,
      ...(route ? { 'http.route': route } : {}),
      // Only published paths are safe to send: others may hold a secret. Their ids help to search.
      ...(operation
        ? {
            'url.path': withoutSecrets(request.url.replace(/\?.*$/s, '')),
            'payment_intents.operation_id': operation.operationId,
          }
        : {}),
    }
    const span = tracer.startSpan(
      route ? `${method} ${route}` : method,
      { kind: SpanKind.SERVER, attributes },
      operation?.auth === 'api_key' ? callersContext(request) : ROOT_CONTEXT,
    )
    reply.raw.once('close', () => {
      const { writableFinished, statusCode } = reply.raw
      if (writableFinished) span.setAttribute('http.response.status_code', statusCode)
      if (writableFinished && statusCode >= 500) setFailed(span, String(statusCode))
      span.end()
    })
    // Fastify keeps this context if the body arrives later.
    runWithin(span, done)
  })
}

/** The trace of a merchant's backend. Do not use it for strangers: they would decide which requests are sampled. */
function callersContext({ headers }: FastifyRequest): Context {
  return propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
}
