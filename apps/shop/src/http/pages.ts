import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'

export type Page = { readonly type: string; readonly body: Buffer }

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * Reads everything that Vite built into memory, by path. Requests are looked up in this map and never reach the
 * file system.
 *
 * @param settings put into the HTML: `baseUrl` for the checkout, `rpcUrl` for the demo wallet, which is left out
 * when that is null
 */
export function readPages(
  folder: string,
  settings: { baseUrl: string; rpcUrl: string | null },
): Map<string, Page> {
  const pages = new Map<string, Page>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const type = types[extname(file)] ?? 'application/octet-stream'
    const body = readFileSync(file)
    const path = `/${relative(folder, file).split(sep).join('/')}`
    pages.set(path, {
      type,
      body: path.endsWith('.html') ? Buffer.from(fill(body.toString(), settings)) : body,
    })
  }
  return pages
}

function fill(html: string, settings: { baseUrl: string; rpcUrl: string | null }): string {
  const wallet =
    settings.rpcUrl === null
      ? ''
      : `<meta name="demo-wallet-rpc" content="${escapeHtml(settings.rpcUrl)}" />
    <script type="module" src="/demo-wallet.js"></script>`
  return html
    .replaceAll('__API_URL__', () => escapeHtml(settings.baseUrl))
    .replace('<!-- demo wallet -->', () => wallet)
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
