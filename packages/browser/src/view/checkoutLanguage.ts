import { en, type Messages } from '../locales/en.ts'
import { usable } from '../locales/usable.ts'
import type { ModalParts } from '../modal.tsx'
import { createTranslator, isRightToLeft, type Translator } from './content/translator.ts'

type Speech = Pick<ModalParts, 'messages' | 'tag'>

export type Language = Translator & {
  /** The available languages. */
  languages: readonly string[]
  /** Draws in another language, and resolves to the language of the drawing. */
  chooseLanguage: (language: string) => Promise<string>
}

type Options = {
  parts: Pick<ModalParts, 'messages' | 'tag' | 'loaders' | 'languages' | 'shell' | 'signal'>
  baseUrl: string
  /** English messages in addition to a modal's. */
  more: Partial<Messages>
  labels: { readonly [Key in keyof Messages]?: string | undefined }
  draw: () => void
}

export type CheckoutLanguage = {
  read: () => Language
  /** Adds English messages. */
  learn: (messages: Partial<Messages> | null) => void
}

/** The payer's choice, until they leave the page. */
let chosen: Speech | null = null

/** Creates the language of the checkout's texts, which the payer can change. */
export function createCheckoutLanguage({
  parts,
  baseUrl,
  more,
  labels,
  draw,
}: Options): CheckoutLanguage {
  const { loaders, languages, shell, signal } = parts
  const english = { ...en, ...more }
  let current: Language
  let wanted = ''
  speak(chosen ?? parts)
  return {
    read: () => current,
    learn: (messages) => void Object.assign(english, messages),
  }

  function speak({ messages, tag: requested }: Speech) {
    const tag = messages || /^en\b/i.test(requested) ? usable(requested) : 'en'
    current = { ...createTranslator(messages, tag, english, labels), languages, chooseLanguage }
    shell.host.lang = tag
    shell.host.dir = isRightToLeft(tag) ? 'rtl' : 'ltr'
  }

  async function chooseLanguage(tag: string) {
    wanted = tag
    const isEnglish = tag === 'en'
    const messages = isEnglish
      ? null
      : await loaders.messages(tag, baseUrl, signal).catch(() => null)
    // Only the last choice counts, and no choice counts once the checkout is closed.
    if (wanted === tag && !signal.aborted && (messages || isEnglish)) {
      chosen = { messages, tag }
      speak(chosen)
      draw()
    }
    return current.language
  }
}
