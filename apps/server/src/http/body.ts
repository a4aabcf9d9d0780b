import { invalidBody, toIssues } from '@payment-intents/rules'
import type { z } from 'zod'
import { type JsonBody, parseJson } from './json.ts'

/**
 * A body as JSON.
 *
 * @param isOptional one that is left out is `{}`
 * @throws {HttpError} `invalid_body`
 */
export function readBody(body: unknown, isOptional = false): JsonBody {
  const isLeftOut = body === undefined || (Buffer.isBuffer(body) && body.length === 0)
  return parseJson(isLeftOut && isOptional ? Buffer.from('{}') : body)
}

/**
 * A body that fits its schema.
 *
 * @throws {HttpError} `invalid_body`
 */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  { value }: JsonBody,
): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw invalidBody(toIssues(parsed.error))
  return parsed.data
}
