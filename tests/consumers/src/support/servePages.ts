import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { type Listening, listenLocally } from '../../../support/listenLocally.ts'

/** Creates a response for each request, by its path: JSON from an object, HTML from a text. */
type Routes = Record<string, () => Promise<object | string>>

const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' }

/** The web server of a shop on a free port of loopback: a folder of built pages, and its own responses. */
export async function servePages(folder: string, routes: Routes = {}): Promise<Listening> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost')
    const reply = await routes[pathname]?.()
    if (reply !== undefined) {
      const isText = typeof reply === 'string'
      response.writeHead(200, { 'content-type': isText ? 'text/html' : 'application/json' })
      return response.end(isText ? reply : JSON.stringify(reply))
    }
    const content = await readFile(join(folder, pathname)).catch(() => undefined)
    if (content === undefined) return response.writeHead(404).end('There is no such page.')
    const type = types[extname(pathname)] ?? 'application/octet-stream'
    return response.writeHead(200, { 'content-type': type }).end(content)
  })
  return listenLocally(server)
}
