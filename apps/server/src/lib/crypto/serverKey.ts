import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

/** The keys derived from one secret of the server, one for each purpose. */
export type ServerKey = {
  /** Names the key in the database: from it the secret cannot be had. */
  readonly fingerprint: string
  /** Public: tells the servers that have this secret from other programs. */
  readonly installation: string
  /** For each HMAC, Node.js would make one from bytes, which takes longer than the HMAC. */
  readonly clientSecrets: KeyObject
  readonly x402Links: KeyObject
  readonly refundLinks: KeyObject
  readonly clientAddresses: KeyObject
  readonly webhookSecrets: Buffer
}

/** HKDF with SHA-256 (RFC 5869), its `info` being the purpose. */
export function serverKeyOf(secret: string): ServerKey {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', secret, '', `payment-intents ${purpose}`, 32))
  return {
    fingerprint: `hkdf:${derive('fingerprint').toString('hex')}`,
    installation: derive('installation').toString('hex', 0, 8),
    clientSecrets: createSecretKey(derive('client secrets')),
    x402Links: createSecretKey(derive('x402 links')),
    refundLinks: createSecretKey(derive('refund links')),
    clientAddresses: createSecretKey(derive('client addresses')),
    webhookSecrets: derive('webhook secrets'),
  }
}
