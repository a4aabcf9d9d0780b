import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createConcurrencyLimiter } from './concurrencyLimiter.ts'

const database = { isAway: () => false, onAway: () => {} }

/** Work of one key that ends when the test says so, in the order of its start. */
function startWork(limit: () => number) {
  const limiter = createConcurrencyLimiter({ limit, waiting: 100, waitMs: 60_000, database })
  const ends: (() => void)[] = []
  const works: Promise<void>[] = []
  let started = 0
  const begin = async (count: number) => {
    for (let begun = 0; begun < count; begun += 1) {
      const work = limiter('merchant', () => {
        started += 1
        return new Promise<void>((resolve) => void ends.push(resolve))
      })
      works.push(work)
    }
    await setImmediate()
  }
  const end = async () => {
    ends.shift()?.()
    await setImmediate()
  }
  const endAll = async () => {
    for (const _ of works) await end()
    await Promise.all(works)
  }
  return { begin, end, endAll, started: () => started }
}

test('a lower limit starts no more work until less than it runs', async () => {
  let limit = 4
  const { begin, end, endAll, started } = startWork(() => limit)
  await begin(6)
  expect(started()).toBe(4)
  limit = 2
  await end()
  await end()
  expect(started()).toBe(4)
  await end()
  expect(started()).toBe(5)
  await endAll()
})

test('a higher limit starts waiting work as soon as work ends, before later work', async () => {
  let limit = 1
  const { begin, end, endAll, started } = startWork(() => limit)
  await begin(5)
  expect(started()).toBe(1)
  limit = 3
  await begin(1)
  expect(started()).toBe(1)
  await end()
  expect(started()).toBe(4)
  for (const _ of [1, 2, 3]) await end()
  expect(started()).toBe(6)
  await endAll()
})
