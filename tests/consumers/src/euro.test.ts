import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, inject, test } from 'vitest'
import { examplesOf } from './support/examples.ts'

type Recipe = {
  quote(euroCents: number, rate: { usdcPerEuro: string; at: Date }): unknown
  refundUnits(paidUnits: number, paidCents: number, returnedCents: number): number
}

let recipe: Recipe

beforeAll(async () => {
  const [example] = examplesOf('docs/euro.md')
  const file = join(inject('projects'), 'examples/euro.ts')
  await writeFile(file, example?.code ?? '')
  recipe = await import(file)
})

test.each([
  // Exact: 5,000 cents at 1.1 are 55 USDC.
  [5_000, '1.1', 55_000_000, '50.00'],
  [4_990, '1.0842', 54_110_000, '49.90'], // 54.10158
  [1_999, '1.08427', 21_680_000, '19.99'], // 21.6745573
  [3_333, '0.333333333333', 11_110_000, '33.33'], // 11.10999999998889
  [1, '1', 10_000, '0.01'],
  [1, '1.000000000001', 20_000, '0.01'],
  [110, '1.1', 1_210_000, '1.10'], // With doubles, 110 * 1.1 is above 121.
])('%i cents at %s are %i units', (cents, usdcPerEuro, amount_units, amount) => {
  const fiat = { currency: 'EUR', amount, rate: usdcPerEuro }
  expect(recipe.quote(cents, { usdcPerEuro, at: new Date() })).toEqual({ amount_units, fiat })
})

test.each(['0', '0.00', '', '-1', '1,08', '1e3', 'NaN', '1.', '1.0842 '])(
  'there is no quote at the rate "%s"',
  (usdcPerEuro) => {
    const rate = { usdcPerEuro, at: new Date() }
    expect(() => recipe.quote(4_990, rate)).toThrow('Not a rate')
  },
)

test.each([
  ['older than a minute', () => new Date(Date.now() - 60_001)],
  ['of the future', () => new Date(Date.now() + 120_000)],
  ['without a time', () => new Date(Number.NaN)],
])('a rate %s is refused', (_, at) => {
  const rate = { usdcPerEuro: '1.0842', at: at() }
  expect(() => recipe.quote(4_990, rate)).toThrow('too old')
})

test('a fraction of a cent is no price', () => {
  const rate = { usdcPerEuro: '1.0842', at: new Date() }
  expect(() => recipe.quote(49.9, rate)).toThrow(RangeError)
})

test('refunds have the rate of the payment, and are never more than it', () => {
  expect(recipe.refundUnits(54_110_000, 4_990, 4_990)).toBe(54_110_000)
  expect(recipe.refundUnits(54_110_000, 4_990, 1_000)).toBe(10_843_687) // …687.37
  const parts = [1_663, 1_663, 1_664].map((cents) => recipe.refundUnits(54_110_000, 4_990, cents))
  const sum = parts.reduce((total, units) => total + units, 0)
  expect(54_110_000 - sum).toBeGreaterThanOrEqual(0)
  expect(54_110_000 - sum).toBeLessThan(parts.length)
})
