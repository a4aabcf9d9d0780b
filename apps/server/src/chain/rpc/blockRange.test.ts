import { describe, expect, test } from 'vitest'
import { type BlockRange, grow, newBlockRange, shrink } from './blockRange.ts'

/** Sends these queries; returns the learned range and how many were refused. */
function request(
  range: BlockRange,
  limit: number,
  queries: number,
): { range: BlockRange; refusals: number } {
  let refusals = 0
  for (let query = 0; query < queries; query += 1) {
    const refused = range.blocks > limit
    if (refused) refusals += 1
    range = refused ? shrink(range, range.blocks) : grow(range, range.blocks)
  }
  return { range, refusals }
}

describe.each([1, 5, 10, 100, 499, 500, 10_000])('a provider that allows %i blocks', (limit) => {
  test('soon gets queries of that many, and seldom of more', () => {
    const learned = request(newBlockRange, limit, 20)
    expect(learned.range.blocks).toBe(Math.min(limit, 500))
    expect(request(learned.range, limit, 1_000).refusals).toBeLessThanOrEqual(30)
  })

  test('and then fewer, and then more again, is followed', () => {
    const { range } = request(request(newBlockRange, limit, 30).range, 2, 30)
    expect(range.blocks).toBeLessThanOrEqual(2)
    expect(request(range, limit, 2_000).range.blocks).toBeGreaterThanOrEqual(
      Math.min(limit, 500) / 2,
    )
  })
})

test('refused queries of one batch count once', () => {
  const together = [1, 2, 3].reduce((range) => shrink(range, 500), newBlockRange)
  expect(together).toEqual(shrink(newBlockRange, 500))
})

test('a response about fewer blocks says nothing about more', () => {
  expect(grow(shrink(newBlockRange, 500), 11)).toEqual(shrink(newBlockRange, 500))
})
