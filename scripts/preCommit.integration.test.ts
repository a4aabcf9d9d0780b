import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '../tests/support/newFolder.ts'

const root = join(import.meta.dirname, '..')
let clone: string

beforeEach(() => {
  clone = join(newFolder(), 'clone')
  mkdirSync(clone)
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
  writeFileSync(join(clone, 'biome.json'), '{ "formatter": { "indentStyle": "space" } }\n')
  git('init', '--quiet')
  git('config', 'core.hooksPath', join(root, '.githooks'))
  git('config', 'user.name', 'Ada')
  git('config', 'user.email', 'ada@example.com')
})

test('a commit has what is staged, formatted, and nothing else', () => {
  write('whole file.ts', 'export   const a = 1\n')
  write('part.ts', 'export   const b = 1\n')
  write('note.md', 'two   spaces\n')
  git('add', 'whole file.ts', 'part.ts', 'note.md')
  write('part.ts', 'export   const b = 1\nexport   const later = 2\n')
  write('untracked.ts', 'export   const c = 1\n')
  commit()
  expect(committed('whole file.ts')).toBe('export const a = 1;\n')
  expect(read('whole file.ts')).toBe('export const a = 1;\n')
  expect(committed('part.ts')).toBe('export const b = 1;\n')
  expect(read('part.ts')).toBe('export   const b = 1\nexport   const later = 2\n')
  expect(committed('note.md')).toBe('two   spaces\n')
  expect(read('untracked.ts')).toBe('export   const c = 1\n')
  expect(git('ls-tree', '-r', '--name-only', 'HEAD').trim().split('\n')).toHaveLength(3)
})

test('a file that cannot be parsed is committed as it is', () => {
  write('broken.ts', 'export   const = \n')
  git('add', 'broken.ts')
  commit()
  expect(committed('broken.ts')).toBe('export   const = \n')
})

test('nothing is formatted in CI', () => {
  write('a.ts', 'export   const a = 1\n')
  git('add', 'a.ts')
  commit({ CI: 'true' })
  expect(committed('a.ts')).toBe('export   const a = 1\n')
})

function commit(env: Record<string, string> = {}): void {
  run(['commit', '--quiet', '--message', 'Change'], env)
}

function git(...args: string[]): string {
  return run(args)
}

function run(args: readonly string[], env: Record<string, string> = {}): string {
  // A hook that runs these tests sets GIT_DIR and the like.
  const { PATH = '', HOME = '' } = process.env
  return execFileSync('git', args, { cwd: clone, env: { PATH, HOME, ...env }, encoding: 'utf8' })
}

function write(path: string, text: string): void {
  writeFileSync(join(clone, path), text)
}

function read(path: string): string {
  return readFileSync(join(clone, path), 'utf8')
}

function committed(path: string): string {
  return git('show', `HEAD:${path}`)
}
