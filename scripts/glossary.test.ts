import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

test('each term of the code’s glossary is a name in the code', () => {
  const contributing = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
  const [, section = ''] = contributing.split('## Glossary of the code\n')
  const [table = ''] = section.split('\n## ')
  const names = [...table.matchAll(/\| `([^`]+)` +\|$/gm)].map(([, name = '']) => name)
  expect(names.length).toBeGreaterThanOrEqual(40)
  const missing = new Set(names)
  for (const file of sources()) {
    const text = readFileSync(join(root, file), 'utf8')
    for (const name of missing) if (new RegExp(`\\b${name}\\b`).test(text)) missing.delete(name)
    if (missing.size === 0) break
  }
  expect([...missing]).toEqual([])
})

/** The product's code, without its tests. */
function sources(): string[] {
  return globSync(
    ['{apps,packages}/*/src/**/*.{ts,tsx,sql}', 'tests/{simulation/src,support}/**/*.ts'],
    { cwd: root, exclude: (name) => /^(node_modules|dist)$/.test(basename(String(name))) },
  ).filter((file) => !/\.test\.tsx?$/.test(file))
}
