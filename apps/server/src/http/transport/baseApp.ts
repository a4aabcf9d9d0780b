import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { BlockList, isIPv4 } from 'node:net'
import { limits } from '@payment-intents/contract'
import {
  anyOrigin,
  commonHeaders,
  invalidBody,
  requestId,
  withoutSecrets,
} from '@payment-intents/core'
import Fastify, {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import type { Logger } from 'pino'
import type { TrustProxy } from '../../config/schemas.ts'
import { readForwardedAddress } from '../limits/clientAddress.ts'
import { keepBody } from './body.ts'
import { handleNotFound } from './handleNotFound.ts'
import type { HttpContext } from './httpContext.ts'
import { RequestLog } from './requestLog.ts'
import { errorHandler, refuseUnreadable } from './sendError.ts'

const requestTimeoutMs = 20_000

export type BaseOptions = { readonly log?: Logger; readonly trustProxy: TrustProxy }

/** An HTTP server without routes: it reads and logs requests, and responds to errors. */
export function createBaseApp(
  context: Pick<HttpContext, 'database' | 'stopping' | 'developmentChains'>,
  options: BaseOptions,
): FastifyInstance {
  const handleError = errorHandler(context.database)
  const app = Fastify(fastifyOptions(handleError, context.stopping, options))
  // An expectation other than `100-continue` may be ignored (RFC 9110, 10.1.1). Node.js would respond by
  // itself.
  app.server.on('checkExpectation', app.routing)
  // Endpoints parse bodies themselves: JSON.parse alone would hide repeated properties.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, keepBody)
  app.decorateRequest('caller', null)
  app.setErrorHandler(handleError)
  addHooks(app, context)
  handleNotFound(app)
  return app
}

function fastifyOptions(
  handleError: ReturnType<typeof errorHandler>,
  stopping: AbortSignal,
  options: BaseOptions,
): FastifyHttpOptions<Server> {
  return {
    ...(options.log
      ? {
          loggerInstance: options.log.child({}, { serializers: { req: describeRequest } }),
          // Routes that log less, such as probes, have a level of their own.
          childLoggerFactory: (log, bindings, options) =>
            options.level
              ? log.child(bindings, options)
              : new RequestLog(log as Logger, bindings.reqId),
        }
      : {}),
    // Logged by hooks, at debug.
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trusted(options.trustProxy),
    bodyLimit: limits.requestBytes,
    // Routes have no schemas of Fastify's, so that neither Ajv nor its serializer is loaded.
    schemaController: {
      compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas },
    },
    // For a request to arrive; its response may take longer.
    requestTimeout: requestTimeoutMs,
    // How often Node.js looks for connections whose time is over; its default is every 30 s.
    http: {
      connectionsCheckingInterval: 1_000,
      headersTimeout: requestTimeoutMs,
      // Refused by a hook instead, as any other request.
      requireHostHeader: false,
    },
    forceCloseConnections: 'idle',
    // Requests whose connection is open when the server closes are served: nothing that they need has ended yet.
    return503OnClosing: false,
    // Longer than any path that HTTP lets through: an id of any length is looked for, and not found.
    routerOptions: { maxParamLength: 65_536 },
    genReqId: ({ headers }) => {
      const sent = headers['x-request-id']
      return requestId(typeof sent === 'string' ? sent : null, newRequestId)
    },
    // Found before any hook runs.
    frameworkErrors: (error, request, reply) => {
      if (stopping.aborted) reply.header('connection', 'close')
      handleError(error, request, reply.headers(commonHeaders(request.id)))
    },
    clientErrorHandler: (error, socket) => {
      const id = newRequestId()
      refuseUnreadable(error, socket, { id, headers: { ...commonHeaders(id), ...anyOrigin } })
    },
  }
}

/** A UUID as one text. That of Node.js is seventeen that are put together, and held requests would keep them all. */
function newRequestId(): string {
  return Buffer.from(randomUUID(), 'latin1').toString('latin1')
}

function noSchemas(): never {
  throw new Error('Routes parse and respond by the schemas of the contract.')
}

function addHooks(
  app: FastifyInstance,
  { developmentChains, stopping }: Pick<HttpContext, 'developmentChains' | 'stopping'>,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    request.log.debug({ req: request }, 'incoming request')
    reply.headers(commonHeaders(request.id))
    const lacksHost = request.headers.host === undefined && request.raw.httpVersion === '1.1'
    done(lacksHost ? invalidBody([{ path: 'Host', message: 'the header is missing' }]) : undefined)
  })
  app.addHook('onResponse', (request, reply, done) => {
    request.log.debug({ res: reply, responseTime: reply.elapsedTime }, 'request completed')
    done()
  })
  if (developmentChains) {
    // Their clocks may have been moved past this server.
    app.addHook('onRequest', async ({ url }) => {
      if (url.startsWith('/v1/')) await developmentChains.readClocks()
    })
  }
  // A connection that gets a response while the server stops would otherwise be kept alive, and delay the stop.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (stopping.aborted) reply.header('connection', 'close')
    done()
  })
}

/** A request in the log. */
function describeRequest({ method, url, host, ip, socket }: FastifyRequest) {
  const { remotePort } = socket
  return { method, url: withoutSecrets(url), host, remoteAddress: ip, remotePort }
}

/** Fastify calls this for each hop, the nearest first. */
function trusted(proxies: TrustProxy): NonNullable<FastifyServerOptions['trustProxy']> {
  if (proxies === false) return false
  if (typeof proxies === 'number') return (_address: string, hop: number) => hop < proxies
  const networks = new BlockList()
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/')
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    if (bits === undefined) networks.addAddress(address, family)
    else networks.addSubnet(address, Number(bits), family)
  }
  return (text: string) => {
    const address = readForwardedAddress(text)
    return address !== null && networks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
  }
}
