import { expect, test } from 'vitest'
import { readAmount } from './amountField.ts'

const limits = { decimals: 6, min_units: null, max_units: null }

test.each([
  ['1', 'en', 1_000_000n],
  ['0.1', 'en', 100_000n],
  ['1.', 'en', 1_000_000n],
  [',5', 'de', 500_000n],
  ['1.5', 'de', 1_500_000n],
  ['１２．５', 'ja', 12_500_000n],
  ['٣٫٠٠٠٠٠١', 'ar', 3_000_001n],
  ['१२.५', 'hi', 12_500_000n],
  ['9007199254.740991', 'en', 9_007_199_254_740_991n],
])('%s in %s is parsed exactly', (typed, tag, units) => {
  expect(readAmount(typed, tag, limits)).toBe(units)
})

test.each([
  ['', 'empty'],
  [' ', 'empty'],
  ['.', 'malformed'],
  ['1,5', 'malformed'],
  ['+1', 'malformed'],
  ['0x10', 'malformed'],
  ['1'.repeat(13), 'malformed'],
  ['1.0000000', 'decimals'],
  ['0', 'low'],
  ['9007199254.740992', 'high'],
])('%j is %s', (typed, fault) => {
  expect(readAmount(typed, 'en', limits)).toBe(fault)
})

test('amounts equal to a limit are valid', () => {
  const between = { decimals: 6, min_units: 2_000_000, max_units: 3_000_000 }
  const read = (typed: string) => readAmount(typed, 'en', between)
  expect(['1.999999', '2', '3', '3.000001'].map(read)).toEqual([
    'low',
    2_000_000n,
    3_000_000n,
    'high',
  ])
})
