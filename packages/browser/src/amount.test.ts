import fc from 'fast-check'
import { expect, test } from 'vitest'
import { intent } from '../test/intent.ts'
import { amountDue, formatAmount, toDecimal } from './amount.ts'

test('asks for the reserved amount on every rail, and for the plain one when none is reserved', () => {
  expect(amountDue(intent())).toBe(25_000_100n)
  expect(amountDue(intent({ manual: null }))).toBe(25_000_000n)
})

test('asks an underpaid intent for the rest', () => {
  const part = { amount_received_units: 10_000_000 }
  expect(amountDue(intent({ ...part, exceptions: ['underpaid'] }))).toBe(15_000_100n)
  expect(amountDue(intent(part))).toBe(25_000_100n)
})

test.each([
  [0n, '0'],
  [1n, '0.000001'],
  [25_000_000n, '25'],
  [25_000_100n, '25.0001'],
  [9_007_199_254_740_991n, '9007199254.740991'],
])('%s units are %s', (units, decimal) => {
  expect(toDecimal(units, 6)).toBe(decimal)
})

test('a token without decimals', () => {
  expect(toDecimal(7n, 0)).toBe('7')
})

test('no unit is lost in the decimal', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 53n), fc.integer({ min: 0, max: 18 }), (units, decimals) => {
      const [whole = '', fraction = ''] = toDecimal(units, decimals).split('.')
      expect(BigInt(whole + fraction.padEnd(decimals, '0'))).toBe(units)
    }),
  )
})

test.each([
  ['en', 25_000_000n, '25.00'],
  ['en', 1_234_567_890_123n, '1,234,567.890123'],
  ['en', 9_007_199_254_740_991n, '9,007,199,254.740991'],
  ['de', 1_234_500_000n, '1.234,50'],
  ['ar-EG', 25_000_100n, '٢٥٫٠٠٠١'],
])('%s writes %s units as %s', (locale, units, text) => {
  expect(formatAmount(units, 6, locale)).toBe(text)
})
