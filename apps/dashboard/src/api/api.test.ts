import { expect, test } from 'vitest'
import { queryOf } from './api.ts'

test.each([
  [{}, ''],
  [{ limit: 50, status: undefined, q: '' }, '?limit=50'],
  [{ metadata: { order_id: 'a b&c' } }, '?metadata%5Border_id%5D=a+b%26c'],
  [{ active: false }, '?active=false'],
])('%j becomes the query %j', (params, query) => {
  expect(queryOf(params)).toBe(query)
})
