import type { Messages } from './en.ts'
import { files } from './files.ts'

/** Loads the messages of a language. This file has the list of files, so that the page loads the list only when it needs a language. */
export async function loadMessages(language: string): Promise<Partial<Messages>> {
  return (await files[language]?.())?.messages ?? {}
}
