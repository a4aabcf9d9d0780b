import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

test('the changelog has a section for the version of the packages', () => {
  const { version } = JSON.parse(read('apps/server/package.json'))
  const [next = '', ...released] = read('CHANGELOG.md').match(/(?<=^## )\d+\.\d+\.\d+$/gm) ?? []
  // Before the first release, there is only the next release.
  if (version === '0.0.0') expect([next, released]).toEqual(['0.1.0', []])
  else expect([next, ...released]).toContain(version)
})
