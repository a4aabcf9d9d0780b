import { expect, test } from 'vitest'
import { formatUnits, parseUnits } from './Amount.tsx'

test.each([
  [0, '0.00'],
  [1, '0.000001'],
  [24_000_000, '24.00'],
  [24_000_500, '24.0005'],
  [1_234_567_890_000, '1,234,567.89'],
  [-1_500_000, '−1.50'],
  [Number.MAX_SAFE_INTEGER, '9,007,199,254.740991'],
])('%i units are %s', (units, text) => {
  expect(formatUnits(units)).toBe(text)
})

test.each([
  ['24', 24_000_000],
  [' 24.5 ', 24_500_000],
  ['24,50', 24_500_000],
  ['0.000001', 1],
  ['9007199254.740991', Number.MAX_SAFE_INTEGER],
  ['0.0000001', null],
  ['9999999999.999999', null],
  ['1,234.50', null],
  ['-1', null],
  ['1e3', null],
  ['', null],
])('%j is parsed as %s', (text, units) => {
  expect(parseUnits(text)).toBe(units)
})
