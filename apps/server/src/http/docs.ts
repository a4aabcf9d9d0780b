import { createHash } from 'node:crypto'
import { openapi } from '@payment-intents/contract'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from './context.ts'
import { type ApiDocument, referencePage } from './referencePage.ts'
import { referenceStyle } from './referenceStyle.ts'

/** The API reference: one page that needs nothing else, neither scripts nor other files. */
export function docsRoute(app: FastifyInstance, context: HttpContext): void {
  const document = openapi({ baseUrl: context.publicUrl }) as ApiDocument
  const page = referencePage(document, referenceStyle)
  const styleHash = createHash('sha256').update(referenceStyle).digest('base64')
  app.get('/docs', async (_request, reply) => {
    reply
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      )
    return page
  })
}
