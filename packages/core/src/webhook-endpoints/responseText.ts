import { limits } from '@payment-intents/contract'
import { withoutSecrets } from '../http/withoutSecrets.ts'

/** White space that is not a space, and what shows nothing but changes how text around it is read. */
const breaks = /[\t\n\r]+/g
const controls = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu

/**
 * The beginning of a receiver's response as text to keep: a stranger's, so without control characters, and without secrets
 * that it repeats.
 */
export function responseText(bytes: Uint8Array): string {
  if (bytes.length === 0) return ''
  // `stream`: a character that is cut at the end is omitted.
  const start = bytes.subarray(0, limits.webhookResponseBytes)
  const text = new TextDecoder().decode(start, { stream: true })
  return withoutSecrets(text.replaceAll(breaks, ' ').replaceAll(controls, ''))
}
