import { type ErrorBody, errorTable } from '@payment-intents/contract'
import { type HttpError, invalidBody, toIssues } from '@payment-intents/rules'
import type { z } from 'zod'
import type { Answer } from './answer.ts'

export function presentError(error: HttpError, requestId: string): Answer {
  const { code, message, details, headers } = error
  const body: ErrorBody = { error: code, message, request_id: requestId, ...details }
  return {
    status: errorTable[code].status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  }
}

/** @throws {HttpError} `invalid_body` with an issue for each invalid field */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw invalidBody(toIssues(parsed.error))
  return parsed.data
}
