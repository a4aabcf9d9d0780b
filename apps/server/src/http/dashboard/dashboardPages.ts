import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { checkoutScript } from '../checkout/checkoutScript.ts'
import { sendFile } from '../transport/staticFile.ts'
import { openStaticFolder } from '../transport/staticFolder.ts'

/** The built dashboard: next to the bundle in the package, in its own folder when the server runs from sources. */
const inPackage = import.meta.url.endsWith('.ts') ? '../../../../dashboard/dist/' : './dashboard/'
const folder = fileURLToPath(new URL(inPackage, import.meta.url))

/** Vite puts a hash into the names below `assets/`, so those files never change. Browsers revalidate all others. */
function cacheControl(path: string): string {
  return path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
}

/** The dashboard's settings frame the preview of the checkout. The preview sends no request. */
const previewPolicy =
  "default-src 'none'; script-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; require-trusted-types-for 'script'; trusted-types 'none'"

/** Serves the files, and at every other address `index.html`, whose router reads the address. */
export function dashboardPages(app: FastifyInstance): void {
  const built = openStaticFolder(folder, cacheControl)
  if (!built) return
  const script = checkoutScript()
  app.get('/preview/checkout.js', (request, reply) => sendFile(request, reply, script))
  app.get('/preview.html', async (request, reply) => {
    reply.headers({ 'content-security-policy': previewPolicy })
    return sendFile(request, reply, await built.open('preview.html'))
  })
  app.get<{ Params: { '*': string } }>('/*', async (request, reply) => {
    const { '*': path } = request.params
    if (built.paths.has(path)) return sendFile(request, reply, await built.open(path))
    if (/^(v1|account|assets)\//.test(path)) return reply.callNotFound()
    return sendFile(request, reply, await built.open('index.html'))
  })
}
