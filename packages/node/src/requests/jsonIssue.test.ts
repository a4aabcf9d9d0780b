import { describe, expect, test } from 'vitest'
import { jsonIssue } from './jsonIssue.ts'

class Money {
  readonly #units = 1
  get units() {
    return this.#units
  }
}

describe('a value that JSON would drop or change is named with its path:', () => {
  const cycle: { inner: { list: unknown[] } } = { inner: { list: [] } }
  cycle.inner.list.push(cycle.inner)

  test.each<[string, unknown, string, string]>([
    ['undefined', { a: undefined }, 'm.a', 'is undefined, which JSON cannot hold'],
    ['a function', { a: { b: () => 1 } }, 'm.a.b', 'is a function, which JSON cannot hold'],
    ['a symbol', [Symbol('x')], 'm.0', 'is a symbol, which JSON cannot hold'],
    ['a bigint', { a: [0, 1n] }, 'm.a.1', 'is a bigint, which JSON cannot hold'],
    ['NaN', { a: Number.NaN }, 'm.a', 'is NaN, which JSON cannot hold'],
    ['Infinity', { a: -Infinity }, 'm.a', 'is -Infinity, which JSON cannot hold'],
    ['a Map', { a: new Map([['b', 1]]) }, 'm.a', 'is a Map, which JSON cannot hold'],
    ['a Set', { a: new Set([1]) }, 'm.a', 'is a Set, which JSON cannot hold'],
    ['a RegExp', { a: /x/ }, 'm.a', 'is a RegExp, which JSON cannot hold'],
    ['an object that hides all', { a: new Money() }, 'm.a', 'is a Money, which JSON cannot hold'],
    ['a hole', { a: new Array(3) }, 'm.a', 'is a sparse array, which JSON cannot hold'],
    ['a cycle', cycle, 'm.inner.list.0', expect.stringMatching(/^is a cycle, which JSON cannot/)],
    ['undefined by toJSON', { a: { toJSON: () => undefined } }, 'm.a', expect.any(String)],
  ])('%s', (_, value, path, message) => {
    expect(jsonIssue(value, 'm')).toEqual({ path, message })
  })
})

test.each<[string, unknown]>([
  ['every kind of JSON', { a: [null, true, 'x', -1.5, {}, []], b: { c: '' } }],
  ['a date', { at: new Date(0) }],
  ['an object without a prototype', Object.assign(Object.create(null), { a: 1 })],
  ['one object twice', ((object) => [object, object])({ a: 1 })],
  [
    'an object of a class with fields',
    new (class Line {
      readonly sku = 'x'
    })(),
  ],
])('%s is JSON', (_, value) => {
  expect(jsonIssue(value, 'm')).toBeUndefined()
})
