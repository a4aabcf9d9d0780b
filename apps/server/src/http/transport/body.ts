import { type JsonBody, readBody as readJson, refuseEncoded } from '@payment-intents/core'
import type { FastifyRequest } from 'fastify'

/** The bytes that {@link keepBody} kept; empty without a body. */
export function bytesOf(body: unknown): Uint8Array {
  return Buffer.isBuffer(body) ? body : new Uint8Array()
}

/**
 * Parses a body as JSON.
 *
 * @param isOptional whether an empty body is read as `{}`
 * @throws {HttpError} `invalid_body`
 */
export function readBody(body: unknown, isOptional = false): JsonBody {
  return readJson(bytesOf(body), isOptional)
}

/** A content type parser for Fastify that keeps the bytes: endpoints parse bodies themselves. */
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
