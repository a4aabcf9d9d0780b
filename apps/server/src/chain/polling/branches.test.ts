import { expect, test } from 'vitest'
import { type Branch, branchesAfter } from './branches.ts'

test('a branch is read again until ten blocks have followed it', () => {
  const result = branchesAfter([], 96n, 100n)
  expect(result).toEqual([{ from: 96n, head: 100n }])
  expect(branchesAfter(result, null, 109n)).toEqual(result)
  expect(branchesAfter(result, null, 110n)).toEqual([])
})

test('a branch that begins lower replaces those within it', () => {
  const both = branchesAfter([{ from: 96n, head: 100n }], 98n, 101n)
  expect(both.map(({ from }) => from)).toEqual([96n, 98n])
  expect(branchesAfter(both, 97n, 102n).map(({ from }) => from)).toEqual([96n, 97n])
  expect(branchesAfter(both, 96n, 102n)).toEqual([{ from: 96n, head: 102n }])
})

test('a provider that keeps replacing its last eight blocks has ten branches at most', () => {
  let branches: readonly Branch[] = []
  for (let real = 100n; real < 200n; real += 1n) {
    branches = branchesAfter(branches, real, real + 8n)
    expect(branches.length).toBeLessThanOrEqual(10)
  }
  expect(branches[0]).toEqual({ from: 190n, head: 198n })
})
