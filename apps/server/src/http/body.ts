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
