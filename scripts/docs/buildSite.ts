import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { openapi } from '@payment-intents/contract'
import type { ApiDocument } from '../../apps/server/src/http/pages/apiDocument.ts'
import {
  headersOfEveryResponse,
  referenceSections,
} from '../../apps/server/src/http/pages/referencePage.ts'
import { fetchPackages } from '../fetch/fetchPackages.ts'
import { allPages, contents, pagesBelow, sitePath } from './contents.ts'
import { siteText } from './documentLinks.ts'

const root = join(import.meta.dirname, '../..')

/**
 * Writes the documentation as static files.
 *
 * @param out folder for them, which is replaced
 * @param base path at which they are served, with a slash at both ends
 * @throws Error with the dead links that VitePress has found, or whatever else it says
 */
export async function buildSite({ out, base }: { out: string; base: string }): Promise<void> {
  const packages = await fetchPackages('docs')
  const folder = await mkdtemp(join(tmpdir(), 'payment-intents-docs-'))
  try {
    await symlink(join(packages, 'node_modules'), join(folder, 'node_modules'))
    const settings = join(folder, '.vitepress')
    await cp(join(import.meta.dirname, 'vitepress'), settings, { recursive: true })
    await writeFile(join(settings, 'sidebar.json'), JSON.stringify(sidebar()))
    for (const { source } of allPages()) await writePage(folder, source)
    const program = join(folder, 'node_modules/vitepress/bin/vitepress.js')
    const args = [program, 'build', folder, '--base', base, '--outDir', join(folder, 'out')]
    await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
      (error: Error & { stdout: string; stderr: string }) => {
        throw new Error(`VitePress fails.\n${error.stdout}\n${error.stderr}`)
      },
    )
    await rm(out, { recursive: true, force: true })
    await cp(join(folder, 'out'), out, { recursive: true })
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function writePage(folder: string, source: string): Promise<void> {
  const { text, attached } = siteText(source)
  const path = join(folder, sitePath(source))
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, source === 'docs/api.md' ? `${text}\n${reference()}` : text)
  for (const { path, at } of attached) await cp(join(root, path), join(folder, at))
}

/**
 * Every operation and object, as the single page of a clone has them. The search finds each operation, and all
 * objects as a single section: fifty sections would come before every guide.
 */
function reference(): string {
  const document = openapi({ baseUrl: 'https://pay.example.com' }) as ApiDocument
  // A wide table scrolls, by the keyboard too.
  const html = (content: string) =>
    `<div v-pre>\n${content.replaceAll('<table>', '<table tabindex="0">')}\n</div>\n`
  const sections = referenceSections(document)
  const objects = sections.filter(({ kind }) => kind === 'object')
  return [
    html(headersOfEveryResponse(document)),
    ...sections
      .filter(({ kind }) => kind !== 'object')
      .map((section) => `## ${section.title} {#${section.id}}\n\n${html(section.html)}`),
    '## Objects\n',
    ...objects.map(({ id, title, html: table }) => html(`<h3 id="${id}">${title}</h3>\n${table}`)),
  ].join('\n')
}

function sidebar(): object[] {
  const item = (page: { title: string; source: string }) => ({
    text: page.title,
    link: `/${sitePath(page.source).replace(/(index)?\.md$/, '')}`,
  })
  return contents().map(({ title, pages }) => ({
    text: title,
    items: pages.map((page) => {
      const below = pagesBelow(page)
      return below.length === 0
        ? item(page)
        : { ...item(page), collapsed: true, items: below.map(item) }
    }),
  }))
}
