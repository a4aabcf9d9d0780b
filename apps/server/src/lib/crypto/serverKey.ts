import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

/** The keys that are derived from a secret of the server, one for each purpose. */
export type ServerKey = {
  /** Identifies the key in the database, without revealing the secret. */
  readonly fingerprint: string
  /** Public: identifies the servers with this secret. */
  readonly installation: string
  /** Key objects: from bytes, Node.js would create one for each HMAC, which takes longer than the HMAC. */
  readonly clientSecrets: KeyObject
  readonly x402Links: KeyObject
  readonly refundLinks: KeyObject
  readonly clientAddresses: KeyObject
  readonly webhookSecrets: Buffer
}

/** Derives keys by HKDF with SHA-256 (RFC 5869), with the purpose as `info`. */
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
