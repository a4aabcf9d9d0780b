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
  // A server may ignore an expectation other than `100-continue` (RFC 9110, 10.1.1). Without this listener, Node.js
  // would respond 417 by itself.
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
          // A route that logs less, such as a probe, has a level of its own and needs a real child.
          childLoggerFactory: (log, bindings, options) =>
            options.level
              ? log.child(bindings, options)
              : new RequestLog(log as Logger, bindings.reqId),
        }
      : {}),
    // The hooks below log requests, at debug.
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trusted(options.trustProxy),
    bodyLimit: limits.requestBytes,
    // No route has a Fastify schema, so this keeps Ajv and the serializer from being loaded.
    schemaController: {
      compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas },
    },
    // The time for a request to arrive. Its response may take longer.
    requestTimeout: requestTimeoutMs,
    // Node.js looks for connections whose time is over every 30 s by default.
    http: {
      connectionsCheckingInterval: 1_000,
      headersTimeout: requestTimeoutMs,
      // A hook refuses a request without Host, so that its response is like any other.
      requireHostHeader: false,
    },
    forceCloseConnections: 'idle',
    // While the server closes, requests on open connections are still served: their dependencies end later.
    return503OnClosing: false,
    // Longer than any path that Node.js accepts, so that an id of any length gets the usual 404.
    routerOptions: { maxParamLength: 65_536 },
    genReqId: ({ headers }) => {
      const sent = headers['x-request-id']
      return requestId(typeof sent === 'string' ? sent : null, newRequestId)
    },
    // These errors occur before any hook runs, so this sets the headers that hooks set.
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

/** Flattens the UUID: Node.js joins it from seventeen strings, and a held request would keep all of them in memory. */
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
    // Somebody may have moved a chain's clock at its node, which this server does not notice otherwise.
    app.addHook('onRequest', async ({ url }) => {
      if (url.startsWith('/v1/')) await developmentChains.readClocks()
    })
  }
  // A connection that stays alive after a response would delay the stop.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (stopping.aborted) reply.header('connection', 'close')
    done()
  })
}

function describeRequest({ method, url, host, ip, socket }: FastifyRequest) {
  const { remotePort } = socket
  return { method, url: withoutSecrets(url), host, remoteAddress: ip, remotePort }
}

/** Fastify calls the returned function for each hop, the nearest first. */
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
