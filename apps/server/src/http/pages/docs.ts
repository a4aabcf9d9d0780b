import { createHash } from 'node:crypto'
import { openapi } from '@payment-intents/contract'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { HttpContext } from '../transport/httpContext.ts'
import type { ApiDocument } from './apiDocument.ts'
import { referencePage } from './referencePage.ts'
import { referenceStyle } from './referenceStyle.ts'
import { siteFolder, siteRoutes } from './site.ts'

/**
 * The API reference at `/docs`: one page that needs nothing else, neither scripts nor other files. The documentation is
 * at `/docs/`; where it has not been built, as in a clone, that is the reference too.
 */
export function docsRoutes(app: FastifyInstance, context: HttpContext, site = siteFolder): void {
  const isBuilt = siteRoutes(app, site)
  let page: string | undefined
  const styleHash = createHash('sha256').update(referenceStyle).digest('base64')
  const answer = async (_request: unknown, reply: FastifyReply) => {
    reply
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      )
    page ??= referencePage(
      openapi({ baseUrl: context.publicUrl }) as ApiDocument,
      referenceStyle,
      isBuilt ? linkToSite : howToBuild,
    )
    return page
  }
  app.get('/docs', answer)
  if (!isBuilt) app.get('/docs/', answer)
}

const linkToSite = 'Quickstart, recipes and guides: <a href="/docs/">/docs/</a>.'
const howToBuild =
  'Quickstart, recipes and guides are in <code>docs/</code> of the repository; <code>pnpm docs:build</code> there makes pages of them for <code>/docs/</code>.'
