import { anyOrigin, preflight } from '@payment-intents/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Lets pages of any origin read the response, including errors, but never with credentials. */
export function allowAnyOrigin(
  _request: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
): void {
  reply.headers(anyOrigin)
  done()
}

/** Responds to the preflight that a browser sends before a `POST` of JSON. */
export function handlePreflight(app: FastifyInstance, path: string): void {
  app.options(path, { onRequest: allowAnyOrigin }, async (_request, reply) => {
    reply.status(204).headers(preflight)
  })
}
