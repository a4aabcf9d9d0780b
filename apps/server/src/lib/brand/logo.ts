import { createHash } from 'node:crypto'
import { type Picture, readPicture } from './readPicture.ts'

export type Logo = {
  readonly type: Picture['type']
  /** SHA-256, base64url. */
  readonly hash: string
  readonly content: Buffer
}

const bytesAtMost = 100_000
const sideAtLeast = 64
const sideAtMost = 1024

/**
 * A merchant's logo from the content of a file. It is drawn as a square beside the name.
 *
 * @returns a sentence when the file is not one
 */
export function logoOf(content: Buffer): Logo | string {
  if (content.length > bytesAtMost) {
    return `must have at most 100 kB; this one has ${Math.ceil(content.length / 1000)} kB.`
  }
  const picture = readPicture(content)
  if (!picture) return 'must be a PNG, JPEG or WebP file.'
  const { type, width, height } = picture
  if (width !== height || width < sideAtLeast || width > sideAtMost) {
    return `must be square, with ${sideAtLeast} to ${sideAtMost} pixels a side; this one has ${width} by ${height}.`
  }
  return { type, content, hash: createHash('sha256').update(content).digest('base64url') }
}
