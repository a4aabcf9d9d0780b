import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import {
  type ConflictReason,
  type ErrorBody,
  type ErrorCode,
  errorTable,
} from '@payment-intents/contract'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'

/** Ends a request with one row of the error table. */
export class HttpError extends Error {
  readonly code: ErrorCode
  readonly details: Pick<ErrorBody, 'reason' | 'issues'>
  readonly headers: Record<string, string>

  constructor(
    code: ErrorCode,
    message: string,
    details: Pick<ErrorBody, 'reason' | 'issues'> = {},
    headers: Record<string, string> = {},
  ) {
    super(message)
    this.code = code
    this.details = details
    this.headers = headers
  }
}

export function invalidBody(issues: { path: string; message: string }[]): HttpError {
  const [first] = issues
  const where = first?.path ? `\`${first.path}\`: ` : ''
  return new HttpError('invalid_body', `${where}${first?.message ?? 'invalid'}`, { issues })
}

/** Zod's issues as the wire tells them. */
export function toIssues(error: z.ZodError): { path: string; message: string }[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        path: [...issue.path, key].join('.'),
        message: 'is not a known property',
      }))
    }
    return [{ path: issue.path.join('.'), message: issue.message }]
  })
}

export function conflict(
  reason: ConflictReason,
  message: string,
  headers: Record<string, string> = {},
): HttpError {
  return new HttpError('conflict', message, { reason }, headers)
}

/** The same for what never existed and for what is another merchant's or mode's. */
export function notFound(
  noun: 'payment intent' | 'event' | 'transfer' | 'transfer or payment intent' | 'webhook endpoint',
): HttpError {
  return new HttpError(
    'not_found',
    `There is no ${noun} with this id for this API key's merchant and mode.`,
  )
}

/** Answers an error; what is not in the table is logged and told as `internal_error`, without its text. */
export function answerError(
  error: FastifyError | HttpError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const known = error instanceof HttpError ? error : fromFramework(error)
  if (!known) request.log.error({ err: error }, 'request failed')
  const told =
    known ??
    new HttpError('internal_error', 'Something went wrong on the server; retry the request.')
  reply.status(errorTable[told.code].status).headers(told.headers).send(bodyOf(told, request.id))
}

/** Answers what is no request, as Node.js finds while it reads from a connection, and closes that. */
export function answerUnreadable(
  error: Error & { readonly code?: string },
  socket: Socket,
  answer: { readonly id: string; readonly headers: Record<string, string> },
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const told = fromFramework(error) ?? invalidBody([{ path: '', message: notHttp }])
  const { status } = errorTable[told.code]
  const body = JSON.stringify(bodyOf(told, answer.id))
  const headers = {
    ...answer.headers,
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

function bodyOf(told: HttpError, requestId: string): ErrorBody {
  return { error: told.code, message: told.message, request_id: requestId, ...told.details }
}

/** Faults that Fastify, or Node.js, finds while it reads a request. */
function fromFramework(error: Error): HttpError | null {
  const message = frameworkMessages.get((error as FastifyError).code)
  return message ? invalidBody([{ path: '', message }]) : null
}

const frameworkMessages = new Map([
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'the request body is larger than 64 KiB'],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'the content type must be application/json'],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 'the body does not have the length that its header says'],
  ['FST_ERR_BAD_URL', 'the path is not valid percent-encoded UTF-8'],
  ['FST_ERR_CTP_EMPTY_TYPE', 'the content type must be application/json'],
  ['HPE_HEADER_OVERFLOW', 'the headers are larger than 16 KiB'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'the request did not come in as a whole in time'],
])
