import type { Messages } from './en.ts'
import { files } from './files.ts'

/** Messages of a language; in a file with the list of files, which the page need not load before. */
export async function loadMessages(language: string): Promise<Partial<Messages>> {
  return (await files[language]?.())?.messages ?? {}
}
