import { expect, test } from 'vitest'
import { returnOriginIn } from './returnOrigin.ts'

test.each([
  ['https://shop.example/a?b', 'https://shop.example', 'https://shop.example'],
  ['https://shop.example:444', 'https://shop.example:444', 'https://shop.example:444'],
  ['http://localhost:3000/', 'http://localhost:3000', null],
  ['http://shop.example', null, null],
  ['https://me:1@shop.example', null, null],
  ['javascript:alert(1)', null, null],
  ['shop.example', null, null],
  [null, null, null],
  [undefined, null, null],
])('%s returns to %s in test mode, and to %s in live mode', (url, test, live) => {
  expect(returnOriginIn('testnet', url)).toBe(test)
  expect(returnOriginIn('mainnet', url)).toBe(live)
})
