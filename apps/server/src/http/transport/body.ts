import { type JsonBody, readBody as readJson, refuseEncoded } from '@payment-intents/core'
import type { FastifyRequest } from 'fastify'

/** The bytes of a body that {@link keepBody} kept; none for an omitted body. */
export function bytesOf(body: unknown): Uint8Array {
  return Buffer.isBuffer(body) ? body : new Uint8Array()
}

/**
 * A body as JSON.
 *
 * @param isOptional an empty body is `{}`
 * @throws {HttpError} `invalid_body`
 */
export function readBody(body: unknown, isOptional = false): JsonBody {
  return readJson(bytesOf(body), isOptional)
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
