import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** A passkey in an authenticator that signs every request, as if the person consented. */
export type Authenticator = {
  /** The response of `navigator.credentials.create`. */
  register(options: { challenge: string }): object
  /** The response of `navigator.credentials.get`. */
  authenticate(options: { challenge: string }): object
  /** The counter of the next signature. A copied authenticator counts again from an earlier value. */
  counter: number
}

type Unusual = {
  /** The origin of the requesting page; by default the dashboard's. */
  origin?: string
  /** Whether the authenticator did not verify the person. */
  isUnverified?: boolean
  /** Whether the counter stays 0, as with many authenticators. */
  isUncounted?: boolean
}

/**
 * Creates an ES256 passkey of the dashboard's host.
 * @param dashboardUrl the origin of the requesting page
 */
export function createAuthenticator(dashboardUrl: string, unusual: Unusual = {}): Authenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(32)
  const { origin = dashboardUrl, isUnverified = false, isUncounted = false } = unusual
  const rpIdHash = createHash('sha256').update(new URL(dashboardUrl).hostname).digest()
  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const credential = (response: object) => ({
    ...{ id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key' },
    ...{ response, clientExtensionResults: {}, authenticatorAttachment: 'platform' },
  })
  const authenticator: Authenticator = {
    counter: isUncounted ? 0 : 1,
    register({ challenge }) {
      const head = authenticatorData({ rpIdHash, counter: 0, isUnverified, flags: attested })
      const authData = Buffer.concat([head, Buffer.alloc(16), size(id), id, coseKey(publicKey)])
      const attestation = cbor(
        new Map<unknown, unknown>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', authData],
        ]),
      )
      return credential({
        clientDataJSON: clientData('webauthn.create', challenge).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      })
    },
    authenticate({ challenge }) {
      const data = clientData('webauthn.get', challenge)
      const { counter } = authenticator
      if (!isUncounted) authenticator.counter += 1
      const authData = authenticatorData({ rpIdHash, counter, isUnverified, flags: 0 })
      return credential({
        clientDataJSON: data.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signed(privateKey, authData, data).toString('base64url'),
      })
    },
  }
  return authenticator
}

const attested = 0x40
const present = 0x01
const verified = 0x04

/** Encodes authenticator data (WebAuthn, 6.1). */
function authenticatorData(input: {
  rpIdHash: Buffer
  counter: number
  isUnverified: boolean
  flags: number
}): Buffer {
  const tail = Buffer.alloc(5)
  tail.writeUInt8(input.flags | present | (input.isUnverified ? 0 : verified), 0)
  tail.writeUInt32BE(input.counter, 1)
  return Buffer.concat([input.rpIdHash, tail])
}

function signed(key: KeyObject, authData: Buffer, clientData: Buffer): Buffer {
  const hash = createHash('sha256').update(clientData).digest()
  return sign('sha256', Buffer.concat([authData, hash]), key)
}

/** Encodes an EC2 key of ES256 on P-256 (RFC 9053, 7.1). */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const part = (text: string) => Buffer.from(text, 'base64url')
  return cbor(
    new Map<unknown, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, part(x)],
      [-3, part(y)],
    ]),
  )
}

function size(bytes: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return length
}

/** Encodes CBOR (RFC 8949), as far as a credential needs it. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, value.length), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  const entries = [...(value as Map<unknown, unknown>)]
  return Buffer.concat([head(5, entries.length), ...entries.flat().map(cbor)])
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length])
  if (length < 256) return Buffer.from([(major << 5) | 24, length])
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255])
}
