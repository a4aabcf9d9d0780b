import { en, type Messages } from './en.ts'

export type Locale = {
  messages: Messages
  /** BCP 47 tag for `Intl`, of the same language as the messages. */
  tag: string
}

/** Languages that are fetched when asked for. English comes with the modal, as what to fall back to. */
const loaders: Record<string, () => Promise<Messages>> = {}

/** The messages for a language tag: its own, else English. Never rejects. */
export async function loadMessages(tag: string): Promise<Locale> {
  const language = tag.toLowerCase().split('-')[0] ?? ''
  const messages = language === 'en' ? en : await loaders[language]?.().catch(() => null)
  if (!messages) return { messages: en, tag: 'en' }
  return { messages, tag: isKnown(tag) ? tag : language }
}

function isKnown(tag: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag).length > 0
  } catch {
    return false
  }
}
