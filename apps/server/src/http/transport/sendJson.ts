import { jsonHeaders } from '@payment-intents/core'
import type { FastifyReply } from 'fastify'

/** Sets the headers of a JSON response that nobody stores. Returns the text, for a handler to return. */
export function sendJson(reply: FastifyReply, text: string): string {
  reply.headers(jsonHeaders)
  return text
}
