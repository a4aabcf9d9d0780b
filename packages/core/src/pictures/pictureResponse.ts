import { HttpError } from '../http/httpError.ts'
import type { Picture } from './pictureOf.ts'

/** The path of a payment link's picture. */
export function picturePath(hash: string): string {
  return `/v1/pictures/${hash}`
}

/** A response with a picture, or 304 for a client that has it. An address by a hash always shows the same picture. */
export function pictureResponse(
  { type, content }: Pick<Picture, 'type' | 'content'>,
  request: {
    readonly hash: string
    readonly ifNoneMatch: string | null | undefined
  },
): {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | null
} {
  const etag = `"${request.hash}"`
  const headers = {
    'cache-control': 'public, max-age=31536000, immutable',
    // Merchants' pages show pictures of payment links, and the dashboard has its own origin.
    'cross-origin-resource-policy': 'cross-origin',
    // Opened directly, it is a picture that can load or run nothing.
    'content-security-policy': "default-src 'none'; sandbox",
    etag,
  }
  if (isNotModified(request.ifNoneMatch, etag)) return { status: 304, headers, body: null }
  return { status: 200, headers: { ...headers, 'content-type': type }, body: content }
}

export function noSuchPicture(): HttpError {
  return new HttpError('not_found', 'There is no such picture.')
}

/** A list, or `*`; proxies that compress make the tag weak (RFC 9110, 13.1.2). */
export function isNotModified(ifNoneMatch: string | null | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
  return tags.includes(etag) || tags.includes('*')
}
