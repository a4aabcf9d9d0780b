import { refuseEncoded } from '@payment-intents/rules'
import type { FastifyRequest } from 'fastify'
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

/** Fastify's parser of a body that its endpoint reads itself. */
export function keepBody(
  { headers }: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, body?: Buffer) => void,
): void {
  try {
    refuseEncoded(headers['content-encoding'])
    done(null, body)
  } catch (error) {
    done(error as Error)
  }
}
