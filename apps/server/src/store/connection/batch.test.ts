import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { expect, test } from 'vitest'
import { holdTimers } from '../../../../../tests/support/holdTimers.ts'
import { createBatcher } from './batch.ts'

type Item = { owner: string; n: number }

/** A batcher whose batches end when the test ends them, with an error or else with their own numbers. */
function batcher(limit: number) {
  const batches: { numbers: number[]; end(error?: Error): void }[] = []
  const give = createBatcher<Item, number>({
    limit,
    ownerOf: (queued) => queued.owner,
    run(items) {
      const { promise, resolve, reject } = Promise.withResolvers<number[]>()
      const numbers = items.map(({ n }) => n)
      batches.push({ numbers, end: (error) => (error ? reject(error) : resolve(numbers)) })
      return promise
    },
  })
  return { batches, give: (n: number, owner = 'a') => give({ n, owner }) }
}

const turn = () => new Promise(setImmediate)
const refused = () => new pg.DatabaseError('no', 2, 'error')

test('a lone item runs at once, and items that arrive meanwhile are the next batch', async () => {
  holdTimers(10)
  const { batches, give } = batcher(10)
  const all = [1, 2, 3].map((n) => give(n))
  expect(batches.map(({ numbers }) => numbers)).toEqual([[1]])
  batches[0]?.end()
  await turn()
  expect(batches.map(({ numbers }) => numbers)).toEqual([[1], [2, 3]])
  batches[1]?.end()
  expect(await Promise.all(all)).toEqual([1, 2, 3])
})

test('a batch runs in the context of its first request, for its trace', async () => {
  holdTimers(10)
  const request = new AsyncLocalStorage<string>()
  const batches: unknown[] = []
  const give = createBatcher<string, string>({
    limit: 10,
    async run(items) {
      batches.push(request.getStore())
      return items
    },
  })
  await Promise.all(['a', 'b', 'c'].map((name) => request.run(name, () => give(name))))
  expect(batches).toEqual(['a', 'b'])
})

test('a batch takes an item of each owner in turn, and begins where the previous batch ended', async () => {
  holdTimers(10)
  const { batches, give } = batcher(4)
  const all = [0, 1, 2, 3, 4, 5, 6].map((n) => give(n))
  all.push(give(10, 'b'), give(11, 'b'), give(20, 'c'))
  const expected = [[0], [1, 10, 20, 2], [11, 3, 4, 5], [6]]
  for (const index of expected.keys()) {
    batches[index]?.end()
    await turn()
  }
  expect(batches.map(({ numbers }) => numbers)).toEqual(expected)
  await Promise.all(all)
})

test('a batch that the database refuses is repeated item by item', async () => {
  holdTimers(10)
  const { batches, give } = batcher(10)
  const [first, ...rest] = [1, 2, 3].map((n) => give(n))
  batches[0]?.end()
  await turn()
  batches[1]?.end(refused())
  await turn()
  batches[2]?.end(refused())
  await expect(rest[0]).rejects.toThrow('no')
  batches[3]?.end()
  expect(await Promise.all([first, rest[1]])).toEqual([1, 3])
  expect(batches.map(({ numbers }) => numbers)).toEqual([[1], [2, 3], [2], [3]])
})

test('during an outage all waiting items fail, and later items are tried', async () => {
  holdTimers(10)
  const { batches, give } = batcher(20)
  const all = Array.from({ length: 12 }, (_, n) => give(n))
  batches[0]?.end(Object.assign(new Error('gone'), { code: 'ECONNRESET' }))
  const results = await Promise.allSettled(all)
  expect(results.map(({ status }) => status)).toEqual(Array(12).fill('rejected'))
  const later = [give(20), give(21)]
  expect(batches.length).toBe(2)
  batches[1]?.end()
  await turn()
  batches[2]?.end()
  expect(await Promise.all(later)).toEqual([20, 21])
  expect(batches.map(({ numbers }) => numbers)).toEqual([[0], [20], [21]])
})

test('a second batch runs beside the first once sixteen items wait, and the rest waits for either', async () => {
  holdTimers(10)
  const { batches, give } = batcher(10)
  const all = Array.from({ length: 16 }, (_, n) => give(n))
  expect(batches.length).toBe(1)
  for (let n = 16; n < 30; n += 1) all.push(give(n))
  expect(batches.map(({ numbers }) => numbers.length)).toEqual([1, 10])
  batches[1]?.end(refused())
  await turn()
  // The refused items run alone, one after the other, while the other batch continues.
  expect(batches.map(({ numbers }) => numbers.length)).toEqual([1, 10, 1])
  batches[2]?.end(refused())
  await expect(all[1]).rejects.toThrow('no')
  batches[0]?.end()
  expect(await all[0]).toBe(0)
  for (let ended = 3; ended < batches.length; ended += 1) {
    batches[ended]?.end()
    await turn()
  }
  expect(await Promise.all(all.slice(2))).toEqual(all.slice(2).map((_, n) => n + 2))
})

test('up to four batches run at once if the earlier ones are slow', async () => {
  const timers = holdTimers(10)
  const { batches, give } = batcher(10)
  const all = [give(0)]
  for (let n = 1; n <= 5; n += 1) {
    all.push(give(n))
    expect(batches.length).toBe(Math.min(n, 4))
    timers.runOut()
  }
  expect(batches.map(({ numbers }) => numbers)).toEqual([[0], [1], [2], [3]])
  for (const { end } of batches) end()
  await turn()
  expect(batches.at(-1)?.numbers).toEqual([4, 5])
  batches.at(-1)?.end()
  expect(await Promise.all(all)).toEqual([0, 1, 2, 3, 4, 5])
  const ended = batches.length
  for (let n = 6; n < 40; n += 1) void give(n)
  expect(batches.length - ended).toBe(2)
})

test.each([1, 3, 10])('of %i items that throw, each fails alone', async (count) => {
  const give = createBatcher<number, number>({
    limit: 100,
    async run(items) {
      for (const n of items) if (n > 0 && n <= count) throw new TypeError(`odd ${n}`)
      return items
    },
  })
  const all = await Promise.allSettled(Array.from({ length: 40 }, (_, n) => give(n)))
  expect(all.map(({ status }) => status)).toEqual(
    Array.from({ length: 40 }, (_, n) => (n > 0 && n <= count ? 'rejected' : 'fulfilled')),
  )
  expect(all[count]).toMatchObject({ reason: { message: `odd ${count}` } })
})
