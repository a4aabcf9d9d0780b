import { describe, expect, test } from 'vitest'
import { grow, newSpan, type Span, shrink } from './span.ts'

/** Asks as long as `queries` last; returns what was learned and how often it was refused on the way. */
function ask(span: Span, limit: number, queries: number): { span: Span; refusals: number } {
  let refusals = 0
  for (let query = 0; query < queries; query += 1) {
    const refused = span.blocks > limit
    if (refused) refusals += 1
    span = refused ? shrink(span, span.blocks) : grow(span, span.blocks)
  }
  return { span, refusals }
}

describe.each([1, 5, 10, 100, 499, 500, 10_000])('a provider that allows %i blocks', (limit) => {
  test('is soon asked for as many as it allows, and seldom for more', () => {
    const learned = ask(newSpan, limit, 20)
    expect(learned.span.blocks).toBe(Math.min(limit, 500))
    expect(ask(learned.span, limit, 1_000).refusals).toBeLessThanOrEqual(30)
  })

  test('and then fewer, and then more again, is followed', () => {
    const { span } = ask(ask(newSpan, limit, 30).span, 2, 30)
    expect(span.blocks).toBeLessThanOrEqual(2)
    expect(ask(span, limit, 2_000).span.blocks).toBeGreaterThanOrEqual(Math.min(limit, 500) / 2)
  })
})

test('queries of one batch that are refused together count once', () => {
  const together = [1, 2, 3].reduce((span) => shrink(span, 500), newSpan)
  expect(together).toEqual(shrink(newSpan, 500))
})

test('an answer about fewer blocks says nothing about more', () => {
  expect(grow(shrink(newSpan, 500), 11)).toEqual(shrink(newSpan, 500))
})
