import { createHash } from 'node:crypto'
import { randomBytes } from '../randomBytes.ts'

/** A new token of a link (192 random bits), or of a session of the hosted page. */
export function newToken(): string {
  return randomBytes(24).toString('base64url')
}

/** What is stored of a token. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
