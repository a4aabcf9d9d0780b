import type { Messages } from './en.ts'
import type { Language } from './pickLanguage.ts'

const files: Record<string, () => Promise<Messages>> = {
  es: () => import('./es.ts').then(({ es }) => es),
  pt: () => import('./pt.ts').then(({ pt }) => pt),
  fr: () => import('./fr.ts').then(({ fr }) => fr),
  de: () => import('./de.ts').then(({ de }) => de),
  it: () => import('./it.ts').then(({ it }) => it),
  ja: () => import('./ja.ts').then(({ ja }) => ja),
  ko: () => import('./ko.ts').then(({ ko }) => ko),
  zh: () => import('./zh.ts').then(({ zh }) => zh),
  hi: () => import('./hi.ts').then(({ hi }) => hi),
  ar: () => import('./ar.ts').then(({ ar }) => ar),
  tr: () => import('./tr.ts').then(({ tr }) => tr),
} satisfies Record<Exclude<Language, 'en'>, () => Promise<Messages>>

/** What a language says, as a file of its own that the bundler loads on demand. */
export async function words(language: Language): Promise<Partial<Messages>> {
  return (await files[language]?.()) ?? {}
}
