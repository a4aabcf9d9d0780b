import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const files = globSync(
  ['*.*', '.changeset/*', '{apps,bench,deploy,docs,examples,packages,scripts,tests}/**/*.*'],
  {
    cwd: root,
    exclude: (name) => /^(node_modules|dist)$/.test(basename(String(name))),
  },
).map((file) => `/${file}`)

/** Documents of this version. */
const documents = globSync(['*.md', 'docs/**/*.md', '{apps,packages}/*/*.md'], {
  cwd: root,
}).filter((file) => file !== 'CHANGELOG.md')

test.each(documents)('%s names sources that exist', (document) => {
  const text = readFileSync(join(root, document), 'utf8')
  // A path may leave out its beginning.
  const paths = [...text.matchAll(/`((?:[\w.-]+\/)+[\w.<>*-]+\.(?:tsx?|sql))`/g)].map(
    ([, path = '']) => path.replace(/<\w+>/, '*'),
  )
  const missing = paths.filter((path) => {
    const pattern = new RegExp(`/${path.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`)
    return !files.some((file) => pattern.test(file))
  })
  expect(missing).toEqual([])
})

/** Documents whose readers go from each path to the code. */
const maps = ['CONTRIBUTING.md', 'docs/debugging.md', 'docs/faults.md', 'docs/threat-model.md']

test.each(maps)('%s names files and folders that exist', (document) => {
  const text = readFileSync(join(root, document), 'utf8').replaceAll(/^```.*?^```$/gms, '')
  const paths = [
    ...text.matchAll(/`(\w[\w.<>*-]*(?:\/[\w.<>*-]*)+|\w[\w.-]*\.(?:tsx?|md|json))`/g),
  ].map(([, path = '']) => path)
  expect(paths.length).toBeGreaterThan(3)
  expect([...new Set(paths)].filter((path) => !exists(path))).toEqual([])
})

test.each(documents)('the commands of %s name sources that exist', (document) => {
  const text = readFileSync(join(root, document), 'utf8')
  const commands = [...text.matchAll(/^```(?:sh|console)\n(.*?)^```/gms)].map(([block]) => block)
  const paths = commands
    .join('\n')
    .matchAll(/\b(?:apps|bench|packages|scripts|tests)\/[\w./-]+\.ts\b/g)
  const missing = [...paths].flatMap(([path]) => (files.includes(`/${path}`) ? [] : [path]))
  expect(missing).toEqual([])
})

test('the walk through the code names a function after its file', () => {
  const contributing = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
  const [, section = ''] = contributing.split('## A payment through the code\n')
  const [walk = ''] = section.split('\n## ')
  const steps = [...walk.matchAll(/`([\w./-]+\.(?:tsx?))`\s+`([^`]+)`/g)]
  expect(steps.length).toBeGreaterThan(20)
  const paths = [...walk.matchAll(/`[\w./-]+\.tsx?`/g)]
  expect(steps.map(([, path]) => `\`${path}\``)).toEqual(paths.map(([path]) => path))
  const problems = steps
    .map(([, path = '', name = '']) => ({ path, name }))
    .filter(({ path, name }) => {
      const text = readFileSync(join(root, path), 'utf8')
      return !new RegExp(`^export .*\\b${name}\\b`, 'm').test(text)
    })
  expect(problems).toEqual([])
})

test('every rule of matching stands in the documents, in the order of the code', () => {
  const code = readFileSync(join(root, 'packages/core/src/transfers/bind.ts'), 'utf8')
  const order = [...code.matchAll(/return bound\([\w.]+, '(\w+)'\)/g)].map(([, by]) => by)
  expect(order.length).toBeGreaterThan(5)
  const payments = readFileSync(join(root, 'docs/payments.md'), 'utf8')
  const rules = [...payments.matchAll(/^\d+\. `(\w+)`:/gm)].map(([, by]) => by)
  expect(rules).toEqual(order)
})

test('each attack of the threat model names a test', () => {
  const text = readFileSync(join(root, 'docs/threat-model.md'), 'utf8')
  const rows = [...text.matchAll(/^\|.*\| ([^|]+) \|$/gm)].map(([, cell = '']) => cell.trim())
  const cells = rows.filter((cell) => cell !== 'test' && !/^-+$/.test(cell))
  expect(cells.length).toBeGreaterThan(60)
  const tests = files.filter((file) => /\.test\.|\/test\//.test(file))
  for (const cell of cells) {
    const paths = [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path)
    expect(paths.length, cell).toBeGreaterThan(0)
    expect(paths.filter((path) => !exists(path, tests))).toEqual([])
  }
})

/** Whether a file or folder ends like this. A path may leave out its beginning and the ending of its file. */
function exists(path: string, among: readonly string[] = files): boolean {
  const end = path
    .replace(/\/$/, '')
    .replaceAll('.', '\\.')
    .replaceAll(/<\w+>|\*/g, '[^/]*')
  return among.some((file) => new RegExp(`/${end}(?:$|[./])`).test(file))
}
