import type { Service } from '@payment-intents/core'
import type { FastifyInstance } from 'fastify'
import { createApiKeyCache } from './http/authentication/apiKeyCache.ts'
import { authenticate } from './http/authentication/authenticate.ts'
import { authorizePaymentIntentRoute } from './http/checkout/authorizePaymentIntent.ts'
import { checkoutSessionRoutes } from './http/checkout/checkoutSession.ts'
import { confirmReceiptRoute } from './http/checkout/confirmReceipt.ts'
import { handoffRoute } from './http/checkout/handoff.ts'
import { hostedCheckoutRoutes } from './http/checkout/hostedCheckout.ts'
import { refundPageEndpoints } from './http/checkout/refundPageEndpoints.ts'
import { resolvePaymentIntentRoute } from './http/checkout/resolvePaymentIntent.ts'
import { testHelperRoutes } from './http/merchants/testHelpers.ts'
import { browserScriptRoute } from './http/pages/browserScript.ts'
import { docsRoutes } from './http/pages/docs.ts'
import { localesRoute } from './http/pages/locales.ts'
import { openapiRoute } from './http/pages/openapi.ts'
import { picturesRoutes } from './http/pages/picturesRoutes.ts'
import { receiptPageRoute } from './http/pages/receiptPage.ts'
import { refundPageRoute } from './http/pages/refundPage.ts'
import { createLinkPage, linkPageScript } from './http/payment-links/createLinkPage.ts'
import { paymentLinkPageEndpoints } from './http/payment-links/paymentLinkPageEndpoints.ts'
import { paymentLinkRoute } from './http/payment-links/paymentLinkRoute.ts'
import { healthRoutes } from './http/probes/health.ts'
import { metricsRoute } from './http/probes/metricsRoute.ts'
import { type BaseOptions, createBaseApp } from './http/transport/baseApp.ts'
import type { HttpContext } from './http/transport/httpContext.ts'
import { merchantRoutes } from './http/transport/serveEndpoint.ts'
import { x402Route } from './http/x402/x402.ts'
import { createConcurrencyLimiter } from './lib/concurrencyLimiter.ts'

/** The parts that all requests share. */
export function createHttpContext(
  parts: Omit<HttpContext, 'limiter' | 'requestConnections' | 'apiKeyCache'>,
): HttpContext {
  const requestConnections = Math.max(1, Math.floor(parts.db.pool.options.max / 2))
  const limiter = createConcurrencyLimiter({
    limit: requestConnections,
    waiting: 1_000,
    waitMs: 5_000,
    database: parts.database,
  })
  return {
    ...parts,
    limiter,
    requestConnections,
    apiKeyCache: createApiKeyCache(parts),
  }
}

/** The HTTP server with every endpoint and page of merchants' programs and payers, before it listens. */
export function createApp(
  context: HttpContext,
  service: Service,
  options: BaseOptions,
): FastifyInstance {
  const app = createBaseApp(context, options)
  merchantRoutes(app, context, service, (request) =>
    authenticate(context.apiKeyCache, request, service),
  )
  resolvePaymentIntentRoute(app, context, service)
  authorizePaymentIntentRoute(app, context, service)
  x402Route(app, context, service)
  paymentLinkRoute(app, context, { service, showPage: createLinkPage(context) })
  handoffRoute(app, context, service)
  refundPageEndpoints(app, context, service)
  paymentLinkPageEndpoints(app, context, service)
  testHelperRoutes(app, context, service)
  healthRoutes(app, context)
  metricsRoute(app, context)
  openapiRoute(app, context)
  docsRoutes(app, context)
  browserScriptRoute(app)
  localesRoute(app)
  hostedCheckoutRoutes(app, context)
  linkPageScript(app)
  checkoutSessionRoutes(app, context)
  picturesRoutes(app, context)
  receiptPageRoute(app, context)
  refundPageRoute(app)
  confirmReceiptRoute(app, context, service)
  return app
}

/**
 * Connections that the kernel accepts while the process is busy; it resets some of a larger burst, and Node.js requests
 * 511.
 */
const backlog = 4_096

/**
 * Accepts connections from now on.
 * @returns the address, as a URL
 */
export function listen(app: FastifyInstance, at: { host: string; port: number }): Promise<string> {
  return app.listen({ host: at.host, port: at.port, backlog })
}
