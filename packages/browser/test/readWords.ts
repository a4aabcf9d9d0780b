import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** What each language but English says, by language, as the script-tag build loads it. */
export async function readWords(folder: string): Promise<Map<string, Record<string, string>>> {
  const words = new Map<string, Record<string, string>>()
  for (const file of readdirSync(folder)) {
    const [, language = 'en'] = /^(\w\w)\.ts$/.exec(file) ?? []
    if (language === 'en') continue
    const module = (await import(join(folder, file))) as Record<string, Record<string, string>>
    words.set(language, module[language] ?? {})
  }
  return words
}
