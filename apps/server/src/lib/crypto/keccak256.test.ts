import fc from 'fast-check'
import { bytesToHex, keccak256 as inJavaScript } from 'viem'
import { expect, test } from 'vitest'
import { keccak256 } from './keccak256.ts'

test('agrees with viem’s Keccak-256, for bytes and hexadecimal digits', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(keccak256(bytes)).toBe(inJavaScript(bytes))
      expect(keccak256(bytesToHex(bytes))).toBe(inJavaScript(bytes))
    }),
    { numRuns: 50 },
  )
})
