import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/from-stripe.md'), 'utf8')
const sources = globSync(
  'packages/{node,browser,react,testing,cli,contract}/{src/**/*.{ts,tsx},package.json}',
  { cwd: root },
)
  .filter((path) => !/\.test\./.test(path))
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n')

const rows = page
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, task = '', , ours = '']) => ({ task, ours }))

test('the page has a row for each task', () => {
  expect(rows.length).toBeGreaterThan(20)
})

test.each(rows)('$task: the names of our side exist', ({ ours }) => {
  const names = [...ours.matchAll(/`([^`]+)`/g)].flatMap(
    ([, code = '']) => code.match(/[A-Za-z_]{3,}/g) ?? [],
  )
  const missing = names.filter((name) => !new RegExp(`(?<![\\w])${name}(?![A-Za-z])`).test(sources))
  expect(missing).toEqual([])
})
