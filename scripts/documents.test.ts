import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const files = globSync('{apps,bench,docs,examples,packages,scripts,tests}/**/*.*', {
  cwd: root,
  exclude: (name) => /^(node_modules|dist)$/.test(basename(String(name))),
}).map((file) => `/${file}`)

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
