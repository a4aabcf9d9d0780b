import { limits } from '@payment-intents/contract'
import { sha256 } from 'viem'
import { type PictureHeader, readPicture } from './readPicture.ts'

/** A picture to store. */
export type Picture = {
  readonly type: PictureHeader['type']
  /** SHA-256, base64url. */
  readonly hash: string
  readonly content: Uint8Array
}

export type PictureBounds = {
  /** Pixels. */
  readonly side: { readonly min: number; readonly max: number }
  /** The ratio of the longer side to the shorter; 1: a square. */
  readonly ratio: number
}

/**
 * Checks the content of a file. Its first bytes decide its type, not its name.
 * @returns a sentence about the fault, without its subject
 */
export function pictureOf(content: Uint8Array, { side, ratio }: PictureBounds): Picture | string {
  if (content.length > limits.pictureBytes) {
    return `must have at most ${limits.pictureBytes / 1000} kB; this file has ${Math.ceil(content.length / 1000)} kB.`
  }
  const header = readPicture(content)
  if (!header) return 'must be a whole PNG, JPEG or WebP file.'
  const { type, width, height } = header
  const [shorter, longer] = [Math.min(width, height), Math.max(width, height)]
  if (longer > shorter * ratio || shorter < side.min || longer > side.max) {
    const square = ratio === 1 ? 'be square, with' : 'have'
    const shape = ratio === 1 ? '' : `, no side longer than ${ratio} times the other`
    return `must ${square} ${side.min} to ${side.max} pixels a side${shape}; this picture has ${width} by ${height}.`
  }
  return { type, content, hash: hashOf(content) }
}

function hashOf(content: Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...sha256(content, 'bytes')))
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
