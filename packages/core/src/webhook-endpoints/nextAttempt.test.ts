import { expect, test } from 'vitest'
import { nextWait } from './nextAttempt.ts'

const after = (attempts: number, retryAfterMs: number | null = null, random = 0) =>
  nextWait({ attempts, retryAfterMs, random })
const minutes = (ms: number | null) => ms && ms / 60_000

test('the waits are as documented, then no attempt follows', () => {
  const waits = Array.from({ length: 10 }, (_, index) => minutes(after(index + 1)))
  expect(waits).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440, null])
})

test('they are up to a tenth longer, never shorter', () => {
  expect(after(2, null, 0.999)).toBe(300_000 + 29_970)
})

test('Retry-After makes a wait longer, never shorter, and no longer than a day', () => {
  expect(after(1, 60_000)).toBe(60_000)
  expect(after(2, 60_000)).toBe(300_000)
  expect(minutes(after(1, 30 * 24 * 3_600_000))).toBe(1440)
  expect(after(10, 60_000)).toBeNull()
})
