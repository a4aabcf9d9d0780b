import type { DatabaseSync } from 'node:sqlite'
import {
  type Client,
  isPaymentIntentsError,
  type RefundSigner,
  toUnits,
} from '@payment-intents/node'
import type { FastifyInstance } from 'fastify'
import { findOrder } from '../db/orders.ts'
import { findRefund } from '../db/refunds.ts'
import { createRefund } from '../refund/createRefund.ts'
import { signRefund } from '../refund/signRefund.ts'

type Address = `0x${string}`
type OrderPath = { id: string }
type RefundPath = OrderPath & { refund: string }
type CreateBody = { number: number; amount: string; destination?: Address }
type ConfirmBody = { destination: Address }

const address = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' }

const createBody = {
  type: 'object',
  required: ['number', 'amount'],
  additionalProperties: false,
  properties: {
    number: { type: 'integer', minimum: 1, maximum: 1000 },
    amount: { type: 'string', pattern: '^[0-9]{1,9}([.][0-9]{1,6})?$' },
    destination: address,
  },
}

const confirmBody = {
  type: 'object',
  required: ['destination'],
  additionalProperties: false,
  properties: { destination: address },
}

/** Codes that require another request: a retry would fail again. */
const refusals = new Set(['conflict', 'invalid_body', 'wallet_invalid'])

/** Routes for the merchant to refund an order. A real shop has them behind its employees' login. */
export function refunds(deps: {
  readonly client: Client
  readonly db: DatabaseSync
  readonly signer: RefundSigner
  log(sentence: string): void
}) {
  const { client, db, log } = deps
  return async (app: FastifyInstance) => {
    app.post<{ Params: OrderPath; Body: CreateBody }>(
      '/api/orders/:id/refunds',
      { schema: { body: createBody } },
      async (request, reply) => {
        const order = findOrder(db, request.params.id)
        if (!order) return reply.code(404).send({ error: 'order_not_found' })
        const { number, amount, destination } = request.body
        const refund = await createRefund(deps, order, {
          number,
          amount_units: toUnits(amount),
          ...(destination !== undefined && { destination }),
        })
        return { refund_id: refund }
      },
    )

    // Store no link: anyone with it can name the destination. Retrieve it each time.
    app.get<{ Params: RefundPath }>(
      '/api/orders/:id/refunds/:refund/link',
      async (request, reply) => {
        const { id, refund } = request.params
        if (!findRefund(db, id, refund)) return reply.code(404).send({ error: 'refund_not_found' })
        const { links } = await client.refunds.retrieve(refund)
        return reply.header('cache-control', 'no-store').send({ page: links.page })
      },
    )

    app.post<{ Params: RefundPath; Body: ConfirmBody }>(
      '/api/orders/:id/refunds/:refund/confirm',
      { schema: { body: confirmBody } },
      async (request, reply) => {
        const result = findRefund(db, request.params.id, request.params.refund)
        if (!result) return reply.code(404).send({ error: 'refund_not_found' })
        const { destination } = request.body
        await client.refunds.confirm(result.id, { destination })
        await signRefund(deps, { ...result, destination })
        return { refund_id: result.id }
      },
    )

    app.setErrorHandler((error, _request, reply) => {
      if (!isPaymentIntentsError(error)) throw error
      log(`A refund failed: ${error.message}`)
      if (!refusals.has(error.code)) return reply.code(502).send({ error: 'payment_unavailable' })
      return reply.code(409).send({ error: error.reason ?? error.code })
    })
  }
}
