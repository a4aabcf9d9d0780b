import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { type Chain, networks } from '../networks.ts'

export type Page = {
  readonly type: string
  readonly body: Buffer
  /** Its content security policy, if it is HTML. */
  readonly policy: string | null
}

type Settings = {
  /** URL of the payment API. */
  readonly baseUrl: string
  readonly chains: readonly Chain[]
  /** RPC URLs of the development chains; without one there is no demo wallet. */
  readonly rpcUrls: readonly string[]
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

function fill(html: string, { baseUrl, chains, rpcUrls, integrity }: Settings): string {
  const wallet =
    rpcUrls.length === 0
      ? ''
      : `<meta name="demo-wallet-rpc" content="${escapeHtml(rpcUrls.join(' '))}" />
    <script type="module" src="/demo-wallet.js"></script>`
  const options = chains.map((chain) => `<option value="${chain}">${networks[chain]}</option>`)
  const choice = `<label class="network">Network <select id="network">${options.join('')}</select></label>`
  return html
    .replaceAll('__API_URL__', () => escapeHtml(baseUrl))
    .replace('__INTEGRITY__', integrity)
    .replace('__CHAINS__', chains.join(' '))
    .replace('<!-- networks -->', () => (chains.length > 1 ? choice : ''))
    .replace('<!-- demo wallet -->', () => wallet)
}

/** Allows only the shop's own origin, the checkout's script, and the origins that it and the demo wallet call. */
function policyOf({ baseUrl, rpcUrls }: Settings): string {
  const requested = [baseUrl, ...rpcUrls].map((url) => new URL(url).origin)
  return [
    "default-src 'none'",
    `script-src 'self' ${new URL(`${baseUrl}/v1/browser.js`).href}`,
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${requested.join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
