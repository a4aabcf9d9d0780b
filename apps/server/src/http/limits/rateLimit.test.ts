import { expect, test } from 'vitest'
import { createRateLimit } from './rateLimit.ts'

test('the wait is never longer than the window, for any fraction of a millisecond', () => {
  for (let n = 1; n < 10_000; n += 1) {
    const { take } = createRateLimit({ max: 1, windowMs: 60_000, now: () => n * 0.7310585 })
    expect([take('a'), take('a')]).toEqual([0, 60])
  }
})
