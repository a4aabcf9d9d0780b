import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { sendFile } from '../transport/staticFile.ts'
import { openStaticFolder } from '../transport/staticFolder.ts'

/** The folder to which the build of the site writes; the package has it beside the bundle. */
const inPackage = import.meta.url.endsWith('.ts') ? '../../dist/docs/' : './docs/'
export const siteFolder = fileURLToPath(new URL(inPackage, import.meta.url))

/** No script or style is inline: the build moves those that VitePress writes into pages to files. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Serves the documentation at `/docs/`.
 * @returns false: the site has not been built
 */
export function siteRoutes(app: FastifyInstance, folder: string): boolean {
  const site = openStaticFolder(folder)
  if (!site) return false
  const { paths, open } = site
  const notFound = async (reply: FastifyReply) => {
    const { type, content } = await open('404.html')
    return reply.status(404).type(type).send(content)
  }
  app.get<{ Params: { '*': string } }>('/docs/*', async (request, reply) => {
    const requested = request.params['*'].replace(/(^|\/)$/, '$1index.html')
    const path = [requested, `${requested}.html`].find((file) => paths.has(file))
    reply.header('content-security-policy', policy)
    return path ? sendFile(request, reply, await open(path)) : notFound(reply)
  })
  return true
}
