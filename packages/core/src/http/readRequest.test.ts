import { expect, test } from 'vitest'
import { depthOf } from './readRequest.ts'

test('depth is counted without recursion', () => {
  expect(depthOf(1)).toBe(0)
  expect(depthOf({})).toBe(1)
  expect(depthOf({ a: [{ b: 1 }] })).toBe(3)
  expect(depthOf(JSON.parse(`${'['.repeat(60_000)}${']'.repeat(60_000)}`))).toBe(60_000)
})
