import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import {
  type ConflictReason,
  type ErrorBody,
  type ErrorCode,
  errorTable,
  limits,
} from '@payment-intents/contract'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { troubleOf } from '../db/trouble.ts'
import type { DatabaseWatch } from '../db/watchDatabase.ts'

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

/**
 * What answers errors. Trouble of the server that passes is `internal_error`: 503, or what the route has published. It
 * is logged by whoever watches the database, since it fails every request at once.
 */
export function errorHandler(database: Pick<DatabaseWatch, 'report'>) {
  return (
    error: FastifyError | HttpError | Error,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => {
    const known = error instanceof HttpError ? error : fromFramework(error, request)
    const told = known ?? internalError()
    const passes = told.code === 'internal_error' && (known !== null || troubleOf(error) !== null)
    if (!known) {
      database.report(error)
      if (troubleOf(error) === null) request.log.error({ err: error }, 'request failed')
    }
    const { status } = errorTable[told.code]
    const { unavailable = 503 } = request.routeOptions?.config ?? {}
    reply
      .status(passes ? unavailable : status)
      .headers(told.headers)
      .send(bodyOf(told, request.id))
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The status of trouble that passes, where it is not 503. */
    unavailable?: 500
  }
}

/** What is the server's own fault: the same request may succeed in a moment. */
export function internalError(): HttpError {
  return new HttpError(
    'internal_error',
    'Something went wrong on the server; retry the request.',
    {},
    { 'retry-after': '1' },
  )
}

/** Answers what is no request, as Node.js finds while it reads from a connection, and closes that. */
export function answerUnreadable(
  error: Error & { readonly code?: string },
  socket: Socket,
  answer: { readonly id: string; readonly headers: Record<string, string> },
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const told = fromFramework(error, null) ?? invalidBody([{ path: '', message: notHttp }])
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

/** Callers choose names and values that errors repeat: neither many nor long ones come back as a whole. */
const most = { issues: 20, message: 300, path: 100 }

function bodyOf(told: HttpError, requestId: string): ErrorBody {
  const { issues, ...details } = told.details
  return {
    error: told.code,
    message: cut(told.message, most.message),
    request_id: requestId,
    ...details,
    ...(issues && {
      issues: issues.slice(0, most.issues).map(({ path, message }) => ({
        path: cut(path, most.path),
        message: cut(message, most.message),
      })),
    }),
  }
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}

/** Faults that Fastify, or Node.js, finds while it reads a request. */
function fromFramework(error: Error, request: FastifyRequest | null): HttpError | null {
  const { code } = error as FastifyError
  const kib = (request?.routeOptions.bodyLimit ?? limits.requestBytes) / 1024
  const message =
    code === 'FST_ERR_CTP_BODY_TOO_LARGE'
      ? `the request body is larger than ${kib} KiB`
      : frameworkMessages.get(code)
  return message ? invalidBody([{ path: '', message }]) : null
}

const frameworkMessages = new Map([
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'the content type must be application/json'],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 'the body does not have the length that its header says'],
  ['FST_ERR_BAD_URL', 'the path is not valid percent-encoded UTF-8'],
  ['FST_ERR_CTP_EMPTY_TYPE', 'the content type must be application/json'],
  ['HPE_HEADER_OVERFLOW', 'the headers are larger than 16 KiB'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'the request did not come in as a whole in time'],
])
