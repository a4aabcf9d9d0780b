import { expect, test } from 'vitest'
import { boundedMap } from './boundedMap.ts'

const names = (count: number) => Array.from({ length: count }, (_, n) => `a${n}`)

test('keeps the half that was set last, and never more than the maximum', () => {
  const map = boundedMap<number>(100)
  const stored = () => names(1_000).filter((name) => map.get(name) !== undefined)
  for (const [value, name] of names(1_000).entries()) {
    map.set(name, value)
    map.set('used', value)
    expect(stored().length).toBeLessThanOrEqual(100)
    expect(
      names(value + 1)
        .slice(-49)
        .map(map.get),
    ).not.toContain(undefined)
    expect(map.get('used')).toBe(value)
  }
})

test('a value that is set again is the new one, also after the old one was dropped by half', () => {
  const map = boundedMap<number>(4)
  map.set('a', 1)
  for (const name of ['b', 'c']) map.set(name, 0)
  map.set('a', 2)
  expect(map.get('a')).toBe(2)
  map.delete('a')
  expect(map.get('a')).toBeUndefined()
})
