import { cleanText } from './cleanText.ts'

/** A text by strangers, such as a customer or a receiver: its direction does not affect the text around it. */
export function Foreign({ text }: { text: string }) {
  return <bdi>{cleanText(text)}</bdi>
}
