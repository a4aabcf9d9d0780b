import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export const anyOrigin = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'X-Request-Id, Retry-After',
} as const

/** Lets pages of any origin read the answer, errors included; never with credentials. */
export function allowAnyOrigin(
  _request: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
): void {
  reply.headers(anyOrigin)
  done()
}

/** What a browser asks before a `POST` of JSON; kept for a day. */
export function answerPreflight(app: FastifyInstance, path: string): void {
  app.options(path, { onRequest: allowAnyOrigin }, async (_request, reply) => {
    reply
      .status(204)
      .header('access-control-allow-methods', 'POST')
      .header('access-control-allow-headers', 'content-type, x-request-id')
      .header('access-control-max-age', '86400')
  })
}
