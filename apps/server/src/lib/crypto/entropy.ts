/** By this estimate, 32 random hexadecimal digits, the shortest accepted secret, have about 110 bits. */
const minimumBits = 80

/**
 * Whether a secret may be random. A repeated character, word or row of the keyboard is not, at any length. The estimate
 * is an upper bound: a text that a person chose may pass.
 */
export function looksRandom(secret: string): boolean {
  const unit = secret.slice(0, periodOf(secret))
  const steps = [...unit].slice(1).map((char, at) => char.charCodeAt(0) - unit.charCodeAt(at))
  return Math.min(bitsOf([...unit]), bitsOf(steps)) >= minimumBits
}

/** The number of characters after which a text repeats: 3 for "abcabcab"; the text's length if it does not repeat. */
function periodOf(text: string): number {
  for (let period = 1; period < text.length; period++) {
    if (text.startsWith(text.slice(period))) return period
  }
  return text.length
}

/** The Shannon entropy of the values, times their number. */
function bitsOf(values: readonly (string | number)[]): number {
  const counts = new Map<string | number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts.values()].reduce(
    (sum, count) => sum - count * Math.log2(count / values.length),
    0,
  )
}
