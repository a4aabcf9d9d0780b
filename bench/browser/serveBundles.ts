import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import { type Listening, listenLocally } from '../../tests/support/listenLocally.ts'
import type { Bundle } from './bundleProgram.ts'

/** A shop's web server on a free port: at each path a page with a script tag, and files for the page to cache. */
export async function serveBundles(
  files: Bundle['files'],
  scripts: Readonly<Record<string, string>>,
): Promise<Listening> {
  const contents = new Map([...files].map(([name, content]) => [`/${name}`, gzipSync(content)]))
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    const script = scripts[path]
    const content = contents.get(path)
    if (script) {
      const head = '<title>Kiosk</title><meta name="viewport" content="width=device-width">'
      response.writeHead(200, { 'content-type': 'text/html', 'cache-control': 'no-cache' })
      response.end(`<!doctype html><html lang="en">${head}${script}<body></body></html>`)
    } else if (content) {
      response.writeHead(200, {
        'content-type': 'text/javascript',
        'content-encoding': 'gzip',
        'cache-control': 'public, max-age=31536000, immutable',
      })
      response.end(content)
    } else response.writeHead(404).end()
  })
  return listenLocally(server)
}
