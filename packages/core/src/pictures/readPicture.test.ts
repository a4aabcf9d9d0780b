import { expect, test } from 'vitest'
import { pictures } from '../../../../tests/support/pictures/testPictures.ts'
import { readPicture } from './readPicture.ts'

const fileOf = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'))

test.each([
  ['png', 'image/png'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['losslessWebp', 'image/webp'],
  ['extendedWebp', 'image/webp'],
] as const)('reads the type and the size of a file, unless it is truncated: %s', (name, type) => {
  const file = fileOf(pictures[name])
  expect(readPicture(file)).toEqual({ type, width: 96, height: 64 })
  // In the middle of a larger buffer, as Node.js reads files.
  const pooled = new Uint8Array([1, 2, 3, ...file, 4]).subarray(3, 3 + file.length)
  expect(readPicture(pooled)).toEqual({ type, width: 96, height: 64 })
  for (let length = 0; length < file.length; length += 1) {
    expect(readPicture(file.subarray(0, length)), String(length)).toBeNull()
  }
})

test('accepts a JPEG with fill bytes before its markers', () => {
  const [first = 0, second = 0, ...rest] = fileOf(pictures.jpeg)
  const filled = new Uint8Array([first, second, 0xff, 0xff, ...rest])
  expect(readPicture(filled)).toEqual({ type: 'image/jpeg', width: 96, height: 64 })
})

test.each([
  '',
  '<svg xmlns="http://www.w3.org/2000/svg"/>',
  '<script>alert(1)</script>',
  'GIF89a',
  'RIFF\x04\x00\x00\x00WEBPnone',
  'RIFF\x04\x00\x00\x00WEBPtoString',
  '\x89PNG\r\n\x1a\n<script>alert(1)</script>',
  '\xff\xd8\xff<script>alert(1)</script>',
])('%j is no picture', (text) => {
  expect(readPicture(new Uint8Array(Buffer.from(text, 'latin1')))).toBeNull()
})
