import type { Messages } from './en.ts'
import type { Language } from './pickLanguage.ts'

/** Each file exports its messages under its language code. */
const files: Record<string, () => Promise<Partial<Record<Language, Messages>>>> = {
  es: () => import('./es.ts'),
  pt: () => import('./pt.ts'),
  fr: () => import('./fr.ts'),
  de: () => import('./de.ts'),
  it: () => import('./it.ts'),
  ja: () => import('./ja.ts'),
  ko: () => import('./ko.ts'),
  zh: () => import('./zh.ts'),
  hi: () => import('./hi.ts'),
  ar: () => import('./ar.ts'),
  tr: () => import('./tr.ts'),
} satisfies Record<Exclude<Language, 'en'>, unknown>

/** Loads the messages of a language, a file of its own that the bundler loads on demand. */
export async function loadMessages(language: Language): Promise<Partial<Messages>> {
  return (await files[language]?.())?.[language] ?? {}
}
