import { expect, test, vi } from 'vitest'
import { createStaleCache } from './staleCache.ts'

function setUp() {
  let now = 5_000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const current = createStaleCache<string>()
  return {
    current,
    keep: (ids: readonly string[]) => current.set(ids, new Map(ids.map((id) => [id, `the ${id}`]))),
    advance(ms: number) {
      now += ms
    },
  }
}

test('a read value is available with its age, for ten seconds', () => {
  const { current, keep, advance: succeed } = setUp()
  keep(['a', 'b'])
  expect(current.get('a')).toEqual({ value: 'the a', ageMs: 0 })
  succeed(9_000)
  keep(['b'])
  succeed(1_000)
  expect(current.get('a')).toEqual({ value: 'the a', ageMs: 10_000 })
  succeed(1)
  expect(current.get('a')).toBeNull()
  expect(current.get('b')).toEqual({ value: 'the b', ageMs: 1_001 })
  expect(current.get('c')).toBeNull()
})

test('a deleted value is no longer available', () => {
  const { current, keep } = setUp()
  keep(['a', 'b'])
  current.set(['a'], new Map())
  expect(current.get('a')).toBeNull()
  expect(current.get('b')).not.toBeNull()
})

test('a value that was read again is the newer one', () => {
  const { current, keep, advance } = setUp()
  keep(['a'])
  advance(9_000)
  current.set(['a'], new Map([['a', 'another']]))
  advance(3_000)
  keep(['b'])
  expect(current.get('a')).toEqual({ value: 'another', ageMs: 3_000 })
})

test('of very many values, those that were read first are available, for ten seconds', () => {
  const { current, keep, advance } = setUp()
  const ids = Array.from({ length: 20_000 }, (_, index) => `${index}`)
  for (const id of ids) keep([id])
  expect(ids.filter((id) => current.get(id))).toEqual(ids.slice(0, 1_000))
  advance(10_000)
  for (const id of ids.slice(1_000)) keep([id])
  expect(ids.filter((id) => current.get(id))).toEqual(ids.slice(0, 2_000))
  advance(1)
  expect(ids.filter((id) => current.get(id))).toEqual(ids.slice(1_000, 2_000))
})

test('of very many values, one that could not be stored again is not shown as it was', () => {
  const { current, keep, advance } = setUp()
  keep(['a'])
  advance(10_000)
  for (let id = 0; id < 1_000; id += 1) keep([`${id}`])
  keep(['a'])
  expect(current.get('a')).toBeNull()
})

test('of very many values, one that is stored is replaced', () => {
  const { current, keep } = setUp()
  for (let id = 0; id < 1_000; id += 1) keep([`${id}`])
  current.set(['7'], new Map([['7', 'another']]))
  expect(current.get('7')?.value).toBe('another')
})
