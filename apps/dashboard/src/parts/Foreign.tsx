/** Characters that turn, embed or isolate the direction of the text around them (Unicode UAX #9). */
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Removes what would turn the text beside it around. */
export function withoutDirections(text: string): string {
  return text.replace(directions, '')
}

/** A text of strangers, such as of a customer or a receiver: its direction stays its own. */
export function Foreign({ text }: { text: string }) {
  return <bdi>{withoutDirections(text)}</bdi>
}
