import { expect, test, vi } from 'vitest'
import { createStaleCache } from './lastKnown.ts'

function setUp() {
  let now = 5_000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const known = createStaleCache<string>()
  return {
    known,
    keep: (ids: readonly string[]) => known.set(ids, new Map(ids.map((id) => [id, `the ${id}`]))),
    pass(ms: number) {
      now += ms
    },
  }
}

test('what was read is known with its age, for ten seconds', () => {
  const { known, keep, pass } = setUp()
  keep(['a', 'b'])
  expect(known.get('a')).toEqual({ value: 'the a', ageMs: 0 })
  pass(9_000)
  keep(['b'])
  pass(1_000)
  expect(known.get('a')).toEqual({ value: 'the a', ageMs: 10_000 })
  pass(1)
  expect(known.get('a')).toBeNull()
  expect(known.get('b')).toEqual({ value: 'the b', ageMs: 1_001 })
  expect(known.get('c')).toBeNull()
})

test('what is gone is not known any more', () => {
  const { known, keep } = setUp()
  keep(['a', 'b'])
  known.set(['a'], new Map())
  expect(known.get('a')).toBeNull()
  expect(known.get('b')).not.toBeNull()
})

test('of very many, those that were read last are known', () => {
  const { known, keep } = setUp()
  const ids = Array.from({ length: 20_000 }, (_, index) => `${index}`)
  for (const id of ids) keep([id])
  expect(ids.filter((id) => known.get(id))).toEqual(ids.slice(-2_000))
})
