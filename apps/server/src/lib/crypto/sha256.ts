import * as crypto from 'node:crypto'

/** The SHA-256 of a text, in one call where Node.js has it (20.12), which takes half the time of a hash object. */
export function sha256(text: string, encoding: 'base64' | 'hex'): string {
  return crypto.hash
    ? crypto.hash('sha256', text, encoding)
    : crypto.createHash('sha256').update(text).digest(encoding)
}
