import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** A page of the site, or another document of the repository. */
export type Page = {
  /** Path of its text, from the root of the repository. */
  readonly source: string
  readonly title: string
}

export type Group = { readonly title: string; readonly pages: readonly Page[] }

const root = join(import.meta.dirname, '../..')
const contentsPage = 'docs/README.md'
/** The group of the links there that are no pages of the site. */
const notOnSite = 'In the repository'

/**
 * The sidebar: the groups and links of `docs/README.md`, in their order. A page that lists those of its folder, as
 * `docs/decisions/README.md` does, has them below it.
 */
export function contents(): Group[] {
  return groups().filter(({ title }) => title !== notOnSite)
}

/** The targets that `docs/README.md` links to although they are no pages of the site. */
export function elsewhere(): readonly Page[] {
  return groups().find(({ title }) => title === notOnSite)?.pages ?? []
}

/** The pages that are listed below another, in its order. */
export function pagesBelow({ source }: Page): Page[] {
  if (basename(source) !== 'README.md' || !source.startsWith('docs/')) return []
  return linksOf(source, read(source)).filter((page) => dirname(page.source) === dirname(source))
}

/** Every page of the site. The contents are the first. */
export function allPages(): Page[] {
  const listed = contents().flatMap(({ pages }) => pages)
  const first = { source: contentsPage, title: 'Documentation' }
  return [first, ...listed.flatMap((page) => [page, ...pagesBelow(page)])]
}

/** Where a page is on the site: `docs/decisions/README.md` is `decisions/index.md`. */
export function sitePath(source: string): string {
  if (source === 'README.md') return 'overview.md'
  const [, folder, name] = /^(?:packages|apps)\/(\w+)\/(README)\.md$/.exec(source) ?? []
  if (name) return `packages/${folder}.md`
  return source
    .toLowerCase()
    .replace(/^docs\//, '')
    .replace(/readme\.md$/, 'index.md')
}

/** Every document of the repository that is written for readers. */
export function allDocuments(): string[] {
  const patterns = ['*.md', 'docs/**/*.md', '{packages,apps,examples}/*/README.md']
  return globSync(patterns, { cwd: root }).sort()
}

export function read(source: string): string {
  return readFileSync(join(root, source), 'utf8')
}

export function isInRepository(path: string): boolean {
  return existsSync(join(root, path))
}

function groups(): Group[] {
  const [, ...sections] = read(contentsPage).split(/^## /m)
  return sections.map((section) => ({
    title: section.split('\n', 1)[0] ?? '',
    pages: linksOf(contentsPage, section),
  }))
}

function linksOf(source: string, text: string): Page[] {
  return [...text.matchAll(/^- \[([^\]]+)\]\(([^)#]+)\)/gm)].map(([, title = '', path = '']) => ({
    title,
    source: join(dirname(source), path),
  }))
}
