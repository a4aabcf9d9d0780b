import { expect, test } from 'vitest'
import { periodNames, periodOf } from './periods.ts'

test.each(periodNames)('%s has whole days and includes now', (name) => {
  const now = Date.UTC(2026, 10, 27, 18)
  const { from, to, interval } = periodOf(name, now)
  expect([new Date(from), new Date(to)].map((date) => date.getHours() + date.getMinutes())).toEqual(
    [0, 0],
  )
  expect(Date.parse(from)).toBeLessThanOrEqual(now)
  expect(Date.parse(to)).toBeGreaterThan(now)
  expect(interval).toBe(name === 'today' ? 'hour' : 'day')
})
