import { expect, it } from 'vitest'
import * as exported from './index.ts'

it('exports what the README names', () => {
  expect(Object.keys(exported)).toEqual(['startDevChain'])
})
