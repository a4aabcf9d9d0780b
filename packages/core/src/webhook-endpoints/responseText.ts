import { limits } from '@payment-intents/contract'
import { withoutSecrets } from '../http/withoutSecrets.ts'

/** White space other than spaces, and invisible characters that change how the text around them is read. */
const breaks = /[\t\n\r]+/g
const controls = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu

/**
 * The beginning of a receiver's response as text to keep. A stranger wrote it: control characters are removed, and
 * secrets that it repeats.
 */
export function responseText(bytes: Uint8Array): string {
  if (bytes.length === 0) return ''
  // `stream`: a truncated last character is omitted.
  const start = bytes.subarray(0, limits.webhookResponseBytes)
  const text = new TextDecoder().decode(start, { stream: true })
  return withoutSecrets(text.replaceAll(breaks, ' ').replaceAll(controls, ''))
}
