import { dirname, extname, join, relative } from 'node:path'
import { allPages, isInRepository, read, sitePath } from './contents.ts'
import { slug } from './vitepress/slug.ts'

/** A link as a document has it. */
type Link = { readonly text: string; readonly isImage: boolean; readonly target: string }

/** Where a link leads: `nowhere` is the fault of its writer. */
type Target =
  | { readonly to: 'web' }
  | { readonly to: 'page'; readonly source: string; readonly anchor: string }
  | { readonly to: 'file'; readonly path: string }
  | { readonly to: 'nowhere' }

/** Code, in which nothing is a link, or a link. */
const codeOrLink = /^```.*?^```$|`[^`\n]+`|(!?)\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s]+)\)/gms

/** The text with its links replaced. */
function replaceLinks(text: string, replace: (link: Link, complete: string) => string): string {
  return text.replaceAll(codeOrLink, (complete, mark, label, target) =>
    target === undefined
      ? complete
      : replace({ text: label, isImage: mark === '!', target }, complete),
  )
}

/** The links of a document that lead nowhere, also those to a heading that its page does not have. */
export function deadLinks(source: string): string[] {
  const dead: string[] = []
  replaceLinks(read(source), ({ target }, complete) => {
    if (resolve(source, target).to === 'nowhere') dead.push(`${source}: ${target}`)
    return complete
  })
  return dead
}

/** A file that the site takes along: its path in the repository and on the site. */
export type Attached = { readonly path: string; readonly at: string }

/**
 * The text of a page as the site has it. Links to pages are those of the site; pictures and what an operator downloads
 * come along; what only the repository has is text without a link.
 */
export function siteText(source: string): { text: string; attached: Attached[] } {
  const attached: Attached[] = []
  const onSite = new Map(allPages().map((page) => [page.source, sitePath(page.source)]))
  const from = dirname(sitePath(source))
  const text = replaceLinks(read(source), (link, complete) => {
    const target = resolve(source, link.target)
    if (target.to === 'page') {
      const page = onSite.get(target.source)
      if (page === undefined) return link.text
      return `[${link.text}](${relative(from, page) || link.target}${target.anchor})`
    }
    if (target.to !== 'file') return complete
    if (link.isImage) {
      attached.push({ path: target.path, at: join('pictures', pathOnSite(target.path)) })
      return `![${link.text}](./${relative(from, join('pictures', pathOnSite(target.path)))})`
    }
    if (!target.path.startsWith('deploy/') || extname(target.path) === '.md') return link.text
    const at = join('files', target.path)
    attached.push({ path: target.path, at: join('public', at) })
    return `[${link.text}](${relative(from, at)}){target="_self"}`
  })
  return { text, attached }
}

function pathOnSite(path: string): string {
  return path.replace(/^docs\//, '')
}

function resolve(source: string, target: string): Target {
  if (/^[a-z]+:/.test(target)) return { to: 'web' }
  const [file = '', heading] = target.split('#')
  const anchor = heading === undefined ? '' : `#${heading}`
  const path = file === '' ? source : join(dirname(source), file)
  if (!isInRepository(path)) return { to: 'nowhere' }
  const index = join(path, 'README.md')
  const document = extname(path) === '.md' ? path : isInRepository(index) ? index : undefined
  if (document === undefined) return anchor ? { to: 'nowhere' } : { to: 'file', path }
  if (heading !== undefined && !anchorsOf(document).includes(heading)) return { to: 'nowhere' }
  return { to: 'page', source: document, anchor }
}

function anchorsOf(source: string): string[] {
  const text = read(source).replaceAll(/^```.*?^```$/gms, '')
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    slug(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')),
  )
}
