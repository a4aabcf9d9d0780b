import { expect, test } from 'vitest'
import { drawLogo } from '../../../../tests/support/pictures/drawLogo.ts'
import { logoOf } from './logo.ts'

test('a logo is square, neither tiny nor huge, and at most 100 kB', () => {
  expect(logoOf(drawLogo())).toMatchObject({ type: 'image/png' })
  expect(logoOf(drawLogo(128, 96))).toMatch(/^must be square, .* this picture has 128 by 96\.$/)
  expect(logoOf(drawLogo(63, 63))).toMatch(/64 to 1024 pixels/)
  const huge = drawLogo()
  huge.writeUInt32BE(30_000, 16)
  huge.writeUInt32BE(30_000, 20)
  expect(logoOf(huge)).toMatch(/64 to 1024 pixels/)
  const heavy = Buffer.concat([drawLogo(), Buffer.alloc(100_000)])
  expect(logoOf(heavy)).toMatch(/^must have at most 100 kB; this file has \d+ kB\.$/)
})
