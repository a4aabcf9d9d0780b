import { createHash } from 'node:crypto'
import { openapi } from '@payment-intents/contract'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { HttpContext } from '../transport/httpContext.ts'
import type { ApiDocument } from './apiDocument.ts'
import { referencePage } from './referencePage.ts'
import { referenceStyle } from './referenceStyle.ts'
import { siteFolder, siteRoutes } from './site.ts'

/**
 * The documentation at `/docs/`, with the API reference at `/docs/api`. If the site has not been built, as in a fresh
 * clone, only the reference exists, as a single page that needs no other file.
 */
export function docsRoutes(app: FastifyInstance, context: HttpContext, site = siteFolder): void {
  app.get('/docs', (_request, reply) => reply.redirect('/docs/', 301))
  if (!siteRoutes(app, site)) referenceRoutes(app, context)
}

function referenceRoutes(app: FastifyInstance, context: HttpContext): void {
  let page: string | undefined
  const styleHash = createHash('sha256').update(referenceStyle).digest('base64')
  app.get('/docs/', (_request, reply) => reply.redirect('/docs/api'))
  app.get('/docs/api', async (_request: unknown, reply: FastifyReply) => {
    reply
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      )
    page ??= referencePage(
      openapi({ baseUrl: context.publicUrl }) as ApiDocument,
      referenceStyle,
      howToBuild,
    )
    return page
  })
}

const howToBuild =
  'Quickstart, recipes and guides are in <code>docs/</code> of the repository; <code>pnpm docs:build</code> builds this site from them.'
