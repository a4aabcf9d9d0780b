import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../../../tests/support/tier.ts'
import { event, secret, sign } from '../../../test/testWebhook.ts'
import { verifyWebhook } from './verifyWebhook.ts'
import { isWebhookVerificationError } from './webhookVerificationError.ts'

const at = 1_900_000_000
const now = () => at * 1000
// Each bit costs a hash.
const body = JSON.stringify({ ...event, data: { object: {} } })
const bytes = Buffer.from(body)
const headers = sign(body, { timestamp: at })

type Input = Parameters<typeof verifyWebhook>

async function refusal(...input: unknown[]): Promise<string> {
  const error = await verifyWebhook(...(input as Input)).then(
    () => expect.fail('it was accepted'),
    (error: unknown) => error,
  )
  if (!isWebhookVerificationError(error)) throw error
  expect(printed(error)).not.toContain(secret.slice('whsec_'.length))
  return error.code
}

function printed(error: Error): string {
  const all = { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true }
  return `${inspect(error, all)} ${JSON.stringify(error)} ${error.stack} ${error}`
}

function flipped(buffer: Buffer, bit: number): Buffer {
  const copy = Buffer.from(buffer)
  copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7))
  return copy
}

/** Bit indexes: all in the full tier, else a sample of about one bit per byte, in varying positions. */
function* bitsOf(buffer: Buffer): Generator<number> {
  const count = buffer.length * 8
  const step = Math.max(1, Math.floor(count / runs(buffer.length))) | 1
  for (let bit = 0; bit < count; bit += step) yield bit
}

test('no single bit of the body can change', async () => {
  expect(await verifyWebhook(bytes, headers, secret, { now })).toBeTruthy()
  for (const bit of bitsOf(bytes)) {
    const code = await refusal(flipped(bytes, bit), headers, secret, { now })
    expect([bit, code]).toEqual([bit, 'signature_mismatch'])
  }
})

test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const)(
  'no single bit of %s can change',
  async (name) => {
    const value = Buffer.from(headers[name], 'latin1')
    for (const bit of bitsOf(value)) {
      const changed = { ...headers, [name]: flipped(value, bit).toString('latin1') }
      // A changed timestamp must not be refused for its distance.
      const code = await refusal(bytes, changed, secret, { now, tolerance: Number.MAX_VALUE })
      expect(['signature_mismatch', 'header_invalid']).toContain(code)
    }
  },
)

test('no single bit of the secret can change', async () => {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  for (const bit of bitsOf(key)) {
    const other = `whsec_${flipped(key, bit).toString('base64')}`
    expect(await refusal(bytes, headers, other, { now })).toBe('signature_mismatch')
  }
})

test('no split of id, timestamp and body other than the one signed', async () => {
  const text = `1800000000.${body}`
  const signed = sign(text, { id: 'evt_1', timestamp: at })
  const shifted = {
    ...signed,
    'webhook-id': `evt_1.${at}`,
    'webhook-timestamp': '1800000000',
  }
  const code = await refusal(body, shifted, secret, { now, tolerance: Number.MAX_VALUE })
  expect(code).toBe('header_invalid')
})

const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withTypedArray: true,
  withNullPrototype: true,
  withSparseArray: true,
  withObjectString: true,
})
// Like `unit: 'binary'`, which first enumerates all of Unicode: a second of CPU.
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code))
const header = fc.oneof(
  anything,
  fc.string({ unit: anyCharacter }),
  fc.constantFrom(...Object.values(headers)),
)
const someHeaders = fc.oneof(
  anything,
  fc.record(
    { 'webhook-id': header, 'webhook-timestamp': header, 'webhook-signature': header },
    { requiredKeys: [] },
  ),
)
const someBody = fc.oneof(anything, fc.constant(body), fc.json())
const someSecret = fc.oneof(
  anything,
  fc.constant(secret),
  fc.base64String().map((text) => `whsec_${text}`),
  fc.array(fc.oneof(fc.constant(secret), anything)),
)
const someOptions = fc.oneof(
  anything,
  fc.record({ tolerance: anything, now: fc.func(anything), mode: anything }, { requiredKeys: [] }),
)

test('for any arguments, only a WebhookVerificationError without the secret is thrown', async () => {
  const input = fc.tuple(someBody, someHeaders, someSecret, someOptions)
  await fc.assert(
    fc.asyncProperty(input, async (input) => {
      const error = await verifyWebhook(...(input as Input)).catch((error: unknown) => error)
      if (!(error instanceof Error)) return
      expect(isWebhookVerificationError(error)).toBe(true)
      expect(printed(error)).not.toContain(secret.slice('whsec_'.length))
    }),
    { numRuns: runs(300) },
  )
})

test('a signed body is an event or refused, and the error contains none of it', async () => {
  const marker = 'c0ffee-of-the-customer'
  const json = fc.jsonValue({ maxDepth: 4 })
  const shape = fc.record(
    {
      id: json,
      type: json,
      created_at: fc.oneof(json, fc.constant('2030-01-01T00:00:00Z')),
      mode: fc.oneof(json, fc.constantFrom('testnet', 'mainnet')),
      sequence: json,
      data: fc.oneof(json, fc.record({ object: json })),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(fc.oneof(json, shape), async (value) => {
      const text = JSON.stringify(value)
      for (const each of [text, `["${marker}",${text}]`, `${text}${marker}`]) {
        try {
          const event = await verifyWebhook(each, sign(each, { timestamp: at }), secret, { now })
          expect(event).toEqual(JSON.parse(each))
        } catch (error) {
          if (!isWebhookVerificationError(error)) throw error
          expect(error.code).toBe('body_invalid')
          expect(printed(error)).not.toContain(marker)
        }
      }
    }),
    { numRuns: runs(100) },
  )
})
