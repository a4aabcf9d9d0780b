import { expect, test } from 'vitest'
import { drawLogo } from '../../../../../tests/support/drawLogo.ts'
import { logoOf } from './logo.ts'
import { readPicture } from './readPicture.ts'

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(
    parts.map((part) =>
      typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part),
    ),
  )

const jpeg = bytes(
  [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc4, 0, 3, 0],
  // The frame: 100 lines of 300 samples.
  [0xff, 0xc2, 0, 17, 8, 0, 100, 0x01, 0x2c, 3],
)
const filled = bytes([...jpeg.subarray(0, 8)], [0xff, 0xff], [...jpeg.subarray(8)])
const webp = (chunk: string, ...data: number[]) =>
  bytes('RIFF', [0, 0, 0, 0], 'WEBP', chunk, [0, 0, 0, 0], data)

test.each([
  ['PNG', drawLogo(128, 96), 'image/png', 128, 96],
  ['JPEG', jpeg, 'image/jpeg', 300, 100],
  ['JPEG, with fill bytes', filled, 'image/jpeg', 300, 100],
  ['WebP, lossy', webp('VP8 ', 0, 0, 0, 0x9d, 1, 0x2a, 128, 0, 64, 0), 'image/webp', 128, 64],
  ['WebP, lossless', webp('VP8L', 0x2f, 127, 0xc0, 15, 0), 'image/webp', 128, 64],
  ['WebP, extended', webp('VP8X', 0, 0, 0, 0, 127, 0, 0, 63, 0, 0), 'image/webp', 128, 64],
])('reads the type and the size of %s', (_, file, type, width, height) => {
  expect(readPicture(file)).toEqual({ type, width, height })
})

test('a file that ends too soon, or is of another type, is no picture', () => {
  for (const file of [drawLogo(), jpeg, webp('VP8X', 0, 0, 0, 0, 127, 0, 0, 63, 0, 0)]) {
    for (let length = 0; length < 21; length += 1) {
      expect(readPicture(file.subarray(0, length))).toBeNull()
    }
  }
  for (const text of [
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'GIF89a',
    '',
    'RIFF0000WEBPnone',
  ]) {
    expect(readPicture(Buffer.from(text))).toBeNull()
  }
})

test('a logo is square, neither tiny nor huge, and at most 100 kB', () => {
  expect(logoOf(drawLogo())).toMatchObject({ type: 'image/png' })
  expect(logoOf(drawLogo(128, 96))).toMatch(/^must be square, .* this one has 128 by 96\.$/)
  expect(logoOf(drawLogo(63, 63))).toMatch(/64 to 1024 pixels/)
  const huge = drawLogo()
  huge.writeUInt32BE(30_000, 16)
  huge.writeUInt32BE(30_000, 20)
  expect(logoOf(huge)).toMatch(/64 to 1024 pixels/)
  const heavy = Buffer.concat([drawLogo(), Buffer.alloc(100_000)])
  expect(logoOf(heavy)).toMatch(/^must have at most 100 kB; this one has \d+ kB\.$/)
})
