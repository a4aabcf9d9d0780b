import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

test('the file that each term of the code’s glossary names has its name', () => {
  const contributing = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
  const [, section = ''] = contributing.split('## Glossary of the code\n')
  const [tables = ''] = section.split('\n## ')
  const rows = [...tables.matchAll(/^\|.*\| `([^`]+)` +\| `([^`]+)` +\|$/gm)]
  expect(rows.length).toBeGreaterThanOrEqual(40)
  const missing = rows
    .map(([, name = '', file = '']) => ({ name, file }))
    .filter(({ name, file }) => !hasName(file, name))
  expect(missing).toEqual([])
})

function hasName(file: string, name: string): boolean {
  const text = readFileSync(join(root, file), 'utf8')
  return new RegExp(`\\b${name}\\b`).test(text)
}
