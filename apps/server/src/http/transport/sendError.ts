import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { errorTable, limits } from '@payment-intents/contract'
import { bodyFaults, errorBody, HttpError, internalError, invalidBody } from '@payment-intents/core'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { classifyDbError } from '../../lib/classifyDbError.ts'
import type { DatabaseWatch } from '../../store/connection/watchDatabase.ts'

/**
 * Responds to errors. A temporary fault of the server is `internal_error` with 503, or with the status that the route
 * publishes. The database watch logs an outage once, since it fails every request.
 */
export function errorHandler(database: Pick<DatabaseWatch, 'report'>) {
  return (
    error: FastifyError | HttpError | Error,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => {
    const httpError = error instanceof HttpError ? error : fromFramework(error, request)
    const sent = httpError ?? internalError()
    const isTemporary =
      sent.code === 'internal_error' && (httpError !== null || classifyDbError(error) !== null)
    if (!httpError) {
      database.report(error)
      if (classifyDbError(error) === null) request.log.error({ err: error }, 'request failed')
    }
    const { status } = errorTable[sent.code]
    const { unavailable = 503 } = request.routeOptions?.config ?? {}
    reply
      .status(isTemporary ? unavailable : status)
      .headers(sent.headers)
      .send(errorBody(sent, request.id))
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The status of a temporary fault; 503 by default. */
    unavailable?: 500
  }
}

/** Responds to input that Node.js cannot read as HTTP, and closes the connection. */
export function refuseUnreadable(
  error: Error & { readonly code?: string },
  socket: Socket,
  options: { readonly id: string; readonly headers: Record<string, string> },
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const sent = fromFramework(error, null) ?? invalidBody([{ path: '', message: notHttp }])
  const { status } = errorTable[sent.code]
  const body = JSON.stringify(errorBody(sent, options.id))
  const headers = {
    ...options.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...head, '', body]
  if (socket.writable) socket.write(lines.join('\r\n'))
  socket.destroy(error)
}

const notHttp = 'the request is not valid HTTP'

/** Converts an error that Fastify or Node.js meets while it reads a request; null: any other error. */
function fromFramework(error: Error, request: FastifyRequest | null): HttpError | null {
  const { code } = error as FastifyError
  const bytes = request?.routeOptions?.bodyLimit ?? limits.requestBytes
  const message =
    code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? bodyFaults.tooLarge(bytes) : frameworkMessages.get(code)
  if (message) return invalidBody([{ path: '', message }])
  // Any other 400 of Fastify, such as for a method that a later Node.js adds.
  const isRefused = code?.startsWith('FST_ERR_') && (error as FastifyError).statusCode === 400
  return isRefused ? invalidBody([{ path: '', message: error.message }]) : null
}

const frameworkMessages = new Map([
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', bodyFaults.contentType],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 'the body does not have the length that its header says'],
  ['FST_ERR_BAD_URL', 'the path is not valid percent-encoded UTF-8'],
  ['FST_ERR_CTP_EMPTY_TYPE', bodyFaults.contentType],
  ['HPE_HEADER_OVERFLOW', 'the headers are larger than 16 KiB'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'the request did not come in as a whole in time'],
])
