import { jsonHeaders } from '@payment-intents/core'
import type { FastifyReply } from 'fastify'

/** Responds with JSON text as it is, for the caller alone. */
export function sendJson(reply: FastifyReply, text: string): string {
  reply.headers(jsonHeaders)
  return text
}
