import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const contributing = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
const [, afterTitle = ''] = contributing.split('## What a change touches\n')
const [section = ''] = afterTitle.split('\n## ')
const rows = [...section.matchAll(/^- \*\*(.+?)\*\*(.*(?:\n {2}.*)*)$/gm)].map(
  ([, change = '', text = '']) => ({ change, text }),
)
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')

test('every line of the section is read', () => {
  expect(rows.length).toBeGreaterThan(20)
  expect(section.match(/^- /gm)).toHaveLength(rows.length)
  const nested = rows.flatMap(({ text }) => text.match(/^ {2}- /gm) ?? [])
  expect(section.match(/^ {2}- /gm)).toHaveLength(nested.length)
  expect(nested.length).toBeGreaterThan(80)
})

test.each(rows)('$change: files and folders exist, and names stand in them', ({ text }) => {
  const missing: string[] = []
  const named = /\bmigration\b/.test(text) ? filesAt('server/src/store/migrations') : []
  const tokens = [...text.matchAll(/`([^`]+)`/g)].map(([, token = '']) => token)
  const paths = tokens.filter((token) => /\/|\.(?:tsx?|md|json)$/.test(token))
  for (const path of paths) {
    const matches = filesAt(path)
    // A path may begin in a folder that the row has named.
    if (matches.length === 0)
      matches.push(...foldersOf(named).flatMap((folder) => filesAt(path, folder)))
    if (matches.length === 0) missing.push(path)
    named.push(...matches)
  }
  const sources = named.map((file) => readFileSync(join(root, file), 'utf8'))
  const names = tokens.filter((token) => !paths.includes(token))
  missing.push(...names.filter((name) => !sources.some((text) => hasWord(text, name))))
  expect(missing).toEqual([])
})

test('every command of pnpm exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const commands = [...contributing.matchAll(/\bpnpm(?:@\d+)? ([a-z][\w:]*)/g)].map(
    ([, command = '']) => command,
  )
  expect(commands.length).toBeGreaterThan(20)
  // pnpm's own, and a program of the workspace.
  const others = ['install', 'vitest']
  expect(commands.filter((command) => !(command in scripts || others.includes(command)))).toEqual(
    [],
  )
})

/** Files of this path or below it. */
function filesAt(path: string, folder = '(?:packages/|apps/)?'): string[] {
  const pattern = path
    .replace(/\/$/, '')
    .replaceAll('.', '\\.')
    .replaceAll(/<\w+>|\*/g, '[^/]*')
  const expression = new RegExp(`^${folder}${pattern}(?:$|/)`)
  return files.filter((file) => expression.test(file))
}

function foldersOf(paths: readonly string[]): string[] {
  return [...new Set(paths.map((path) => `${dirname(path)}/`))]
}

function hasWord(text: string, word: string): boolean {
  return new RegExp(`\\b${word}\\b`).test(text)
}
