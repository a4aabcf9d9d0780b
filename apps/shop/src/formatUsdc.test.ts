import { expect, test } from 'vitest'
import { formatUsdc } from './formatUsdc.ts'

test.each([
  [0, '0.00 USDC'],
  [1, '0.000001 USDC'],
  [9_500_000, '9.50 USDC'],
  [24_000_007, '24.000007 USDC'],
  [24_000_100, '24.0001 USDC'],
  [1_234_567_890_000n, '1,234,567.89 USDC'],
])('%s units read as %s', (units, text) => {
  expect(formatUsdc(units)).toBe(text)
})
