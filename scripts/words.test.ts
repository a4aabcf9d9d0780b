import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
/** Words of all documents. Lower it whenever they fall; the aim is about 40,000. */
const mostWords = 40_500
const mostDecisions = 17
const mostWordsOfDecision = 400

const documents = execFileSync('git', ['ls-files', '*.md', ':!.changeset', ':!*CHANGELOG.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  // Pictures and transcripts of tests, which scripts write.
  .filter((path) => !/^tests\/|\/test\//.test(path))
const decisions = documents.filter(
  (path) => path.startsWith('docs/decisions/') && basename(path) !== 'README.md',
)

/** Cells of a table are words, its lines are not. */
function wordsOf(path: string): number {
  const text = readFileSync(join(root, path), 'utf8')
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}

test('the documents have no more words than somebody keeps true', () => {
  expect(documents).toContain('docs/operate.md')
  const words = documents.map(wordsOf).reduce((sum, count) => sum + count, 0)
  expect(words).toBeLessThanOrEqual(mostWords)
})

test('decisions are few and short', () => {
  expect(decisions.length).toBeGreaterThan(10)
  expect(decisions.length).toBeLessThanOrEqual(mostDecisions)
  const long = decisions.filter((path) => wordsOf(path) > mostWordsOfDecision)
  expect(long.map((path) => `${path}: ${wordsOf(path)} words`)).toEqual([])
})

test('each decision says what it costs and what else was tried', () => {
  for (const path of decisions) {
    const text = readFileSync(join(root, path), 'utf8')
    expect(text, path).toMatch(/^## What it costs$/m)
    expect(text, path).toMatch(/^## What else was tried$|instead of/m)
  }
})
