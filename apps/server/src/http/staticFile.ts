import { createHash } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** What is answered alike for as long as the server runs. */
export type StaticFile = {
  readonly type: string
  /** By its coding (RFC 9110, 8.4.1), the smallest first. */
  readonly codings: ReadonlyMap<string, Buffer>
  readonly etag: string
}

export function staticFile(type: string, content: Buffer): StaticFile {
  const etag = `"${createHash('sha256').update(content).digest('base64url')}"`
  const codings = new Map([
    ['br', brotliCompressSync(content)],
    ['gzip', gzipSync(content, { level: 9 })],
    ['identity', content],
  ])
  return { type, codings, etag }
}

/** Answers with the file, or with 304 to whoever has it already. */
export function sendFile(request: FastifyRequest, reply: FastifyReply, file: StaticFile) {
  const accepted = request.headers['accept-encoding'] ?? ''
  const coding = [...file.codings.keys()].find((name) => accepts(accepted, name)) ?? 'identity'
  // One tag for each representation, as a cache must be able to tell them apart.
  const etag = coding === 'identity' ? file.etag : file.etag.replace(/"$/, `-${coding}"`)
  reply.header('cache-control', 'public, max-age=300').header('vary', 'accept-encoding')
  reply.header('etag', etag)
  if (isHeld(request.headers['if-none-match'], etag)) return reply.status(304).send()
  if (coding !== 'identity') reply.header('content-encoding', coding)
  return reply.type(file.type).send(file.codings.get(coding))
}

/** Named, and not with a weight of nothing. */
function accepts(header: string, coding: string): boolean {
  return header
    .split(',')
    .map((part) => part.trim().split(/\s*;\s*q=/))
    .some(([name, weight = '1']) => name === coding && Number(weight) > 0)
}

/** A list, or `*`; proxies that compress make the tag weak (RFC 9110, 13.1.2). */
function isHeld(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
  return tags.includes(etag) || tags.includes('*')
}
