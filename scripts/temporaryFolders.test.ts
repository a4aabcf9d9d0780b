import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const prefix = 'payment-intents-'
/** Their folders are not in the system's folder for temporary files. */
const elsewhere = new Set([
  'apps/server/src/ops/postgres/temporaryFolder.ts',
  'scripts/fetch/completeFolder.ts',
])

test('`pnpm clean` finds every temporary folder and file by its name', () => {
  const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter(
      (path) =>
        /\.(?:ts|tsx|js|mjs)$/.test(path) &&
        !elsewhere.has(path) &&
        path !== relative(root, import.meta.filename),
    )
  const sources = paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  const counted = sources.flatMap(({ text }) => temporaryNames(text))
  expect(counted.length).toBeGreaterThan(30)
  const unknown = sources.flatMap(({ path, text }) =>
    temporaryNames(text)
      .filter((name) => !name.startsWith(prefix))
      .map((name) => `${path}: ${name}`),
  )
  expect(unknown).toEqual([])
})

test('a name is found however it is written', () => {
  const source = `
    mkdtemp(join(tmpdir(), 'a-'))
    mkdtempSync(
      path.join(os.tmpdir(), \`b-\${1}\`),
    )
    const file = join(tmpdir(), 'c', 'd')
    mkdtemp(join(folder, 'inside-'))
    mkdtemp(computed)
    mkdtempSync('/tmp/e-')`
  expect(temporaryNames(source)).toEqual(['a-', 'b-', 'c', 'computed', "'/tmp/e-'"])
})

/** Names in the system's folder for temporary files, and arguments of `mkdtemp` that do not show their folder. */
function temporaryNames(text: string): string[] {
  const names =
    /\btmpdir\(\),\s*['"`]([^'"`$]*)|\bmkdtemp(?:Sync)?\((?!\s*(?:path\.)?join\()\s*([^),]*)/g
  return [...text.matchAll(names)].map(([, name, argument]) => name ?? argument ?? '')
}
