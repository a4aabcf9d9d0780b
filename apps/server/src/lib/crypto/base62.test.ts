import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../../../tests/support/tier.ts'
import { base62 } from './base62.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

test('encodes the number of the bytes, whatever their count', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const text = base62(bytes, 0)
      expect(text).not.toMatch(/^0/)
      const number = [...text].reduce(
        (sum, digit) => sum * 62n + BigInt(alphabet.indexOf(digit)),
        0n,
      )
      expect(number).toBe(BigInt(`0x0${Buffer.from(bytes).toString('hex')}`))
    }),
    { numRuns: runs(500) },
  )
})

test.for([
  [[], '000'],
  [[0, 0, 0], '000'],
  [[61], '00z'],
  [[255, 255], 'H31'],
] as const)('%j is %s', ([bytes, text]) => {
  expect(base62(Uint8Array.from(bytes), 3)).toBe(text)
})
