import type { Service } from '@payment-intents/core'
import type { FastifyInstance } from 'fastify'
import type { AccountContext } from '../../account/accountEndpoint.ts'
import { picturesRoutes } from '../pages/picturesRoutes.ts'
import { type BaseOptions, createBaseApp } from '../transport/baseApp.ts'
import type { HttpContext } from '../transport/httpContext.ts'
import { merchantRoutes } from '../transport/serveEndpoint.ts'
import { accountRoutes, visitorRoutes } from './accountRoutes.ts'
import { createAuthenticateSession } from './authenticateSession.ts'
import { dashboardPages } from './dashboardPages.ts'

type Options = BaseOptions & Pick<AccountContext, 'dashboardUrl' | 'modes' | 'now' | 'sendsMail'>

/**
 * The HTTP server of the dashboard, not listening yet. It has its own origin, without payers' pages and without
 * endpoints that accept an API key, so that a fault in a checkout cannot act as a signed-in person.
 */
export function createDashboardApp(
  context: HttpContext,
  service: Service,
  options: Options,
): FastifyInstance {
  const { dashboardUrl, modes, now, sendsMail } = options
  const { db, database, notifications, checkAccountSignature, keyLimit } = context
  const account: AccountContext = {
    ...{ db, database, notifications, now, checkAccountSignature, dashboardUrl, modes, sendsMail },
  }
  const app = createBaseApp(context, options)
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(pageHeaders)
    done()
  })
  const authenticate = createAuthenticateSession({ ...account, keyLimit })
  merchantRoutes(app, context, service, async (request) => {
    const { merchant, person } = await authenticate(request)
    return { merchant, personId: person.id, role: person.role }
  })
  accountRoutes(app, account, authenticate)
  visitorRoutes(app, account, keyLimit)
  picturesRoutes(app, context)
  dashboardPages(app)
  return app
}

/**
 * Headers of every response; the preview has its own policy. No page can frame the dashboard. No page that it opens, or
 * that opens it, has a reference to its window.
 */
const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
}
