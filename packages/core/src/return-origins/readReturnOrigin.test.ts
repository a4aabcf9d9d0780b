import { expect, test } from 'vitest'
import { readReturnOrigin } from './readReturnOrigin.ts'

test.each([
  ['https://Shop.example/', 'https://shop.example'],
  ['https://shop.example:8443', 'https://shop.example:8443'],
  ['http://localhost:3000', 'http://localhost:3000'],
])('%s is the origin %s', (text, origin) => {
  expect(readReturnOrigin(text)).toBe(origin)
})

test.each([
  ...['', 'shop.example', 'http://shop.example', 'https://shop.example/thanks'],
  ...['https://shop.example/?a', 'https://shop.example/#a', 'https://me@shop.example'],
  ...['javascript:alert(1)', 'https://shop.example\0', `https://${'a.'.repeat(150)}example`],
])('%j is no origin', (text) => {
  expect(readReturnOrigin(text)).toBeNull()
})
