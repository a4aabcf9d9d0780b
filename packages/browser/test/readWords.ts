import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The messages of each language but English, by language, as the script-tag build loads them. */
export async function readWords(folder: string): Promise<Map<string, Record<string, string>>> {
  const messages = new Map<string, Record<string, string>>()
  for (const file of readdirSync(folder)) {
    const [, language = 'en'] = /^(\w\w)\.ts$/.exec(file) ?? []
    if (language === 'en') continue
    const module = (await import(join(folder, file))) as Record<string, Record<string, string>>
    messages.set(language, module[language] ?? {})
  }
  return messages
}
