import { expect, test } from 'vitest'
import { clockFaults } from './clockFaults.ts'
import { type ChainClock, type ObservedClock, timeOfChains } from './timeOfChains.ts'

const start = Date.now()
const tenMinutes = 600_000

const timeBy = (observed: ObservedClock | null, stored?: ChainClock, databaseOff = 0) =>
  timeOfChains(null, { now: () => start + databaseOff, chain: () => stored }, () => observed)(8453)

test('uses the chain’s clock as this process or else the follower read it, or else the database’s clock', () => {
  const stored = { aheadMs: tenMinutes, minimumMs: tenMinutes }
  expect(timeBy({ aheadMs: 0, minimumMs: 0 }, stored).now).toBe(start)
  expect(timeBy({ aheadMs: null, minimumMs: -5 }, stored).now).toBe(start + tenMinutes)
  expect(timeBy(null, stored).now).toBe(start + tenMinutes)
  expect(timeBy(null).now).toBe(start)
})

test('the earliest time is the least that this process or the follower read', () => {
  const stored = { aheadMs: 0, minimumMs: -3_000 }
  expect(timeBy({ aheadMs: null, minimumMs: -9_000 }, stored).earliest).toBe(start - 9_000)
  expect(timeBy({ aheadMs: 0, minimumMs: -1_000 }, stored).earliest).toBe(start - 3_000)
  expect(timeBy(null).earliest).toBe(start)
})

test.each([
  ['ahead of', -tenMinutes],
  ['behind', tenMinutes],
])('a fault says whose clock is %s the chain’s', (way, skewMs) => {
  const sentence = (whose: string) =>
    `${whose} clock is 600 seconds ${way} the chain’s; have NTP set it`
  expect(clockFaults({ skewMs, databaseSkewMs: 0 })).toEqual([sentence('this machine’s')])
  expect(clockFaults({ skewMs, databaseSkewMs: skewMs })).toEqual([
    ...[sentence('this machine’s'), sentence('the database’s')],
  ])
  expect(clockFaults({ skewMs: 0, databaseSkewMs: 0 })).toEqual([])
})
