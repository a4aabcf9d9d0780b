import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { looksRandom } from './entropy.ts'

test.each([
  'x'.repeat(64),
  'changeme'.repeat(8),
  'correct-horse-battery'.repeat(3),
  'supersecretsupersecretsupersecre',
  '0123456789abcdefghijklmnopqrstuvwxyz',
  'abababababababababababababababababababac',
  '12345678901234567890123456789012',
  'aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbcccccccccccccccc',
])('%s is not random', (secret) => {
  expect(looksRandom(secret)).toBe(false)
})

test('openssl’s secrets are random', () => {
  for (let count = 0; count < 2_000; count++) {
    for (const encoding of ['hex', 'base64'] as const) {
      expect(looksRandom(randomBytes(32).toString(encoding))).toBe(true)
    }
    const shortest = randomBytes(16).toString('hex')
    expect(looksRandom(shortest), shortest).toBe(true)
  }
})
