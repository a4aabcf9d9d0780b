/**
 * The forms in which a secret could appear: plain, in a URL, in base64 at each offset, in hexadecimal,
 * reversed.
 */
export function needlesOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    // Without the characters that depend on neighbouring bytes.
    return text.slice(Math.ceil((offset * 4) / 3), -4)
  })
  const inUrl = encodeURIComponent(secret)
  const urlSafe = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))
  const reversed = [...secret].reverse().join('')
  const all = [secret, inUrl, bytes.toString('hex'), reversed, ...base64, ...urlSafe]
  return [...new Set(all.map((needle) => needle.toLowerCase()))]
}

/** The names of the places that hold the secret in any of its forms. */
export function placesWith(secret: string, places: Record<string, unknown>): string[] {
  const needles = needlesOf(secret)
  return Object.entries(places)
    .filter(([, isPresent]) => {
      const text = (
        typeof isPresent === 'string' ? isPresent : (JSON.stringify(isPresent) ?? '')
      ).toLowerCase()
      return needles.some((needle) => text.includes(needle))
    })
    .map(([place]) => place)
}
