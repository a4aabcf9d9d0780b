import { createHash } from 'node:crypto'
import { randomBytes } from './randomBytes.ts'

/** Creates the token of a link or a session: 192 random bits. */
export function newToken(): string {
  return randomBytes(24).toString('base64url')
}

export function isToken(text: string | undefined): text is string {
  return text !== undefined && /^[\w-]{32}$/.test(text)
}

/** The stored form of a token. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
