import type { Messages } from '../locales/en.ts'
import { usable } from '../locales/usable.ts'
import { createTranslator, isRightToLeft, type Translator } from './content/messages.ts'

/** Messages of a language other than English, and the BCP 47 tag of the language. */
export type Speech = { messages: Partial<Messages> | null; tag: string }

/** Has the checkout speak a language: English, if its messages are missing. */
export function speak(
  { messages, tag: asked }: Speech,
  host: HTMLElement,
  english: Partial<Messages>,
  labels: Parameters<typeof createTranslator>[3],
): Translator {
  const tag = messages || /^en\b/i.test(asked) ? usable(asked) : 'en'
  host.lang = tag
  host.dir = isRightToLeft(tag) ? 'rtl' : 'ltr'
  return createTranslator(messages, tag, english, labels)
}
