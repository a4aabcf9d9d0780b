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

test('of very many values, those that were read last are available', () => {
  const { current, keep } = setUp()
  const ids = Array.from({ length: 20_000 }, (_, index) => `${index}`)
  for (const id of ids) keep([id])
  expect(ids.filter((id) => current.get(id))).toEqual(ids.slice(-2_000))
})
