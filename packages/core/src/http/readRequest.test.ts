import type { Mode } from '@payment-intents/contract'
import { expect, test } from 'vitest'
import { depthOf, invalidApiKey } from './readRequest.ts'

test('the error names a key of the other mode, and no other fault', () => {
  const only = (followed: Mode | null) => ({
    confirmations: (mode: Mode) => (mode === followed ? { base: 5 } : {}),
  })
  const of = (key: string, mode: Mode | null) => invalidApiKey(key, only(mode)).message
  expect(of('sk_live_1', 'testnet')).toMatch(
    /^A live key does not work on a test server\. Use a test/,
  )
  expect(of('sk_test_1', 'mainnet')).toMatch(
    /^A test key does not work on a live server\. Use a live/,
  )
  const usual = of('sk_live_1', 'mainnet')
  expect(usual).toMatch(/^The API key is not valid\. Check that/)
  for (const key of ['sk_test_1', 'other']) expect(of(key, 'testnet')).toBe(usual)
  for (const key of ['sk_test_1', 'sk_live_1']) expect(of(key, null)).toBe(usual)
})

test('depth is counted without recursion', () => {
  expect(depthOf(1)).toBe(0)
  expect(depthOf({})).toBe(1)
  expect(depthOf({ a: [{ b: 1 }] })).toBe(3)
  expect(depthOf(JSON.parse(`${'['.repeat(60_000)}${']'.repeat(60_000)}`))).toBe(60_000)
})
