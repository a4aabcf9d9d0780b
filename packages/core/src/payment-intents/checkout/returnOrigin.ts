import type { Mode } from '@payment-intents/contract'
import { type HttpError, invalidBody } from '../../http/httpError.ts'

const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/

/** The origin of a URL that a page may return to: https, or http on this machine; null: neither. */
export function returnOriginOf(text: string): string | null {
  // URL drops or encodes these, and the database refuses a zero character.
  if (/[\p{Cc}\p{Cs}]/u.test(text) || !URL.canParse(text)) return null
  const { protocol, hostname, origin, username, password } = new URL(text)
  if (username || password) return null
  const isSafe = protocol === 'https:' || (protocol === 'http:' && loopback.test(hostname))
  return isSafe ? origin : null
}

/** The same for a mode: live mode allows only https. null also without a URL. */
export function returnOriginIn(mode: Mode, url: string | null | undefined): string | null {
  const origin = typeof url === 'string' ? returnOriginOf(url) : null
  return mode === 'testnet' || origin?.startsWith('https:') ? origin : null
}

/** The error for a `return_url` of another origin. */
export function returnUrlRefused(): HttpError {
  const message = 'must be https, and of an origin registered with POST /v1/return_origins'
  return invalidBody([{ path: 'return_url', message }])
}
