import { WebhookVerificationError } from './webhookVerificationError.ts'

/** A request's body before any parser; text is taken as UTF-8. A `Buffer` is a `Uint8Array`. */
export type RawBody = string | Uint8Array | ArrayBuffer

/** @throws WebhookVerificationError `body_not_raw` */
export function rawBytes(body: unknown): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  try {
    // Checked by tag and `isView`; `instanceof` fails for buffers of another realm.
    if (ArrayBuffer.isView(body)) {
      return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
    }
    if (tag(body) === 'ArrayBuffer') return new Uint8Array(body as ArrayBuffer)
  } catch {} // The buffer is detached.
  throw new WebhookVerificationError(
    'body_not_raw',
    `The signature covers the body as it came, byte for byte, and ${describe(body)} was passed. ` +
      "Express: express.raw({ type: 'application/json' }) on this route, before express.json(). Fastify: a content " +
      "type parser with parseAs: 'buffer'. Next.js: await request.text(). Hono: await c.req.text(). Or use the " +
      'adapter: @payment-intents/node/express, /fastify, /next or /hono.',
  )
}

function describe(body: unknown): string {
  if (body === undefined || body === null) return `${body} (was it read or parsed before?)`
  if (typeof body !== 'object') return `a ${typeof body}`
  switch (tag(body)) {
    case 'Promise':
      return 'a promise (await it)'
    case 'Request':
    case 'ReadableStream':
      return `a ${tag(body)} (read it once, and pass its text)`
    case 'Object':
    case 'Array':
      return 'an object (the body was parsed before)'
    default:
      return 'an object that is not text, Uint8Array or ArrayBuffer'
  }
}

function tag(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1)
}
