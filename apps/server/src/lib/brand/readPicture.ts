export type Picture = {
  readonly type: 'image/png' | 'image/jpeg' | 'image/webp'
  /** In pixels. */
  readonly width: number
  readonly height: number
}

/**
 * What the first bytes of a file say that it is. Vector files are left out: an SVG is a document, and can carry scripts.
 *
 * @returns null: no picture of these types
 */
export function readPicture(file: Buffer): Picture | null {
  try {
    return readPng(file) ?? readJpeg(file) ?? readWebp(file)
  } catch (error) {
    // The file ends too soon.
    if (error instanceof RangeError) return null
    throw error
  }
}

/** https://www.w3.org/TR/png-3/#11IHDR */
function readPng(file: Buffer): Picture | null {
  if (file.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') return null
  return { type: 'image/png', width: file.readUInt32BE(16), height: file.readUInt32BE(20) }
}

/** ITU-T T.81, B.1.1.2 and B.2.2: the first frame header. */
function readJpeg(file: Buffer): Picture | null {
  if (file.toString('latin1', 0, 3) !== '\xff\xd8\xff') return null
  for (let at = 2; file.readUInt8(at) === 0xff; at += 2 + file.readUInt16BE(at + 2)) {
    // Any number of fill bytes may be before a marker.
    while (file.readUInt8(at + 1) === 0xff) at += 1
    const marker = file.readUInt8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (!isFrame) continue
    return {
      ...{ type: 'image/jpeg', width: file.readUInt16BE(at + 7) },
      height: file.readUInt16BE(at + 5),
    }
  }
  return null
}

/** RFC 9649, sections 2.5 to 2.7. */
function readWebp(file: Buffer): Picture | null {
  if (file.toString('latin1', 0, 4) + file.toString('latin1', 8, 12) !== 'RIFFWEBP') return null
  const type = 'image/webp'
  const sides = {
    'VP8 ': () => [file.readUInt16LE(26) & 0x3fff, file.readUInt16LE(28) & 0x3fff],
    VP8L: () => {
      const bits = file.readUInt32LE(21)
      return [(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1]
    },
    VP8X: () => [file.readUIntLE(24, 3) + 1, file.readUIntLE(27, 3) + 1],
  }
  const chunk = file.toString('latin1', 12, 16)
  const [width = 0, height = 0] = Object.hasOwn(sides, chunk)
    ? sides[chunk as keyof typeof sides]()
    : []
  return width && height ? { type, width, height } : null
}
