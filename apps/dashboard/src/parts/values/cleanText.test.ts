import { expect, test } from 'vitest'
import { cleanText, writeJson } from './cleanText.ts'

test.each([
  ['A-1042', 'A-1042'],
  ['\u202e24.00\u202c', '24.00'],
  ['\u2066\u200f\u061cשלום\u2069', 'שלום'],
  ['x'.repeat(101), `${'x'.repeat(100)}…`],
])('%j is shown as %j', (text, shown) => {
  expect(cleanText(text, 100)).toBe(shown)
})

test('JSON escapes characters of direction and keeps its value', () => {
  const value = { order_id: '\u202e1042\u2069' }
  expect(writeJson(value)).toContain('"\\u202e1042\\u2069"')
  expect(JSON.parse(writeJson(value))).toEqual(value)
})
