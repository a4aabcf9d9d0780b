import { type Picture, pictureOf } from '@payment-intents/core'

/** The path of a merchant's logo. */
export function logoPath(hash: string): string {
  return `/v1/logos/${hash}`
}

/**
 * A merchant's logo from the content of a file. It is drawn as a square beside the name.
 *
 * @returns a sentence when the file is not one
 */
export function logoOf(content: Buffer): Picture | string {
  return pictureOf(content, { side: { min: 64, max: 1024 }, ratio: 1 })
}
