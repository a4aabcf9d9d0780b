import { clean } from './clean.ts'

/** A text of strangers, such as of a customer or a receiver: its direction stays its own. */
export function Foreign({ text }: { text: string }) {
  return <bdi>{clean(text)}</bdi>
}
