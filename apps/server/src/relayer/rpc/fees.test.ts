import { expect, test } from 'vitest'
import { acceptedTip, bumpedFees, newFees } from './fees.ts'

const price = { base: 100n, tip: 10n }

test('a new transaction pays twice the base fee and the tip, up to the cap', () => {
  expect(newFees(price, 1_000n)).toEqual({ maxFeePerGas: 210n, maxPriorityFeePerGas: 10n })
  expect(newFees(price, 110n)).toEqual({ maxFeePerGas: 110n, maxPriorityFeePerGas: 10n })
  expect(newFees(price, 109n)).toBeNull()
})

test('a replacement raises both fees by at least an eighth, or waits', () => {
  const before = { maxFeePerGas: 801n, maxPriorityFeePerGas: 81n }
  const raised = bumpedFees(before, price, 10_000n)
  expect(raised).toEqual({ maxFeePerGas: 902n, maxPriorityFeePerGas: 92n })
  expect(bumpedFees(before, price, 901n)).toBeNull()
  const dear = { base: 1_000n, tip: 200n }
  expect(bumpedFees(before, dear, 10_000n)).toEqual({
    ...{ maxFeePerGas: 2_200n, maxPriorityFeePerGas: 200n },
  })
})

test('the tip is the minimum of the chain’s nodes', () => {
  expect(acceptedTip(137, 1n)).toBe(25_000_000_000n)
  expect(acceptedTip(8453, 5n)).toBe(5n)
  expect(acceptedTip(8453, 0n)).toBe(1n)
})
