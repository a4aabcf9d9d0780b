import { expect, test } from 'vitest'
import { readMeaning } from './readMeaning.ts'

const from = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const to = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const shop = 'a0ee7a142d267c1f36714e4a8f75612f20a79720'
const call = `0xa9059cbb${'0'.repeat(24)}${shop}${(24_000_007).toString(16).padStart(64, '0')}`
const reference = 'c4'.repeat(32)

test('returns the recipient, amount and attached data of a transfer', () => {
  expect(readMeaning({ from, to, data: call })).toEqual({
    kind: 'transfer',
    recipient: `0x${shop}`,
    amount: 24_000_007n,
    attached: '',
  })
  expect(readMeaning({ from, to, data: call + reference })).toMatchObject({ attached: reference })
})

test('an amount above the range of a number is exact', () => {
  const data = call.slice(0, -64) + 'f'.repeat(64)
  expect(readMeaning({ from, to, data })).toMatchObject({ amount: 2n ** 256n - 1n })
})

test.each([
  ['no calldata', {}],
  ['another function', { data: `0x095ea7b3${call.slice(10)}` }],
  ['a transfer that is cut short', { data: call.slice(0, -2) }],
  [
    'an address with something before it',
    { data: call.replace(`${'0'.repeat(24)}a0ee`, `${'0'.repeat(23)}1a0ee`) },
  ],
  ['a transfer that sends coins as well', { data: call, value: '0x1' }],
])('returns no transfer for %s', (_, fields) => {
  expect(readMeaning({ from, to, ...fields }).kind).toBe('other')
})
