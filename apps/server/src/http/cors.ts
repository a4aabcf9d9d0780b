import type { FastifyReply, FastifyRequest } from 'fastify'

/** Lets pages of any origin read the answer, errors included; never with credentials. */
export async function allowAnyOrigin(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply
    .header('access-control-allow-origin', '*')
    .header('access-control-expose-headers', 'X-Request-Id, Retry-After')
}
