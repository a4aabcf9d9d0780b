import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { isNotModified } from '@payment-intents/core'
import type { FastifyReply, FastifyRequest } from 'fastify'

const compress = {
  br: promisify(brotliCompress),
  gzip: (content: Buffer) => promisify(gzip)(content, { level: 9 }),
}
type Coding = keyof typeof compress
/** Names of content codings (RFC 9110, 8.4.1), the one with the smallest result first. */
const codings = Object.keys(compress) as Coding[]

/** A file that stays the same for as long as the server runs. */
export type StaticFile = {
  readonly type: string
  readonly cacheControl: string
  readonly etag: string
  readonly content: Buffer
  /** Compresses the content at the first call for a coding, and keeps the result. */
  compressed(coding: Coding): Promise<Buffer>
}

/** @param cacheControl lets browsers keep the file for five minutes by default */
export function staticFile(
  type: string,
  content: Buffer,
  cacheControl = 'public, max-age=300',
): StaticFile {
  const etag = `"${createHash('sha256').update(content).digest('base64url')}"`
  const encoded = new Map<Coding, Promise<Buffer>>()
  return {
    ...{ type, etag, content, cacheControl },
    compressed(coding) {
      const begun = encoded.get(coding) ?? compress[coding](content)
      encoded.set(coding, begun)
      return begun
    },
  }
}

/**
 * Sends the file, or 304 if the client already has it.
 *
 * @param varies names of the request headers by which the caller chose the file
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: StaticFile,
  varies: readonly string[] = [],
) {
  const accepted = request.headers['accept-encoding'] ?? ''
  const coding = isCompressed(file) ? undefined : codings.find((name) => accepts(accepted, name))
  // Each coding has its own tag, so that no cache confuses them.
  const etag = coding ? file.etag.replace(/"$/, `-${coding}"`) : file.etag
  reply
    .header('cache-control', file.cacheControl)
    .header('vary', [...varies, 'accept-encoding'].join(', '))
  reply.header('etag', etag)
  if (isNotModified(request.headers['if-none-match'], etag)) return reply.status(304).send()
  reply.type(file.type)
  if (!coding) return reply.send(file.content)
  return reply.header('content-encoding', coding).send(await file.compressed(coding))
}

/** Whether a coding would only add bytes. */
function isCompressed({ type }: StaticFile): boolean {
  return type === 'image/png'
}

/** Whether the header names the coding, with a weight above 0. */
function accepts(header: string, coding: string): boolean {
  return header
    .split(',')
    .map((part) => part.trim().split(/\s*;\s*q=/))
    .some(([name, weight = '1']) => name === coding && Number(weight) > 0)
}
