import type { DatabaseSync } from 'node:sqlite'
import {
  type Client,
  type Event,
  isPaymentIntentsError,
  type RefundSigner,
} from '@payment-intents/node'
import Fastify, { type FastifyInstance } from 'fastify'
import { findOrder, findTransitions } from './db/orders.ts'
import { findDeliveries, findDeliveriesOf } from './db/receivedDeliveries.ts'
import { findRefunds } from './db/refunds.ts'
import { findPoster } from './findPoster.ts'
import { createOrder } from './http/createOrder.ts'
import { describeOrder } from './http/describeOrder.ts'
import type { Page } from './http/readPages.ts'
import { receiveWebhooks } from './http/receiveWebhooks.ts'
import { refunds } from './http/refunds.ts'
import type { Chain } from './networks.ts'
import { products } from './products.ts'

type Dependencies = {
  readonly client: Client
  readonly db: DatabaseSync
  /** The networks on which orders can be paid; the first is the default. */
  readonly chains: readonly Chain[]
  /** The wallet that pays refunds; null: the shop pays none. */
  readonly signer: RefundSigner | null
  readonly pages: ReadonlyMap<string, Page>
  readonly webhookSecret: string
  /** Called with the event of each webhook; if it throws, the event is delivered again. */
  onEvent(event: Event): void
  log(sentence: string): void
}

type OrderBody = { product_id: string; lane: 'sdk' | 'manual'; chain: Chain }

const orderBody = (chains: readonly Chain[]) => ({
  type: 'object',
  required: ['product_id'],
  additionalProperties: false,
  properties: {
    product_id: { enum: products.map((product) => product.id) },
    lane: { enum: ['sdk', 'manual'], default: 'sdk' },
    chain: { enum: chains, default: chains[0] },
  },
})

/** The shop's HTTP server: pages, their order API, and the webhook receiver. */
export function createApp(deps: Dependencies): FastifyInstance {
  const app = Fastify({ ajv: { customOptions: { removeAdditional: false } } })

  app.post<{ Body: OrderBody }>(
    '/api/orders',
    { schema: { body: orderBody(deps.chains) } },
    async (request, reply) => {
      const { product_id, lane, chain } = request.body
      const product = products.find((candidate) => candidate.id === product_id)
      if (!product) return reply.code(404).send({ error: 'product_not_found' })
      const order = await createOrder(deps, { product, lane, chain })
      return { order_id: order.id, client_secret: order.client_secret }
    },
  )

  app.get<{ Params: { id: string } }>('/api/orders/:id', (request, reply) => {
    const order = findOrder(deps.db, request.params.id)
    if (!order) return reply.code(404).send({ error: 'order_not_found' })
    const described = describeOrder(order, {
      transitions: findTransitions(deps.db, order.id),
      refunds: findRefunds(deps.db, order.id),
      hasSigner: deps.signer !== null,
    })
    return reply.header('cache-control', 'no-store').send(described)
  })

  // Only the buyer knows an order's id: no list contains it.
  app.get<{ Params: { id: string } }>('/api/orders/:id/deliveries', (request, reply) =>
    reply
      .header('cache-control', 'no-store')
      .send({ data: findDeliveriesOf(deps.db, request.params.id) }),
  )

  app.get('/api/poster', async (_request, reply) =>
    reply.header('cache-control', 'no-store').send(await findPoster(deps.client)),
  )

  app.get('/api/deliveries', (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ data: findDeliveries(deps.db) }),
  )

  const { signer } = deps
  if (signer) app.register(refunds({ ...deps, signer }))

  app.register(receiveWebhooks(deps))

  app.get('/livez', () => ({ status: 'ok' }))

  app.get('/*', (request, reply) => {
    const path = request.url.replace(/\?.*/s, '')
    const file = fileOf(path)
    const page = deps.pages.get(file)
    if (!page) return reply.code(404).type('text/plain').send('There is nothing here.')
    const immutable = file.startsWith('/assets/')
    if (page.policy) reply.header('content-security-policy', page.policy)
    return reply
      .type(page.type)
      .header('x-content-type-options', 'nosniff')
      .header('cache-control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache')
      .send(page.body)
  })

  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    if (isPaymentIntentsError(error)) {
      deps.log(`An order failed: ${error.message}`)
      return reply.code(502).send({ error: 'payment_unavailable' })
    }
    if (error.statusCode !== undefined && error.statusCode < 500)
      return reply.code(error.statusCode).send({ error: 'invalid_request', message: error.message })
    deps.log(`A request failed: ${error.stack}`)
    return reply.code(500).send({ error: 'internal_error' })
  })

  return app
}

/** The order's pages have its id in their paths. */
function fileOf(path: string): string {
  if (path === '/') return '/index.html'
  if (/^\/orders\/\w+$/.test(path)) return '/order.html'
  return /^\/orders\/\w+\/deliveries$/.test(path) ? '/deliveries.html' : path
}
