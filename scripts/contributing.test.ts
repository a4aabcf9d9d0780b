import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
/** Folders that the guide leaves out before a path. */
const starts = [
  '',
  'packages/',
  'apps/',
  'tests/',
  'packages/browser/src/',
  'packages/testing/src/',
]

test('CONTRIBUTING.md names files that exist', () => {
  const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
  const paths = [...text.matchAll(/`((?:[\w.-]+\/)+[\w.<>*-]+\.(?:ts|tsx|md|sql|json))`/g)].map(
    ([, path = '']) => path.replace('<name>', '*'),
  )
  expect(paths.length).toBeGreaterThan(50)
  const missing = paths.filter((path) => {
    return !starts.some((start) => globSync(start + path, { cwd: root }).length > 0)
  })
  expect(missing).toEqual([])
})
