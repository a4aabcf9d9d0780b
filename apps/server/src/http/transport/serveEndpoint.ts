import { type Endpoint, endpoints } from '@payment-intents/contract'
import {
  handlers,
  type MerchantOperation,
  parseRequest,
  type Service,
  type ServiceRequest,
  type ServiceResponse,
  type StreamedResponse,
} from '@payment-intents/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { audited } from '../../account/auditLogEndpoints.ts'
import { logEvents } from '../../store/events/logEvents.ts'
import { type Authenticate, type Caller, checkPermission } from '../authentication/caller.ts'
import { bytesOf } from './body.ts'
import { headerOf } from './headerOf.ts'
import { createHoldEvents, type HoldEvents } from './heldEvents.ts'
import type { HttpContext } from './httpContext.ts'
import { sendJson } from './sendJson.ts'
import { createSendStream, type SendStream } from './stream/sendStream.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The sender; null before authentication. */
    caller: Caller | null
  }
}

/** Operations outside the merchant's share of connections: a shared read, and creation, which has its own limit. */
const unshared: ReadonlySet<MerchantOperation> = new Set([
  'retrievePaymentIntent',
  'createPaymentIntent',
])

/** The route of an endpoint of one object. */
export type ObjectRoute = { Params: { id?: string } }

/** Registers every merchant endpoint of the contract, for callers who authenticate in one way. */
export function merchantRoutes(
  app: FastifyInstance,
  context: HttpContext,
  service: Service,
  authenticate: Authenticate,
): void {
  const holdEvents = createHoldEvents(context, service)
  const sendStream = createSendStream(context)
  for (const name of Object.keys(handlers) as MerchantOperation[]) {
    merchantRoute(app, context, { service, authenticate, holdEvents, sendStream }, name)
  }
}

function merchantRoute<Name extends MerchantOperation>(
  app: FastifyInstance,
  { db, database, now, limiter, metrics }: HttpContext,
  {
    service,
    authenticate,
    holdEvents,
    sendStream,
  }: {
    readonly service: Service
    readonly authenticate: Authenticate
    readonly holdEvents: HoldEvents
    readonly sendStream: SendStream
  },
  name: Name,
): void {
  const endpoint: Endpoint = endpoints[name]
  const { method, path, unavailable, bodyBytes } = endpoint
  const handle = handlers[name]
  app.route<ObjectRoute>({
    method,
    url: path.replace('{id}', ':id'),
    ...(unavailable ? { config: { unavailable } } : {}),
    ...(bodyBytes ? { bodyLimit: bodyBytes } : {}),
    // Before the body is read, so that a request without a key costs little and learns nothing.
    onRequest: async (request) => {
      request.caller = await authorize(request)
    },
    // Not async: a held request would keep this function's frame in memory.
    handler(request, reply) {
      const serviceRequest = read(request)
      if (isLongPoll(serviceRequest)) {
        const list = serviceRequest as unknown as ServiceRequest<'listEvents'>
        holdEvents(list, idOf(callerOf(request)), reply)
        return undefined
      }
      if (endpoint.streams) return stream(serviceRequest, request, reply)
      return respond(serviceRequest, request, reply)
    },
  })

  async function authorize(request: FastifyRequest): Promise<Caller> {
    const caller = await authenticate(request)
    checkPermission(caller, endpoint)
    return caller
  }

  function read(request: FastifyRequest<ObjectRoute>): ServiceRequest<Name> {
    const { merchant } = callerOf(request)
    const parsed = parseRequest(name, {
      method: request.method,
      url: request.url,
      id: request.params.id ?? '',
      bytes: bytesOf(request.body),
    })
    return {
      ...parsed,
      merchant,
      actor: { merchantId: merchant.id, mode: merchant.mode },
      header: (name) => headerOf(request, name),
    }
  }

  function isLongPoll(request: { readonly query: unknown }): boolean {
    return name === 'listEvents' && Boolean(Object(request.query).wait)
  }

  function stream(
    serviceRequest: ServiceRequest<Name>,
    request: FastifyRequest,
    reply: FastifyReply,
  ) {
    const caller = callerOf(request)
    return sendStream(request, reply, {
      ...{ merchantId: caller.merchant.id, callerId: idOf(caller) },
      begin: () => handle(service, serviceRequest) as Promise<StreamedResponse>,
      authorize: async () => void (await authorize(request)),
    })
  }

  async function respond(
    serviceRequest: ServiceRequest<Name>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<string> {
    const caller = callerOf(request)
    const work = () =>
      recorded(
        caller,
        serviceRequest,
        () => handle(service, serviceRequest) as Promise<ServiceResponse>,
      )
    const { id } = caller.merchant
    const response = await (unshared.has(name) ? work() : limiter(id, work))
    report(request, response)
    if (response.headers) reply.headers(response.headers)
    return sendJson(reply, response.body)
  }

  /** Audits each change but the creation of an intent by a program: there are thousands, and their list is the log. */
  function recorded(
    caller: Caller,
    { id, body }: { readonly id: string; readonly body: unknown },
    work: () => Promise<ServiceResponse>,
  ): Promise<ServiceResponse> {
    const isOrdinary = name === 'createPaymentIntent' && 'apiKeyId' in caller
    if (method === 'GET' || isOrdinary) return work()
    const { merchant, ...actor } = caller
    return audited(
      { db, database, now },
      {
        ...{ merchantId: merchant.id, mode: merchant.mode, actor, action: name, body },
        subject: id || null,
      },
      work,
    )
  }

  function report({ log }: FastifyRequest, { written }: ServiceResponse): void {
    if (!written) return
    metrics.recorded(written.chainId, written.events)
    logEvents(log, written.chainId, written.events)
  }
}

function callerOf({ caller }: FastifyRequest): Caller {
  if (!caller) throw new Error('The request was not authenticated.')
  return caller
}

function idOf(caller: Caller): string {
  return 'apiKeyId' in caller ? caller.apiKeyId : caller.personId
}
