import {
  type ConflictReason,
  type ErrorBody,
  type ErrorCode,
  errorTable,
} from '@payment-intents/contract'
import type { z } from 'zod'
import type { Answer } from './answer.ts'

type Details = Pick<ErrorBody, 'reason' | 'issues'>

/** Thrown to answer a request with an error of the table. */
export class ServiceError extends Error {
  override name = 'ServiceError'
  readonly code: ErrorCode
  readonly details: Details
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: ErrorCode,
    message: string,
    details: Details = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.code = code
    this.details = details
    this.headers = headers
  }
}

export function presentError(error: ServiceError, requestId: string): Answer {
  const { code, message, details, headers } = error
  const body: ErrorBody = { error: code, message, request_id: requestId, ...details }
  return {
    status: errorTable[code].status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  }
}

export function invalidBody(...issues: { path: string; message: string }[]): ServiceError {
  const [first] = issues
  const where = first?.path ? `\`${first.path}\`: ` : ''
  return new ServiceError('invalid_body', `${where}${first?.message ?? 'invalid'}`, { issues })
}

export function conflict(
  reason: ConflictReason,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ServiceError {
  return new ServiceError('conflict', message, { reason }, headers)
}

export function notFound(
  noun: 'payment intent' | 'event' | 'transfer' | 'transfer or payment intent',
): ServiceError {
  return new ServiceError(
    'not_found',
    `There is no ${noun} with this id for this API key's merchant and mode.`,
  )
}

/** @throws {ServiceError} `invalid_body` with an issue for each invalid field */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({
          path: [...issue.path, key],
          message: 'is not a known property',
        }))
      : [issue],
  )
  throw invalidBody(...issues.map(({ path, message }) => ({ path: path.join('.'), message })))
}
