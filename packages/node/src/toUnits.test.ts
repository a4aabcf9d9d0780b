import { expect, test } from 'vitest'
import { toUnits } from './toUnits.ts'

test.each([
  ['25.00', 25_000_000],
  ['25', 25_000_000],
  ['0.000001', 1],
  ['0.1', 100_000],
  ['4.35', 4_350_000],
  ['1.10000000', 1_100_000],
  ['007.5', 7_500_000],
  ['0', 0],
  ['9007199254.740991', Number.MAX_SAFE_INTEGER],
])('%s USDC is %i units', (amount, units) => {
  expect(toUnits(amount)).toBe(units)
})

test.each([
  ['', /digits/],
  ['-1', /digits/],
  ['+1', /digits/],
  ['.5', /digits/],
  ['5.', /digits/],
  ['1e3', /digits/],
  ['1,000', /digits/],
  ['25,00', /digits/],
  [' 1', /digits/],
  ['1\n', /digits/],
  ['٣', /digits/],
  ['$5', /digits/],
  ['0.0000001', /6 decimals/],
  ['9007199254.740992', /at most 9007199254.740991/],
  ['1'.repeat(400), /at most/],
  [25 as never, /a number/],
  [null as never, /'25\.00'/],
])('%j is refused with a reason', (amount, reason) => {
  expect(() => toUnits(amount)).toThrow(
    expect.objectContaining({ code: 'invalid_body', message: expect.stringMatching(reason) }),
  )
})
