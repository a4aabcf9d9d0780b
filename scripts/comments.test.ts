import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { foldersOfComments } from './checkedFolders.ts'

const root = join(import.meta.dirname, '..')

const paths = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...foldersOfComments],
  { cwd: root, encoding: 'utf8' },
)
  .split('\n')
  .filter((path) => /\.(tsx?|m?js|svelte|css|html|sol|sql|sh|ya?ml)$/.test(path))
  // Its plants are below.
  .filter((path) => path !== 'scripts/comments.test.ts')

test('comments begin with their subject', () => {
  expect(paths.length).toBeGreaterThan(300)
  const riddles = paths.flatMap((path) =>
    riddlesIn(readFileSync(join(root, path), 'utf8')).map((comment) => `${path}: ${comment}`),
  )
  expect(riddles).toEqual([])
})

test('a comment of any kind is found', () => {
  const source = `
    /** What begins. */
    /**
     * Of the block.
     *
     * Whoever begins its second paragraph.
     * @param size Whatever the caller chooses.
     * @returns That which remains.
     */
    const url = 'https://What' // Who comes after the code.
    /** Text about the server's code. What it does next. */
    <!-- What HTML says. -->
    # Of a script.
    -- What SQL says.
    {/* Whose JSX. */}`
  expect(riddlesIn(source)).toEqual([
    'What begins. */',
    'Of the block.',
    'Whoever begins its second paragraph.',
    'Whatever the caller chooses.',
    'That which remains.',
    'Who comes after the code.',
    'What HTML says. -->',
    'Of a script.',
    'What SQL says.',
    'Whose JSX. */}',
  ])
})

test('a `@param` names a parameter of its function, or a field of a parameter', () => {
  const stale = paths
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap((path) =>
      staleParamsIn(readFileSync(join(root, path), 'utf8')).map((name) => `${path}: ${name}`),
    )
  expect(stale).toEqual([])
})

test('a stale `@param` is found', () => {
  const source = `
/**
 * Reads a block.
 * @param source.depth confirmations
 * @param options.head of the chain
 * @param block.hash of the block
 */
export function read(block: Block, { head }: { head: number }): void {
  return
}
`
  expect(staleParamsIn(source)).toEqual(['source.depth'])
})

function staleParamsIn(text: string): string[] {
  const documented =
    /\/\*\*((?:(?!\*\/)[\s\S])*@param(?:(?!\*\/)[\s\S])*)\*\/([\s\S]*?)(?=\n\}|\n\n)/g
  return [...text.matchAll(documented)].flatMap(([, comment = '', signature = '']) =>
    [...comment.matchAll(/@param\s+([\w.]+)/g)]
      .map(([, name = '']) => name)
      .filter((name) => {
        const parts = name.split('.')
        return ![parts[0], parts.at(-1)].some((part) => new RegExp(`\\b${part}\\b`).test(signature))
      }),
  )
}

/** The comments, and paragraphs and tags of comments, that begin with a relative clause or a genitive. */
function riddlesIn(text: string): string[] {
  const start = /(?<=^|[\s{])(?:\/\/|\/\*\*?(?:\s*\n\s*\*)?|<!--|#|--|\*(?: @\w+(?: \w+)?(?: -)?)?)/
  const words = /(?:What|Whatever|That which|Of|Who|Whoever|Whose|Whom)\b/
  const riddle = new RegExp(`${start.source}[ \\t\\n]+(${words.source}.*)`, 'gm')
  return [...text.matchAll(riddle)].map(([, comment = '']) => comment)
}
