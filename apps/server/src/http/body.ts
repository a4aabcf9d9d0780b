import type { z } from 'zod'
import { invalidBody, toIssues } from './errors.ts'
import { parseJson } from './json.ts'

/**
 * A body that fits its schema; one that is left out is `{}` where that is allowed.
 *
 * @throws {HttpError} `invalid_body`
 */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  empty: 'refused' | 'allowed' = 'refused',
): z.output<Schema> {
  const isLeftOut = body === undefined || (Buffer.isBuffer(body) && body.length === 0)
  const isEmpty = isLeftOut && empty === 'allowed'
  const parsed = schema.safeParse(parseJson(isEmpty ? Buffer.from('{}') : body).value)
  if (!parsed.success) throw invalidBody(toIssues(parsed.error))
  return parsed.data
}
