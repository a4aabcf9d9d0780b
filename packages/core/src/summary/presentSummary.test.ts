import { expect, test } from 'vitest'
import { medianSeconds } from './presentSummary.ts'

test.each([
  [[], null],
  [[1_499], 1],
  [[9_000, 1_000, 2_000], 2],
  [[4_000, 1_000, 2_000, 90_000], 3],
])('the median of %j milliseconds is %j s', (times, seconds) => {
  expect(medianSeconds(times)).toBe(seconds)
})
