import { createServer } from 'node:http'
import { join } from 'node:path'
import { build } from 'esbuild'
import { fetchPackages } from '../../../scripts/fetch/fetchPackages.ts'
import { listenLocally } from '../../../tests/support/listenLocally.ts'
import { intent } from '../../browser/test/support/testIntents.ts'

type Intent = ReturnType<typeof intent>

/**
 * Serves the shop's page, bundled with the built packages and one version of React in development mode, and a
 * service.
 */
export async function startShop(react: '18' | '19') {
  const alias = react === '18' ? await react18() : {}
  const { outputFiles } = await build({
    absWorkingDir: `${import.meta.dirname}/..`,
    entryPoints: ['test/shopPage.tsx'],
    bundle: true,
    splitting: true,
    format: 'esm',
    write: false,
    outdir: '/',
    jsx: 'automatic',
    jsxDev: false,
    alias,
    define: { 'process.env.NODE_ENV': '"development"' },
    logLevel: 'error',
  })
  const files = new Map(outputFiles.map(({ path, text }) => [path, text]))
  const waiting = new Set<() => void>()
  let current = intent()
  let requestCount = 0
  let modal = Promise.resolve()
  let letModalGo = () => {}

  const server = createServer(async (request, response) => {
    const { url = '' } = request
    if (request.method === 'POST') {
      requestCount += 1
      let body = ''
      for await (const chunk of request) body += chunk
      const { after_version = 0 } = JSON.parse(body)
      const send = () => {
        if (after_version >= current.version) return
        waiting.delete(send)
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(current))
      }
      response.once('close', () => waiting.delete(send))
      waiting.add(send)
      return send()
    }
    if (url.startsWith('/modal')) await modal
    const script = files.get(url)
    if (script !== undefined) {
      return response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
    }
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(`<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,">
      <div id="root"></div><script type="module" src="/shopPage.js"></script></html>`)
  })
  return {
    ...(await listenLocally(server)),
    /** Sets the service's response from now on, also for held requests. */
    setIntent(next: Intent) {
      current = next
      for (const send of [...waiting]) send()
    },
    /** The number of requests to the service. */
    requestCount: () => requestCount,
    /** Holds the modal's own file from now on. */
    holdModal() {
      modal = new Promise((resolve) => {
        letModalGo = resolve
      })
    },
    letModalGo: () => letModalGo(),
  }
}

async function react18(): Promise<Record<string, string>> {
  const folder = join(await fetchPackages('react-18'), 'node_modules')
  return { react: join(folder, 'react'), 'react-dom': join(folder, 'react-dom') }
}
