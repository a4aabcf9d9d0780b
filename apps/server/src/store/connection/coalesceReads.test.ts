import { describe, expect, test, vi } from 'vitest'
import { holdTimers } from '../../../../../tests/support/holdTimers.ts'
import { coalesceReads } from './coalesceReads.ts'

type Read = {
  readonly ids: readonly string[]
  respond(...there: string[]): void
  fail(error: Error): void
}

/** Reads that end when the test ends them, and a database whose outages the test controls. */
function setUp(query_timeout?: number) {
  const reads: Read[] = []
  const listeners: (() => void)[] = []
  let away = false
  const database = {
    isAway: () => away,
    onAway: (listener: () => void) => void listeners.push(listener),
    report: vi.fn(),
  }
  const db = { pool: { options: { query_timeout } } }
  const find = coalesceReads({ db, database }, (ids) => {
    const { promise, resolve, reject } = Promise.withResolvers<Map<string, string>>()
    const response = (...there: string[]) => resolve(new Map(there.map((id) => [id, `the ${id}`])))
    reads.push({ ids, respond: response, fail: reject })
    return promise
  })
  /** Waits until everything that can continue has continued. */
  const settle = () => new Promise(setImmediate)
  return {
    ...{ reads, find, settle, database },
    take() {
      away = true
      for (const listener of listeners) listener()
    },
    giveBack() {
      away = false
    },
  }
}

const named = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}`)

test('simultaneous requests share a read, and an id that many request is read once', async () => {
  const { reads, find, settle } = setUp()
  const ids = named('a', 50)
  const result = Promise.all([...ids, ...ids].map(find))
  await settle()
  expect(reads.map((read) => read.ids)).toEqual([ids])
  reads[0]?.respond(...ids.slice(1))
  const expected = ids.map((id, index) => (index === 0 ? null : `the ${id}`))
  expect(await result).toEqual([...expected, ...expected])
})

test('requests during a read share the next read, so that no response is older than its request', async () => {
  const { reads, find, settle } = setUp()
  const firstResult = find('a')
  await settle()
  const later = Promise.all(['a', 'b', 'a'].map(find))
  await settle()
  expect(reads.map((read) => read.ids)).toEqual([['a']])
  reads[0]?.respond()
  expect(await firstResult).toBeNull()
  await settle()
  expect(reads.map((read) => read.ids)).toEqual([['a'], ['a', 'b']])
  reads[1]?.respond('a', 'b')
  expect(await later).toEqual(['the a', 'the b', 'the a'])
})

test('very many ids are read by several statements in sequence', async () => {
  const { reads, find, settle } = setUp()
  const ids = named('a', 1_200)
  const result = Promise.all(ids.map(find))
  for (let index = 0; index < 3; index += 1) {
    await settle()
    expect(reads).toHaveLength(index + 1)
    reads[index]?.respond(...ids)
  }
  expect(reads.map((read) => read.ids.length)).toEqual([500, 500, 200])
  expect(await result).toEqual(ids.map((id) => `the ${id}`))
})

/** Reads that fail for some rows, such as a row that a parser refuses. */
function setUpOdd(odd: ReadonlySet<string>) {
  const reads: (readonly string[])[] = []
  const database = { isAway: () => false, onAway: () => {}, report: vi.fn() }
  const find = coalesceReads({ db: { pool: { options: {} } }, database }, async (ids) => {
    reads.push(ids)
    for (const id of ids) if (odd.has(id)) throw new SyntaxError(`odd ${id}`)
    return new Map(ids.map((id) => [id, `the ${id}`]))
  })
  return { reads, find }
}

describe.each([1, 3, 10])('of %i rows that cannot be read', (count) => {
  const ids = named('a', 500)
  const odd = new Set(ids.filter((_, n) => n % 7 === 0).slice(0, count))
  const expectAlone = (result: readonly PromiseSettledResult<string | null>[]) =>
    expect(
      result.map((promiseSettledResult) =>
        promiseSettledResult.status === 'rejected'
          ? String(promiseSettledResult.reason)
          : promiseSettledResult.value,
      ),
    ).toEqual(ids.map((id) => (odd.has(id) ? `SyntaxError: odd ${id}` : `the ${id}`)))

  test('each fails only its own readers', async () => {
    const { find } = setUpOdd(odd)
    expectAlone(await Promise.allSettled(ids.map(find)))
  })

  test('each is read separately until it can be read', async () => {
    const { reads, find } = setUpOdd(new Set(odd))
    await Promise.allSettled(ids.map(find))
    reads.length = 0
    expectAlone(
      await Promise.allSettled([...ids, ...odd].map(find)).then((all) => all.slice(0, 500)),
    )
    expect(reads).toHaveLength(1 + count)
  })
})

test('a row that can be read again is read with others', async () => {
  const odd = new Set(['a1'])
  const { reads, find } = setUpOdd(odd)
  await Promise.allSettled(['a1', 'a2'].map(find))
  odd.clear()
  expect(await find('a1')).toBe('the a1')
  reads.length = 0
  await Promise.all(['a1', 'a2'].map(find))
  expect(reads).toEqual([['a1', 'a2']])
})

/** A temporary fault of a connection. */
const broken = () => Object.assign(new Error('broken'), { code: 'ECONNRESET' })

describe('a read that hangs', () => {
  const limitMs = 4_000_000
  const setUpHanging = async () => {
    const timers = holdTimers(limitMs / 4)
    const set = setUp(limitMs)
    const hanging = set.find('a')
    await set.settle()
    return { ...set, timers, hanging }
  }

  test('is repeated with the newer requests, and does not delay them', async () => {
    const { reads, find, settle, timers, hanging } = await setUpHanging()
    const later = Promise.all([find('b'), find('a')])
    await settle()
    expect(reads).toHaveLength(1)
    timers.runOut()
    expect(reads.map((read) => read.ids)).toEqual([['a'], ['b', 'a']])
    reads[1]?.respond('a', 'b')
    expect(await hanging).toBe('the a')
    expect(await later).toEqual(['the b', 'the a'])
    reads[0]?.fail(broken())
    await settle()
    expect(reads).toHaveLength(2)
  })

  test('counts if it ends first, even as a failure', async () => {
    const first = await setUpHanging()
    first.timers.runOut()
    await first.settle()
    first.reads[0]?.respond('a')
    expect(await first.hanging).toBe('the a')

    const second = await setUpHanging()
    second.timers.runOut()
    await second.settle()
    second.reads[0]?.fail(broken())
    await expect(second.hanging).rejects.toThrow('broken')
  })

  test('is repeated once, and no third read starts beside two that hang', async () => {
    const { reads, find, settle, timers, hanging } = await setUpHanging()
    timers.runOut()
    await settle()
    const later = find('b')
    timers.runOut()
    await settle()
    expect(reads.map((read) => read.ids)).toEqual([['a'], ['a']])
    expect(timers.held()).toEqual([])
    reads[1]?.respond('a')
    expect(await hanging).toBe('the a')
    await settle()
    expect(reads.map((read) => read.ids)).toEqual([['a'], ['a'], ['b']])
    reads[2]?.respond('b')
    expect(await later).toBe('the b')
  })

  test('does not delay requests after an outage', async () => {
    const { reads, find, settle, timers, hanging, take, giveBack } = await setUpHanging()
    timers.runOut()
    await settle()
    take()
    await expect(hanging).rejects.toMatchObject({ code: 'internal_error' })
    giveBack()
    const back = find('b')
    await settle()
    reads[2]?.respond('b')
    expect(await back).toBe('the b')
  })
})

test('a read that fails temporarily is repeated once, and requests that join it have a retry of their own', async () => {
  const { reads, find, settle, database } = setUp()
  const firstResult = find('a')
  await settle()
  const secondResult = find('b')
  reads[0]?.fail(broken())
  await settle()
  expect(reads.map((read) => read.ids)).toEqual([['a'], ['b', 'a']])
  reads[1]?.fail(broken())
  await expect(firstResult).rejects.toThrow('broken')
  await settle()
  expect(reads.map((read) => read.ids)).toEqual([['a'], ['b', 'a'], ['b']])
  reads[2]?.respond('b')
  expect(await secondResult).toBe('the b')
  expect(database.report).toHaveBeenCalledTimes(2)
})

test('while the database is unreachable, running and waiting reads fail at once', async () => {
  const { reads, find, settle, take, giveBack } = setUp()
  const running = find('a')
  await settle()
  const waiting = find('b')
  take()
  for (const requested of [running, waiting, find('c')]) {
    await expect(requested).rejects.toMatchObject({ code: 'internal_error' })
  }
  expect(reads).toHaveLength(1)
  giveBack()
  const back = find('d')
  await settle()
  reads[1]?.respond('d')
  expect(await back).toBe('the d')
})
