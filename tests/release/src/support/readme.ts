import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The commands that a section of the README shows, and that begin with npm or npx. */
export async function commandsOf(section: string): Promise<string[]> {
  const readme = await readFile(join(import.meta.dirname, '../../../../README.md'), 'utf8')
  const text = readme.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? ''
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, code = '']) => code)
  const lines = blocks.join('').split('\n')
  return lines
    .filter((line) => /^np[mx] /.test(line))
    .map((line) => line.replace(/ #.*/, '').trim())
}
