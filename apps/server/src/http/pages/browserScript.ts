import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { allowAnyOrigin } from '../transport/cors.ts'
import { sendFile, staticFile } from '../transport/staticFile.ts'

/**
 * The checkout for a script tag, and the file that it loads for a payment link. Any origin may read them: a page that
 * pins their hashes (`integrity`) needs that.
 */
export function browserScriptRoute(app: FastifyInstance): void {
  serve('/v1/browser.js', import.meta.resolve('@payment-intents/browser/script.js'))
  serve('/v1/link.js', import.meta.resolve('@payment-intents/browser/link.js'))

  function serve(path: string, source: string) {
    const script = staticFile('text/javascript; charset=utf-8', readFileSync(fileURLToPath(source)))
    app.get(path, { onRequest: allowAnyOrigin }, async (request, reply) => {
      reply.header('cross-origin-resource-policy', 'cross-origin')
      return sendFile(request, reply, script)
    })
  }
}
