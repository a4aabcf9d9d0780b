import type { Messages } from './en.ts'

/** Every language but English. Each is a file of its own, which the bundler loads on demand. */
export const files: Record<string, () => Promise<{ messages: Messages }>> = {
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
}
