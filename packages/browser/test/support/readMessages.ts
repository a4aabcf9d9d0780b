import { readdirSync } from 'node:fs'
import type { Messages } from '../../src/locales/en.ts'
import { enManual } from '../../src/locales/enManual.ts'

const folder = new URL('../../src/locales/', import.meta.url)

/** The languages that have a file, but English. */
export const languages = readdirSync(folder)
  .filter((name) => /^\w\w\.ts$/.test(name) && name !== 'en.ts')
  .map((name) => name.replace('.ts', ''))

/** The messages of a language, as the script-tag build loads them: of English, those that it lacks. */
export async function readMessages(language: string): Promise<Partial<Messages>> {
  if (language === 'en') return enManual
  const { messages } = await import(new URL(`${language}.ts`, folder).href)
  return messages
}
