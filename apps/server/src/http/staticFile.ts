import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** What is answered alike for as long as the server runs. */
export type StaticFile = {
  readonly type: string
  readonly content: Buffer
  readonly etag: string
}

export function staticFile(type: string, content: Buffer): StaticFile {
  const etag = `"${createHash('sha256').update(content).digest('base64url')}"`
  return { type, content, etag }
}

/** Answers with the file, or with 304 to whoever has it already. */
export function sendFile(request: FastifyRequest, reply: FastifyReply, file: StaticFile) {
  reply.header('cache-control', 'public, max-age=300').header('etag', file.etag)
  if (isHeld(request.headers['if-none-match'], file.etag)) return reply.status(304).send()
  return reply.type(file.type).send(file.content)
}

/** A list, or `*`; proxies that compress make the tag weak (RFC 9110, 13.1.2). */
function isHeld(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
  return tags.includes(etag) || tags.includes('*')
}
