import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { slug } from './slug.ts'

/**
 * Settings of VitePress. What it builds runs under a policy that allows no inline script and no inline style: its own
 * scripts become files, and the colours of code become classes.
 */

/** Classes of code, by their declarations. */
const classes = new Map<string, string>()

type Token = {
  type: string
  tag: string
  content: string
  attrs: [string, string][] | null
  attrGet(name: string): string | null
}
type MarkdownIt = {
  readonly core: {
    readonly ruler: { push(name: string, rule: (state: { tokens: Token[] }) => void): void }
  }
}

/** Columns of numbers have the class `right`; a column without a heading has no empty heading. */
function repairTables(markdown: MarkdownIt): void {
  markdown.core.ruler.push('repair-tables', ({ tokens }) => {
    tokens.forEach((token, index) => {
      const style = token.attrGet('style')
      if (style?.startsWith('text-align:')) {
        token.attrs = [['class', style.replace('text-align:', '')]]
      }
      const [content, end] = tokens.slice(index + 1)
      if (token.type !== 'th_open' || content?.content !== '' || !end) return
      token.tag = 'td'
      end.tag = 'td'
    })
  })
}

type Node = { properties: { style?: string; class?: string } }

function styleToClass({ properties }: Node): void {
  const { style } = properties
  if (style === undefined) return
  const name = classes.get(style) ?? `s${hash(style)}`
  classes.set(style, name)
  delete properties.style
  properties.class = properties.class ? `${properties.class} ${name}` : name
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

/** Files with the inline parts, by their paths. */
const files = new Map<string, string>()

function file(name: string, content: string): string {
  const [stem, extension] = name.split('.')
  const path = `assets/${stem}.${hash(content)}.${extension}`
  files.set(path, content)
  return path
}

function styleSheet(): string {
  return [...classes].map(([style, name]) => `.${name}{${style}}`).join('\n')
}

export default {
  title: 'payment-intents',
  description: 'USDC on Base and Polygon in any web shop, straight into its own wallet',
  lang: 'en',
  // The server finds `api.html` for `/docs/api`.
  cleanUrls: true,
  metaChunk: true,
  ignoreDeadLinks: 'localhostLinks',
  // With it, a style element is written into the page when the scheme changes.
  appearance: { disableTransition: false },
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    anchor: { slugify: slug },
    config: repairTables,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    codeTransformers: [{ name: 'style-to-class', pre: styleToClass, span: styleToClass }],
  },
  themeConfig: {
    sidebar: JSON.parse(readFileSync(new URL('sidebar.json', import.meta.url), 'utf8')),
    outline: [2, 3],
    notFound: { linkLabel: 'Take me home' },
    search: {
      provider: 'local',
      // A page's own title first, and "webhook" finds "Webhooks" as well as itself.
      options: {
        miniSearch: {
          searchOptions: {
            boost: { title: 8, titles: 1, text: 1 },
            weights: { prefix: 1, fuzzy: 0.3 },
          },
        },
      },
    },
  },
  transformHtml(html: string, _id: string, { siteConfig }: { siteConfig: SiteConfig }) {
    const { base } = siteConfig.site
    const colours = file('code.css', styleSheet())
    return (
      html
        .replaceAll(
          /<script id="([\w-]+)">(.*?)<\/script>/gs,
          (_, id, script) => `<script src="${base}${file(`${id}.js`, script)}"></script>`,
        )
        // The page's script sets the first, and the style sheet has the second.
        .replaceAll(/ style="(--vp-vh:0px;|position:relative;)"/g, '')
        .replace('</head>', `<link rel="stylesheet" href="${base}${colours}"></head>`)
    )
  },
  buildEnd({ outDir }: SiteConfig) {
    for (const [path, content] of files) writeFileSync(join(outDir, path), content)
  },
}

type SiteConfig = { readonly outDir: string; readonly site: { readonly base: string } }
