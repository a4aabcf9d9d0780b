import { limits } from '@payment-intents/contract'
import { type Picture, pictureOf } from './pictureOf.ts'

/** The path of a merchant's logo. */
export function logoPath(hash: string): string {
  return `/v1/logos/${hash}`
}

/**
 * A merchant's logo from the content of a file. Pages draw it as a square next to the name.
 * @returns a sentence about the fault if the file is no logo
 */
export function logoOf(content: Uint8Array): Picture | string {
  return pictureOf(content, { side: limits.logoSide, ratio: 1 })
}
