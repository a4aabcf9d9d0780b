import type { z } from 'zod'
import { invalidBody, toIssues } from './errors.ts'
import { parseJson } from './json.ts'

/**
 * A body that fits its schema; one that is left out is `{}`.
 *
 * @throws {HttpError} `invalid_body`
 */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): z.output<Schema> {
  const isEmpty = body === undefined || (Buffer.isBuffer(body) && body.length === 0)
  const parsed = schema.safeParse(parseJson(isEmpty ? Buffer.from('{}') : body).value)
  if (!parsed.success) throw invalidBody(toIssues(parsed.error))
  return parsed.data
}
