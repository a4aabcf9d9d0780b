import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { allowAnyOrigin } from '../transport/cors.ts'
import { sendFile, staticFile } from '../transport/staticFile.ts'

/** The checkout for a script tag; pages that pin its hash need it readable from any origin. */
export function browserScriptRoute(app: FastifyInstance): void {
  const path = fileURLToPath(import.meta.resolve('@payment-intents/browser/script.js'))
  const script = staticFile('text/javascript; charset=utf-8', readFileSync(path))
  app.get('/v1/browser.js', { onRequest: allowAnyOrigin }, async (request, reply) => {
    reply.header('cross-origin-resource-policy', 'cross-origin')
    return sendFile(request, reply, script)
  })
}
