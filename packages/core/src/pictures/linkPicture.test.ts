import { createHash } from 'node:crypto'
import { createPaymentLinkSchema, limits } from '@payment-intents/contract'
import { describe, expect, test } from 'vitest'
import { drawLogo } from '../../../../tests/support/pictures/drawLogo.ts'
import { asPng, dataUrls, pictures } from '../../../../tests/support/pictures/testPictures.ts'
import { parse } from '../http/readRequest.ts'
import { linkPicture } from './linkPicture.ts'

/** A picture as a parsed request has it. */
function read(picture: string) {
  parse(createPaymentLinkSchema, { amount_units: 1, description: 'A', picture })
  return linkPicture(picture)
}

test.each(['png', 'jpeg', 'webp'] as const)('a %s is named by the hash of its bytes', (name) => {
  const content = Buffer.from(pictures[name], 'base64')
  const hash = createHash('sha256').update(content).digest('base64url')
  const picture = read(dataUrls[name])
  expect(picture).toMatchObject({ hash, type: `image/${name}` })
  expect(Buffer.from(picture.content).equals(content)).toBe(true)
})

test('the first bytes decide its type', () => {
  const misnamed = dataUrls.jpeg.replace('image/jpeg', 'image/png')
  expect(read(misnamed).type).toBe('image/jpeg')
})

/** A picture of this many bytes. */
const ofBytes = (bytes: number) => Buffer.concat([drawLogo(), Buffer.alloc(bytes)], bytes)

describe('is at most 100,000 bytes', () => {
  // Each length of the padding.
  test.each([0, 1, 2])('less %i', (less) => {
    const url = asPng(ofBytes(limits.pictureBytes - less))
    expect(read(url).content).toHaveLength(limits.pictureBytes - less)
  })

  test.each([1, 2, 3, 50_000])('not %i more', (more) => {
    const url = asPng(ofBytes(limits.pictureBytes + more))
    expect(() => read(url)).toThrow(/^`picture`: must have at most 100 kB/)
  })
})

test.each([
  [64, 64],
  [2_000, 667],
  [64, 192],
])('may have %i by %i pixels', (width, height) => {
  expect(read(asPng(drawLogo(width, height))).type).toBe('image/png')
})

test.each([
  ['a pixel', asPng(drawLogo(1, 1))],
  ['a side too short', asPng(drawLogo(64, 63))],
  ['a side too long', asPng(drawLogo(2_001, 1_000))],
  ['too wide', asPng(drawLogo(193, 64))],
  ['too high', asPng(drawLogo(64, 193))],
])('is refused for its size: %s', (_, url) => {
  expect(() => read(url)).toThrow(/^`picture`: must have 64 to 2000 pixels a side, .* has \d+ by/)
})

const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')

test.each([
  ['an SVG', `data:image/svg+xml;base64,${svg}`],
  ['an SVG that is called a PNG', `data:image/png;base64,${svg}`],
  ['a script that is called a PNG', asPng('<script>alert(1)</script>')],
  ['a script behind the first bytes of a PNG', asPng('\x89PNG\r\n\x1a\n<script></script>')],
  ['a truncated PNG', asPng(drawLogo().subarray(0, -1))],
  ['a GIF', 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA='],
  ['a page', 'data:text/html;base64,PGI+'],
  ['no base64', `data:image/png,${pictures.png}`],
  ['parameters', `data:image/png;charset=utf-8;base64,${pictures.png}`],
  ['capitals', dataUrls.png.replace('image', 'IMAGE')],
  ['base64 with a line break', `${dataUrls.png.slice(0, 50)}\n${dataUrls.png.slice(50)}`],
  ['base64 of URLs', dataUrls.jpeg.replaceAll('/', '_').replace('image_', 'image/')],
  ['base64 that was cut', dataUrls.png.slice(0, -1)],
  ['base64 with too much padding', `${dataUrls.webp}=`],
  ['no content', 'data:image/png;base64,'],
  ['padding alone', 'data:image/png;base64,=='],
  ['a URL of another host', 'https://shop.example/lesson.png'],
  ['a path of this service', '/v1/pictures/x'],
  ['nothing', ''],
])('%s is refused', (_, url) => {
  expect(() => read(url)).toThrow(
    expect.objectContaining({
      code: 'invalid_body',
      details: { issues: [{ path: 'picture', message: expect.any(String) }] },
    }),
  )
})
