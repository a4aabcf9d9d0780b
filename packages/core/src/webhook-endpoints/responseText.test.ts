import { expect, test } from 'vitest'
import { responseText } from './responseText.ts'

const textOf = (text: string) => responseText(new TextEncoder().encode(text))

test('a response is kept as one line of text without control characters', () => {
  expect(textOf('<h1>Bad\r\n\tGateway</h1>\0\u001b[31m\u202e🥐')).toBe('<h1>Bad Gateway</h1>[31m🥐')
  expect(responseText(Uint8Array.of(0xff, 0x41))).toBe('\ufffdA')
})

test('the first 1,000 bytes are kept, without a partial character', () => {
  expect(textOf('x'.repeat(1_001))).toBe('x'.repeat(1_000))
  expect(textOf(`${'x'.repeat(999)}é`)).toBe('x'.repeat(999))
})

test('secrets in it are left out', () => {
  expect(textOf(`key sk_live_${'aB3'.repeat(16)}, whsec_${'aB3/'.repeat(10)}=`)).toBe(
    'key sk_live_…, whsec_…',
  )
})
