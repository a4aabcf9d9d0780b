import fc from 'fast-check'
import { beforeEach, expect, test, vi } from 'vitest'
import { isFull, runs } from '../../../../tests/support/tier.ts'
import { intent, type Reply, serve } from '../../test/stubServer.ts'
import { printed, tracesOf } from '../../test/testSecrets.ts'
import { createClient } from '../createClient.ts'
import { isPaymentIntentsError } from '../errors/paymentIntentsError.ts'
import type { ClientOptions } from '../options/clientOptions.ts'

/** A few runs draw each of the disguises. */
const numRuns = isFull ? 1_000 : runs(40)

type Disguise = (secret: string) => string

const hex = (code: number) => code.toString(16).padStart(2, '0')
const each = (write: (code: number, character: string) => string): Disguise => {
  return (secret) => [...secret].map((char) => write(char.charCodeAt(0), char)).join('')
}
const broken = (size: number, by: string): Disguise => {
  return (secret) => secret.replaceAll(new RegExp(`.{${size}}`, 'g'), (part) => part + by)
}
const asUnicode = each((code) => `\\u00${hex(code)}`)
const base64 = (text: string) => Buffer.from(text).toString('base64')

const escaped: Disguise[] = [
  (secret) => secret,
  (secret) => `Bearer ${secret}`,
  (secret) => encodeURIComponent(secret),
  (secret) => encodeURIComponent(encodeURIComponent(secret)),
  each((code) => `%${hex(code)}`),
  each((code) => `&#${code};`),
  asUnicode,
  (secret) => JSON.stringify(secret),
  (secret) => JSON.stringify(JSON.stringify({ headers: [`Bearer ${secret}`] })),
]
const encoded: Disguise[] = [
  base64,
  (secret) => base64(`u:${secret}`),
  (secret) => base64(`user:${secret}`),
  (secret) => Buffer.from(`Bearer ${secret}`).toString('base64url'),
  (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
]
const split: Disguise[] = [broken(7, '\n'), broken(5, '\r\n    '), broken(9, '\\n')]
const disguises = [
  ...escaped,
  ...encoded,
  ...split,
  (secret: string) => broken(6, '\n')(base64(secret)),
]

const asText: ((text: string) => string)[] = [
  (text) => text,
  (text) => `<pre>Authorization: ${text}</pre>`,
  (text) => `{"cut": "${text}`,
  (text) => JSON.stringify(text),
]
const asField: ((text: string, rest: object) => string)[] = [
  (text, rest) => JSON.stringify({ ...rest, message: text }),
  (text, rest) => JSON.stringify({ ...rest, message: '@' }).replace('@', () => asUnicode(text)),
  (text, rest) =>
    JSON.stringify({ ...rest, reason: text, issues: [{ path: text, message: text }] }),
  (text, rest) => JSON.stringify({ ...rest, deep: [[{ [text]: { [text]: [text] } }]] }),
  (text, rest) => JSON.stringify({ ...rest, request: JSON.stringify({ headers: { a: text } }) }),
  (text, rest) => JSON.stringify({ ...intent, ...rest, [text]: text, metadata: text }),
]

/** Every character that a header can contain. */
const printable = fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code))
const secretText = fc.string({ unit: printable, minLength: 13, maxLength: 48 })
const apiKeys = secretText.map((rest) => `sk_${rest}`)
const shaped = fc.stringMatching(/^pi_[a-z0-9]{6}_secret_[A-Za-z0-9]{24,32}$/)
const webhookSecrets = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`)

const statuses = fc.constantFrom(200, 201, 302, 400, 401, 403, 404, 409, 418, 429, 500, 502, 503)
const codes = fc.constantFrom(
  ...['invalid_body', 'wallet_invalid', 'api_key_invalid', 'merchant_not_found', 'conflict'],
  ...['internal_error', 'intent_not_found', 'rate_limited', 'not_found', 'unheard_of'],
)
const headers = ['x-request-id', 'content-type', 'location', 'www-authenticate', 'x-should-retry']

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0) // No wait between attempts.
})

/** Everything that a failed call exposes to its caller or a log. */
async function outputOf(options: ClientOptions & { apiKey: string }) {
  const logged: unknown[] = []
  const log = (...entry: unknown[]) => logged.push(entry)
  const logger = { debug: log, warn: log }
  const client = createClient({ ...options, maxRetries: 1, logger, onRetry: log })
  const result = await client.createPaymentIntent({ amount_units: 1 }).catch((error) => error)
  // A created intent includes its secret.
  const failure = isPaymentIntentsError(result) ? printed(result) : ''
  expect(failure && result.message).not.toMatch(/^\[withheld/)
  return { result, text: `${failure}\n${printed(logged)}\n${printed(client)}` }
}

/** A service whose response can be set. */
async function hostile() {
  let reply: Reply = () => {}
  const { url } = await serve((response) => reply(response))
  return {
    url,
    respond(status: number, body: string, headers: Record<string, string> = {}) {
      reply = (response) =>
        response.writeHead(status, { ...headers, connection: 'close' }).end(body)
    },
  }
}

test('a key in a response, in any place and disguise, appears in no output', async () => {
  const service = await hostile()
  const places = fc.constantFrom(...asText, ...asField)
  const responses = fc.tuple(apiKeys, statuses, codes, places, fc.constantFrom(...disguises))
  await fc.assert(
    fc.asyncProperty(responses, async ([apiKey, status, error, place, disguise]) => {
      service.respond(status, place(disguise(apiKey), { error }))
      const { text } = await outputOf({ apiKey, baseUrl: service.url })
      expect(tracesOf(apiKey, text)).toEqual([])
    }),
    { numRuns },
  )
})

test('a key in a header of a response, successful or not, appears in no output', async () => {
  const service = await hostile()
  const echoed = fc.tuple(apiKeys, statuses, fc.constantFrom(...headers))
  const inLine = fc.constantFrom(...escaped, ...encoded)
  await fc.assert(
    fc.asyncProperty(echoed, inLine, async ([apiKey, status, name], disguise) => {
      service.respond(status, JSON.stringify(intent), { [name]: disguise(apiKey) })
      const { text } = await outputOf({ apiKey, baseUrl: service.url })
      expect(tracesOf(apiKey, text)).toEqual([])
    }),
    { numRuns },
  )
})

test('a client secret that a response names appears in no output', async () => {
  const service = await hostile()
  const place = fc.constantFrom(...asField)
  const failing = statuses.filter((status) => status > 201)
  const responses = fc.tuple(fc.oneof(shaped, secretText), failing, codes, place)
  await fc.assert(
    fc.asyncProperty(responses, fc.constantFrom(...disguises), async (respond, disguise) => {
      const [client_secret, status, error, place] = respond
      service.respond(status, place(disguise(client_secret), { error, client_secret }))
      const { text } = await outputOf({ apiKey: 'sk_test_0123456789', baseUrl: service.url })
      expect(tracesOf(client_secret, text)).toEqual([])
    }),
    { numRuns },
  )
})

test('a text that looks like a client secret, or a truncated client secret, appears in no output', async () => {
  const service = await hostile()
  const place = fc.constantFrom(...asText, ...asField)
  const disguise = fc.constantFrom(...escaped, ...split, (secret: string) => {
    return `{"client_secret": ${JSON.stringify(secret).slice(0, -1)}`
  })
  await fc.assert(
    fc.asyncProperty(shaped, statuses, place, disguise, async (secret, status, place, disguise) => {
      service.respond(status, place(disguise(secret), { error: 'internal_error' }))
      const { text } = await outputOf({ apiKey: 'sk_test_0123456789', baseUrl: service.url })
      const [, hidden = ''] = secret.split('_secret_')
      expect(tracesOf(hidden, text)).toEqual([])
    }),
    { numRuns },
  )
})

test('a webhook secret, named, quoted or truncated, appears in no output', async () => {
  const service = await hostile()
  const place = fc.constantFrom(...asText, ...asField)
  const disguise = fc.constantFrom(...escaped, ...split, (secret: string) => {
    return `{"secret": ${JSON.stringify(secret).slice(0, -1)}`
  })
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(webhookSecrets, statuses, place, disguise, fc.constantFrom(...disguises)),
      async ([secret, status, place, disguise, other]) => {
        const { url: baseUrl } = service
        service.respond(status, place(disguise(secret), { error: 'internal_error' }))
        const quoted = await outputOf({ apiKey: 'sk_test_0123456789', baseUrl })
        // A named secret is masked even where its form does not identify it.
        service.respond(503, JSON.stringify({ deep: [{ secret }], message: other(secret) }))
        const named = await outputOf({ apiKey: 'sk_test_0123456789', baseUrl })
        const hidden = secret.slice('whsec_'.length)
        expect(tracesOf(hidden, quoted.text + named.text)).toEqual([])
      },
    ),
    { numRuns },
  )
})

type Thrower = (text: string, init: RequestInit | undefined) => unknown

/** Errors as HTTP libraries throw them, and worse. */
const throwers: Thrower[] = [
  (text) => new Error(text),
  (text, init) =>
    Object.assign(new TypeError('fetch failed'), { config: init, response: { text } }),
  (text) => new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: text }) }),
  (text) => new Error('outer', { cause: new Error('inner', { cause: new Error(text) }) }),
  (text) => new AggregateError([new Error(text), new Error(text)], text),
  (text) => Object.assign(new Error('named'), { name: text }),
  (text) => Object.assign(new Error('stacked'), { stack: `Error: ${text}\n    at ${text}` }),
  (text) => Object.defineProperty(new Error(), 'hidden', { value: text }),
  (text) => ({ message: text, code: text, headers: { authorization: text } }),
  (text) => text,
  (text) => {
    const error = new Error('cyclic', { cause: text })
    return Object.assign(error, { cause: error, [Symbol(text)]: text })
  },
  (text) =>
    Object.defineProperty(new Error('trap'), 'cause', {
      get() {
        throw new Error(text)
      },
    }),
]

test('a key in an error of fetch, or in the reason of an abort, appears in no output', async () => {
  const disguise = fc.constantFrom(...disguises)
  const how = fc.constantFrom('throws', 'aborts')
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(apiKeys, disguise, fc.constantFrom(...throwers), how),
      async ([apiKey, disguise, thrower, how]) => {
        const controller = new AbortController()
        const fetch = async (_: unknown, init?: RequestInit) => {
          const thrown = thrower(disguise(apiKey), init)
          if (how === 'throws') throw thrown
          controller.abort(thrown)
          return new Response()
        }
        const { result, text } = await outputOf({
          ...{ apiKey, baseUrl: 'http://127.0.0.1', fetch },
          ...(how === 'aborts' && { signal: controller.signal }),
        })
        expect(result).toMatchObject({ code: how === 'throws' ? 'network_error' : 'aborted' })
        expect(tracesOf(apiKey, text)).toEqual([])
      },
    ),
    { numRuns },
  )
})

test('the oracle finds a secret in every disguise', () => {
  // A secret that looks like an escape is unescaped with the text around it.
  const plain = apiKeys.filter((key) => !/\\|%[\da-f]{2}|&#\d+;/i.test(key))
  fc.assert(
    fc.property(plain, fc.constantFrom(...disguises), (secret, disguise) => {
      const error = new Error('x', { cause: { body: [disguise(secret)] } })
      expect(tracesOf(secret, printed(error))).not.toEqual([])
    }),
  )
})
