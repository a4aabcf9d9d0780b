import { expect, test } from 'vitest'
import { z } from 'zod'
import { createPaymentIntentSchema } from '../schemas/paymentIntent.ts'
import { issueMessage } from './issueMessage.ts'

test.each<[string, z.ZodType, unknown, string]>([
  ['what is missing', z.string(), undefined, 'is missing'],
  ['a number for a text', z.string(), 5, 'must be a string, not a number'],
  ['null', z.string(), null, 'must be a string, not null'],
  ['a text for a number', z.int(), '5', 'must be a number, not a string'],
  ['a fraction', z.int(), 12.5, 'must be an integer'],
  ['NaN', z.number(), Number.NaN, 'must be a number'],
  ['a number for a flag', z.boolean(), 1, 'must be true or false, not a number'],
  ['a flag for a text', z.string(), true, 'must be a string, not true'],
  ['an array for an object', z.strictObject({}), [], 'must be an object, not an array'],
  [
    'a Map for an object',
    z.record(z.string(), z.unknown()),
    new Map(),
    'must be an object, not a Map',
  ],
  [
    'an object that claims to be another',
    z.string(),
    { constructor: { name: 'sk_live_1' } },
    'must be a string, not an object',
  ],
  ['an object for an array', z.array(z.string()), {}, 'must be an array, not an object'],
  ['a bigint', z.int(), 5n, 'must be a number, not a bigint'],
  ['too little', z.int().min(1), 0, 'must be at least 1'],
  ['not positive', z.int().positive(), 0, 'must be more than 0'],
  ['too much', z.int().max(25), 26, 'must be at most 25'],
  ['more than an integer can be', z.int(), 2 ** 60, `must be at most ${Number.MAX_SAFE_INTEGER}`],
  ['an empty text', z.string().min(1), '', 'must have at least 1 character'],
  ['a long text', z.string().max(3), 'four', 'must have at most 3 characters'],
  ['an empty array', z.array(z.string()).min(1), [], 'must have at least 1 item'],
  ['none of the options', z.enum(['sdk', 'manual']), 'card', 'must be one of sdk, manual'],
  ['not the only option', z.literal(0), 1, 'must be 0'],
  ['an unknown property', z.strictObject({}), { lan: 1 }, 'lan is not a known property'],
  [
    'two',
    z.strictObject({}),
    { lan: 1, b: 2 },
    'lan is not a known property; b is not a known property',
  ],
  [
    'nearly a property',
    z.strictObject({ amount_units: z.int().optional() }),
    { amount: 1 },
    'amount is not a known property (did you mean amount_units?)',
  ],
  [
    'nothing like a property',
    z.strictObject({ amount_units: z.int().optional(), chain: z.string().optional() }),
    { currency: 'usd' },
    'currency is not a known property; known are amount_units, chain',
  ],
  [
    'an amount with a fraction',
    z.object({ amount_units: z.int() }),
    { amount_units: 25.5 },
    'must be an integer in units of 0.000001 USDC',
  ],
  [
    'an amount as text',
    z.object({ amount_units: z.int() }),
    { amount_units: '25.00' },
    'must be an integer in units of 0.000001 USDC, not a string',
  ],
  [
    'a schema with a message',
    z.string().regex(/^0x/, 'must begin with 0x'),
    'x',
    'must begin with 0x',
  ],
])('%s', (_, schema, value, message) => {
  const { error } = schema.safeParse(value, { error: issueMessage })
  expect(error?.issues.map((issue) => issue.message)).toEqual([message])
})

test('no message contains the value', () => {
  const secret = 'sk_live_secret'
  const body = { amount_units: secret, chain: secret, lane: secret, metadata: secret }
  const { error } = createPaymentIntentSchema.safeParse(body, { error: issueMessage })
  expect(error?.issues).toHaveLength(4)
  expect(error?.issues.map(({ message }) => message).join()).not.toContain(secret)
})
