import fc from 'fast-check'
import { expect, test } from 'vitest'
import { intent } from '../../test/support/testIntents.ts'
import { formatAmount, manualDue, overpaidBy, payableDue, priceDue, toDecimal } from './amount.ts'

const manualIntent = (units: number) => ({ payable_amount_units: units, payment_uri: 'ethereum:…' })

test('the price and the identifying amount are due', () => {
  expect(priceDue(intent())).toBe(25_000_000n)
  expect(payableDue(intent())).toBe(25_000_100n)
  expect(manualDue(intent())).toBe(25_000_100n)
  expect(manualDue(intent({ manual: null }))).toBeNull()
})

test('the rest of each is due for an underpaid intent', () => {
  const part = { amount_received_units: 10_000_000 }
  const underpaid = intent({ ...part, exceptions: ['underpaid'], manual: manualIntent(15_000_100) })
  expect(priceDue(underpaid)).toBe(15_000_000n)
  expect(payableDue(underpaid)).toBe(15_000_100n)
  expect(manualDue(underpaid)).toBe(15_000_100n)
  expect(priceDue(intent(part))).toBe(25_000_000n)
})

test.each([
  [25_000_000, 0n],
  [25_000_100, 0n],
  [25_000_101, 1n],
])('a payment of %d units is overpaid by %d', (amount_received_units, over) => {
  expect(overpaidBy(intent({ amount_received_units }))).toBe(over)
})

test.each([
  [0n, '0'],
  [1n, '0.000001'],
  [25_000_000n, '25'],
  [25_000_100n, '25.0001'],
  [9_007_199_254_740_991n, '9007199254.740991'],
])('%s units are %s as a decimal', (units, decimal) => {
  expect(toDecimal(units, 6)).toBe(decimal)
})

test('a token without decimals has whole units', () => {
  expect(toDecimal(7n, 0)).toBe('7')
})

test('no unit is lost in the decimal', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 53n), fc.integer({ min: 0, max: 18 }), (units, decimals) => {
      const [integer = '', fraction = ''] = toDecimal(units, decimals).split('.')
      expect(BigInt(integer + fraction.padEnd(decimals, '0'))).toBe(units)
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
