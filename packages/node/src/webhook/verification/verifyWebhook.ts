import type { Event, Metadata, Mode } from '@payment-intents/contract'
import { type OptionNames, optionIssues } from '@payment-intents/contract/options'
import { parseEvent } from './parseEvent.ts'
import { type RawBody, rawBytes } from './rawBody.ts'
import { type SecretKey, secretKeys } from './secretKeys.ts'
import { type SignedHeaders, signedHeaders, type WebhookHeaders } from './signedHeaders.ts'
import { WebhookVerificationError } from './webhookVerificationError.ts'

export type WebhookOptions = {
  /** Seconds by which the sender's clock may differ in either direction; 300 by default. */
  tolerance?: number | undefined
  /** Returns the time in Unix milliseconds; `Date.now` by default. */
  now?: (() => number) | undefined
  /** Accepts only events of this mode; both by default. */
  mode?: Mode | undefined
}

export const webhookOptions: OptionNames<WebhookOptions> = {
  ...{ tolerance: true, now: true, mode: true },
}

/**
 * Verifies by Standard Webhooks v1 that the service sent a request, and returns its event. A captured request can be
 * replayed only within `tolerance`. The service may deliver an event more than once: store `event.id` with its effects.
 *
 * The type parameter is the type of the metadata of your payment intents, as for `createClient`. Nothing checks it.
 *
 * @param rawBody the body as received, before any parser
 * @param headers the request's headers: Fetch `Headers`, or Node's `request.headers`
 * @param secret of the webhook endpoint, `whsec_…`, or several during a rotation;
 *   `PAYMENT_INTENTS_WEBHOOK_SECRET` by default
 * @returns the event with all its fields; its `type` may be unknown to this package
 * @throws WebhookVerificationError
 * @see https://www.standardwebhooks.com
 * @example
 * ```ts
 * import { verifyWebhook } from '@payment-intents/node'
 *
 * export async function receive(request: Request): Promise<void> {
 *   const event = await verifyWebhook<{ order_id: string }>(await request.text(), request.headers)
 *   switch (event.type) {
 *     case 'payment_intent.succeeded':
 *       console.log('ship', event.data.object.metadata.order_id)
 *       break
 *     case 'transfer.unmatched':
 *       console.log('whose is it?', event.data.object.from, event.data.object.reason)
 *       break
 *     default:
 *       console.log('nothing to do for', event.type)
 *   }
 * }
 * ```
 */
export async function verifyWebhook<M extends Metadata = Metadata>(
  rawBody: RawBody,
  headers: WebhookHeaders,
  secret?: string | readonly string[],
  options: WebhookOptions = {},
): Promise<Event<M>> {
  checkWebhookOptions(options, webhookOptions)
  return (await verify(rawBody, headers, secret, options)) as Event<M>
}

/**
 * Rejects unknown names and anything but an object: a tolerance or a mode would be ignored.
 *
 * @throws WebhookVerificationError `option_invalid`
 */
export function checkWebhookOptions(options: unknown, names: Readonly<Record<string, true>>): void {
  const issues = optionIssues(options, names)
  if (issues.length === 0) return
  const sentences = issues.map(({ message }) => message).join(' ')
  throw new WebhookVerificationError('option_invalid', sentences)
}

/** `verifyWebhook` with options whose names are checked. @throws WebhookVerificationError */
export async function verify(
  rawBody: RawBody,
  headers: WebhookHeaders,
  secret: string | readonly string[] | undefined,
  options: WebhookOptions,
): Promise<Event> {
  const body = rawBytes(rawBody)
  const { tolerance, now, mode } = settle(options)
  const keys = secretKeys(secret)
  const signed = signedHeaders(headers)
  if (!(await isSigned(body, signed, keys))) throw mismatch(signed, keys)
  // After the signature, so that the error about the clocks is about a genuine timestamp.
  checkAge(now / 1000 - Number(signed.timestamp), tolerance)
  const event = parseEvent(body)
  if (mode !== undefined && event.mode !== mode) throw modeMismatch(event.mode, mode)
  return event
}

function settle(options: WebhookOptions) {
  const tolerance = options.tolerance ?? 300
  const mode = options.mode
  const clock = options.now ?? Date.now
  const now = typeof clock === 'function' ? clock() : Number.NaN
  if (!Number.isFinite(tolerance) || tolerance < 0) {
    throw invalidOption('tolerance', 'must be a number of seconds, 0 or more')
  }
  if (!Number.isFinite(now))
    throw invalidOption('now', 'must be a function that returns milliseconds')
  if (mode !== undefined && mode !== 'testnet' && mode !== 'mainnet') {
    throw invalidOption('mode', "must be 'testnet' or 'mainnet'")
  }
  return { tolerance, now, mode }
}

async function isSigned(
  body: Uint8Array,
  { id, timestamp, signatures }: SignedHeaders,
  keys: readonly SecretKey[],
): Promise<boolean> {
  const subtle = globalThis.crypto?.subtle
  if (!subtle) {
    throw new WebhookVerificationError(
      'unsupported_runtime',
      'This runtime has no Web Crypto (globalThis.crypto.subtle), which Node.js 20 and later, Bun, Deno and edge ' +
        'runtimes have. In tests under jsdom, run this file in the node environment.',
    )
  }
  const prefix = new TextEncoder().encode(`${id}.${timestamp}.`)
  const content = new Uint8Array(prefix.length + body.length)
  content.set(prefix)
  content.set(body, prefix.length)
  for (const bytes of keys) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    const key = await subtle.importKey('raw', bytes, algorithm, false, ['verify'])
    for (const signature of signatures) {
      if (await subtle.verify('HMAC', key, signature, content)) return true
    }
  }
  return false
}

function checkAge(age: number, tolerance: number): void {
  if (Math.abs(age) <= tolerance) return
  const seconds = Math.ceil(Math.abs(age))
  const limit = `and ${tolerance} s are tolerated`
  if (age > 0) {
    throw new WebhookVerificationError(
      'timestamp_too_old',
      `The webhook was signed ${seconds} s ago, ${limit}. Either somebody sends a copy of it again, or the ` +
        'clock of this machine is fast: synchronise it (NTP). To read a delivery that you stored, pass options.now.',
    )
  }
  throw new WebhookVerificationError(
    'timestamp_too_new',
    `The webhook was signed ${seconds} s in the future, ${limit}. The clock of this machine is slow: synchronise it ` +
      '(NTP), or that of the service if it is yours.',
  )
}

function mismatch({ signatures }: SignedHeaders, keys: readonly SecretKey[]) {
  const tried = keys.length === 1 ? 'the secret' : `any of the ${keys.length} secrets`
  const subject = signatures.length === 1 ? 'The signature was not' : 'None of the signatures was'
  return new WebhookVerificationError(
    'signature_mismatch',
    `${subject} made with ${tried} over this body. Check that the secret is that of this endpoint (each has its own, and ` +
      'rotating replaces it), and that nothing changed the body on its way here (parsed, serialised, decoded, ' +
      'compressed). Otherwise the request is not from the payment service.',
  )
}

function modeMismatch(actual: Mode, wanted: Mode) {
  return new WebhookVerificationError(
    'wrong_mode',
    `The event is of ${actual}, and this endpoint takes ${wanted} only. Give each mode an endpoint with a secret of its ` +
      'own, or correct options.mode.',
  )
}

function invalidOption(name: keyof WebhookOptions, problem: string) {
  return new WebhookVerificationError('option_invalid', `options.${name} ${problem}.`)
}
