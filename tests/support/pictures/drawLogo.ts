import { crc32, deflateSync } from 'node:zlib'

const side = 128

/** A shop's logo as a PNG: a sun above a hill, in the colour of nothing else. */
export function drawLogo(width = side, height = side): Buffer {
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.from([0, ...Array.from({ length: width }, (_, x) => colorAt(x, y)).flat()]),
  )
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // 8 bits for each of red, green and blue.
  header.set([8, 2], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function colorAt(x: number, y: number): number[] {
  if ((x - 88) ** 2 + (y - 40) ** 2 < 18 ** 2) return [255, 209, 102]
  if ((x - 64) ** 2 + (y - 168) ** 2 < 96 ** 2) return [6, 95, 70]
  return [167, 220, 200]
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
