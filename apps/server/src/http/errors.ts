import type { ConflictReason, ErrorBody, ErrorCode, ObjectName } from '@payment-intents/contract'
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

/** Zod's issues in the form of the wire. */
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
export function notFound(noun: ObjectName | 'transfer or payment intent'): HttpError {
  return new HttpError(
    'not_found',
    `There is no ${noun} with this id for this API key's merchant and mode.`,
  )
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
