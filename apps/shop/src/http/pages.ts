import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'

export type Page = {
  readonly type: string
  readonly body: Buffer
  /** Its content security policy, when it is HTML. */
  readonly policy: string | null
}

type Settings = {
  /** URL of the payment API. */
  readonly baseUrl: string
  /** RPC URL of the development chain; null disables the demo wallet. */
  readonly rpcUrl: string | null
  /** Hash of the checkout's script. */
  readonly integrity: string
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * Reads Vite's output into memory, by path. Requests are looked up in this map and never reach the file system.
 */
export function readPages(folder: string, settings: Settings): Map<string, Page> {
  const pages = new Map<string, Page>()
  const policy = policyOf(settings)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const type = types[extname(file)] ?? 'application/octet-stream'
    const body = readFileSync(file)
    const path = `/${relative(folder, file).split(sep).join('/')}`
    pages.set(
      path,
      path.endsWith('.html')
        ? { type, policy, body: Buffer.from(fill(body.toString(), settings)) }
        : { type, policy: null, body },
    )
  }
  return pages
}

function fill(html: string, { baseUrl, rpcUrl, integrity }: Settings): string {
  const wallet =
    rpcUrl === null
      ? ''
      : `<meta name="demo-wallet-rpc" content="${escapeHtml(rpcUrl)}" />
    <script type="module" src="/demo-wallet.js"></script>`
  return html
    .replaceAll('__API_URL__', () => escapeHtml(baseUrl))
    .replace('__INTEGRITY__', integrity)
    .replace('<!-- demo wallet -->', () => wallet)
}

/** Allows only the shop's own origin, the checkout's script, and the origins that it and the demo wallet call. */
function policyOf({ baseUrl, rpcUrl }: Settings): string {
  const asked = [baseUrl, rpcUrl].filter((url) => url !== null).map((url) => new URL(url).origin)
  return [
    "default-src 'none'",
    `script-src 'self' ${new URL(`${baseUrl}/v1/browser.js`).href}`,
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${asked.join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
