import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type StaticFile, sendFile, staticFile } from '../transport/staticFile.ts'

/** Where the build of the site puts it: into the package. */
const inPackage = import.meta.url.endsWith('.ts') ? '../../dist/docs/' : './docs/'
export const siteFolder = fileURLToPath(new URL(inPackage, import.meta.url))

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

/** Scripts and styles are files: the build moves out what VitePress writes into pages. */
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

/** The documentation at `/docs/`. @returns whether it has been built */
export function siteRoutes(app: FastifyInstance, folder: string): boolean {
  if (!existsSync(join(folder, 'index.html'))) return false
  const paths = new Set(pathsIn(folder))
  /** Read by the first request for it. */
  const files = new Map<string, Promise<StaticFile>>()
  const open = (path: string) => {
    const file = files.get(path) ?? read(folder, path)
    files.set(path, file)
    return file
  }
  const notFound = async (reply: FastifyReply) => {
    const { type, content } = await open('404.html')
    return reply.status(404).type(type).send(content)
  }
  app.get<{ Params: { '*': string } }>('/docs/*', async (request, reply) => {
    const path = request.params['*'].replace(/(^|\/)$/, '$1index.html')
    reply.header('content-security-policy', policy)
    return paths.has(path) ? sendFile(request, reply, await open(path)) : notFound(reply)
  })
  return true
}

/** All files below it, as addresses name them. */
function pathsIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const found = entries.filter((entry) => entry.isFile())
  return found.map(({ parentPath, name }) =>
    relative(folder, join(parentPath, name)).replaceAll(sep, '/'),
  )
}

async function read(folder: string, path: string): Promise<StaticFile> {
  const type = types[extname(path)] ?? 'text/plain; charset=utf-8'
  return staticFile(type, await readFile(join(folder, path)))
}
