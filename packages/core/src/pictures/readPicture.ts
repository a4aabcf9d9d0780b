/** The type and size that the first bytes of a picture state. */
export type PictureHeader = {
  readonly type: 'image/png' | 'image/jpeg' | 'image/webp'
  /** In pixels. */
  readonly width: number
  readonly height: number
}

type Reader = (file: File) => PictureHeader | null

/** The bytes of a file. Reading past its end throws a RangeError. */
type File = DataView<ArrayBufferLike>

/**
 * Reads the type and the size of a picture from its bytes. Detects truncation as far as they show it. An SVG is
 * refused: it is a document, and can carry scripts.
 * @returns null: no picture of these types, or a truncated picture
 */
export function readPicture(bytes: Uint8Array): PictureHeader | null {
  const file = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return readPng(file) ?? readJpeg(file) ?? readWebp(file)
  } catch (error) {
    // The file is truncated.
    if (error instanceof RangeError) return null
    throw error
  }
}

/** https://www.w3.org/TR/png-3/#5DataRep */
const readPng: Reader = (file) => {
  if (textAt(file, 0, 8) !== '\x89PNG\r\n\x1a\n' || textAt(file, 12, 4) !== 'IHDR') return null
  const size = { width: file.getUint32(16), height: file.getUint32(20) }
  // Each chunk has its length before its name, and a checksum at its end.
  for (let at = 8; ; at += 12 + file.getUint32(at)) {
    if (textAt(file, at + 4, 4) !== 'IEND') continue
    file.getUint32(at + 8)
    return { type: 'image/png', ...size }
  }
}

/** ITU-T T.81, B.1.1.2 and B.2.2: the first frame header. */
const readJpeg: Reader = (file) => {
  if (textAt(file, 0, 3) !== '\xff\xd8\xff') return null
  for (let at = 2; file.getUint8(at) === 0xff; at += 2 + file.getUint16(at + 2)) {
    // Any number of fill bytes may precede a marker.
    while (file.getUint8(at + 1) === 0xff) at += 1
    const marker = file.getUint8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (!isFrame) continue
    const size = { width: file.getUint16(at + 7), height: file.getUint16(at + 5) }
    findEnd(file, at + 2 + file.getUint16(at + 2))
    return { type: 'image/jpeg', ...size }
  }
  return null
}

/** Throws unless the marker that ends a JPEG follows. */
function findEnd(file: File, from: number): void {
  let at = from
  while (file.getUint16(at) !== 0xffd9) at += 1
}

/** RFC 9649, sections 2.3 to 2.7. */
const readWebp: Reader = (file) => {
  if (textAt(file, 0, 4) + textAt(file, 8, 4) !== 'RIFFWEBP') return null
  const [width, height] = webpSize(file, textAt(file, 12, 4))
  const riff = 8 + file.getUint32(4, true)
  return width && height && riff <= file.byteLength ? { type: 'image/webp', width, height } : null
}

/** @param chunk the name of the first chunk */
function webpSize(file: File, chunk: string): [width: number, height: number] {
  switch (chunk) {
    case 'VP8 ':
      return [file.getUint16(26, true) & 0x3fff, file.getUint16(28, true) & 0x3fff]
    case 'VP8L': {
      const bits = file.getUint32(21, true)
      return [(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1]
    }
    case 'VP8X':
      return [uint24(file, 24) + 1, uint24(file, 27) + 1]
    default:
      return [0, 0]
  }
}

function uint24(file: File, at: number): number {
  return file.getUint16(at, true) | (file.getUint8(at + 2) << 16)
}

/** Latin-1. */
function textAt(file: File, at: number, length: number): string {
  return String.fromCharCode(...Array.from({ length }, (_, index) => file.getUint8(at + index)))
}
