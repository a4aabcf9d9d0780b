const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** All pairs of digits, by value. */
const pairs = Array.from(
  { length: 62 * 62 },
  (_, value) => alphabet.charAt(Math.floor(value / 62)) + alphabet.charAt(value % 62),
)
const divisor = 62 ** 6

/**
 * Encodes bytes as a big-endian number in base 62, padded with zeros to `length` characters. It is a long division, of
 * 16 bits by 62^6 at a time, since a resolve needs it and BigInt takes more than twice as long.
 */
export function base62(bytes: Uint8Array, length: number): string {
  const count = Math.ceil(bytes.length / 2)
  const number = new Array<number>(count)
  for (let end = bytes.length, index = count - 1; index >= 0; end -= 2, index -= 1) {
    number[index] = (end > 1 ? (bytes[end - 2] as number) * 256 : 0) + (bytes[end - 1] as number)
  }
  let text = ''
  for (let start = 0; start < count; ) {
    let remainder = 0
    for (let index = start; index < count; index += 1) {
      // Below 2^52, so it is exact.
      const part = remainder * 65_536 + (number[index] as number)
      const quotient = Math.floor(part / divisor)
      number[index] = quotient
      remainder = part - quotient * divisor
    }
    const high = Math.floor(remainder / 62 ** 4)
    const middle = Math.floor(remainder / 62 ** 2) % 62 ** 2
    text = `${pairs[high]}${pairs[middle]}${pairs[remainder % 62 ** 2]}${text}`
    while (number[start] === 0) start += 1
  }
  let zeros = 0
  while (text.charAt(zeros) === '0') zeros += 1
  return text.slice(zeros).padStart(length, '0')
}
