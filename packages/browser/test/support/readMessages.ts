import { readdirSync } from 'node:fs'
import type { Messages } from '../../src/locales/en.ts'
import { enManual } from '../../src/locales/enManual.ts'

const folder = new URL('../../src/locales/', import.meta.url)

/** The languages besides English, which have a file each. */
export const languages = readdirSync(folder)
  .filter((name) => /^\w\w\.ts$/.test(name) && name !== 'en.ts')
  .map((name) => name.replace('.ts', ''))

/** The messages of a language, as the script-tag build loads them. For English, only the messages that the script lacks. */
export async function readMessages(language: string): Promise<Partial<Messages>> {
  if (language === 'en') return enManual
  const { messages } = await import(new URL(`${language}.ts`, folder).href)
  return messages
}
