import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { allowAnyOrigin } from './cors.ts'

/** The checkout for a script tag; pages that pin its hash need it readable from any origin. */
export function browserScriptRoute(app: FastifyInstance): void {
  const file = fileURLToPath(import.meta.resolve('@payment-intents/browser/script.js'))
  const script = readFileSync(file)
  const etag = `"${createHash('sha256').update(script).digest('base64url')}"`
  app.get('/v1/browser.js', { onRequest: allowAnyOrigin }, async (request, reply) => {
    reply
      .type('text/javascript; charset=utf-8')
      .header('cache-control', 'public, max-age=300')
      .header('cross-origin-resource-policy', 'cross-origin')
      .header('etag', etag)
    if (request.headers['if-none-match'] === etag) return reply.status(304).send()
    return script
  })
}
