/** Characters that turn, embed or isolate the direction of the text around them (Unicode UAX #9). */
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Removes characters that would reverse the text around a stranger's text, and cuts it to `most` characters. */
export function cleanText(text: string, most = Number.POSITIVE_INFINITY): string {
  const plain = text.replace(directions, '')
  return plain.length <= most ? plain : `${plain.slice(0, most)}…`
}

/** Writes an object as JSON with escaped characters of direction. */
export function writeJson(value: unknown): string {
  const json = JSON.stringify(value, null, 2)
  return json.replace(
    directions,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
