import { limits } from '@payment-intents/contract'
import { type Picture, pictureOf } from './pictureOf.ts'

/** The path of a merchant's logo. */
export function logoPath(hash: string): string {
  return `/v1/logos/${hash}`
}

/**
 * A merchant's logo from the content of a file. It is drawn as a square beside the name.
 *
 * @returns a sentence when the file is not one
 */
export function logoOf(content: Uint8Array): Picture | string {
  return pictureOf(content, { side: limits.logoSide, ratio: 1 })
}
