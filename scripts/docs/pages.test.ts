import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  allDocuments,
  allPages,
  contents,
  elsewhere,
  isInRepository,
  sitePath,
} from './contents.ts'
import { deadLinks, siteText } from './documentLinks.ts'

const pages = allPages()
const sources = pages.map(({ source }) => source)

test('no link of a document leads nowhere', () => {
  const documents = allDocuments()
  expect(documents).toContain('packages/node/README.md')
  expect(documents.flatMap(deadLinks)).toEqual([])
})

test('every page of the documentation, and every README of a package, is in the sidebar', () => {
  const concurrent = [...elsewhere().map(({ source }) => source), 'CONTRIBUTING.md']
  const wanted = allDocuments().filter((path) => !/^(examples|apps\/(shop|dashboard))\//.test(path))
  expect(wanted.filter((path) => ![...sources, ...concurrent].includes(path))).toEqual([])
  expect(sources.filter((path) => !isInRepository(path))).toEqual([])
})

test('it begins with what a merchant reads first, and has each page once', () => {
  const titles = ['Start', 'Recipes', 'Guides', 'Operate', 'Reference', 'Trust']
  expect(contents().map(({ title }) => title)).toEqual(titles)
  expect(new Set(sources).size).toBe(sources.length)
  expect(new Set(sources.map(sitePath)).size).toBe(sources.length)
})

test('the code of docs/wallets.md is that of the examples', () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
  const blocks = [...read('docs/wallets.md').matchAll(/^```ts\n(.*?)^```/gms)]
  const files = ['walletconnect/src/walletConnect.ts', 'base-account/src/baseAccount.ts']
  expect(blocks.slice(0, 2).map(([, code]) => code)).toEqual(
    files.map((file) => read(`examples/wallets/${file}`)),
  )
})

test('links between pages are those of the site, and nothing links into the repository', () => {
  const on = new Set(sources.map(sitePath))
  for (const source of sources) {
    const { text } = siteText(source)
    const from = new URL(`http://site/${sitePath(source)}`)
    const links = text.replaceAll(/^```.*?^```$|`[^`\n]+`/gms, '').matchAll(/\]\(([^)\s]+\.md)/g)
    for (const [, target = ''] of links) {
      expect(on, `${source}: ${target}`).toContain(new URL(target, from).pathname.slice(1))
    }
  }
  const { text, attached } = siteText('docs/deploy.md')
  expect(text).toContain('(files/deploy/compose.yaml){target="_self"}')
  expect(attached.map(({ path }) => path)).toContain('deploy/compose.yaml')
  expect(siteText('packages/node/README.md').text).toContain('(../orders.md)')
  expect(siteText('README.md').text).not.toContain('(CONTRIBUTING.md)')
})
