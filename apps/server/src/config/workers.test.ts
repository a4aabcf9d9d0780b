import { expect, test } from 'vitest'
import { workers } from './workers.ts'

test.for([
  [undefined, 1],
  ['3', 3],
  ['auto', 8],
  [' AUTO ', 8],
])('%s is %i workers on 8 cores', ([text, count]) => {
  expect(workers(8).parse(text)).toBe(count)
})

test('one per core is at most the greatest number', () => {
  expect(workers(128).parse('auto')).toBe(64)
})

test.for(['0', '65', '-1', 'automatic', '1.5'])('%s is refused', (text) => {
  expect(workers(8).safeParse(text).success).toBe(false)
})
