import { timingSafeEqual } from 'node:crypto'
import { confirmReceipt, HttpError, parse, rateLimited } from '@payment-intents/core'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { shareReads } from '../../store/connection/shareReads.ts'
import { findForCheckouts } from '../../store/payment-intents/paymentIntents.ts'
import { clientAddress } from '../limits/clientAddress.ts'
import { createRateLimit } from '../limits/rateLimit.ts'
import { keepBody, readBody } from '../transport/body.ts'
import { allowAnyOrigin } from '../transport/cors.ts'
import type { HttpContext } from '../transport/httpContext.ts'
import { sendJson } from '../transport/sendJson.ts'

const schema = z.strictObject({
  payment_intent: z.string().max(100),
  salt: z.string().regex(/^0x[\da-fA-F]{64}$/),
})

/**
 * `POST /receipt`: the service's own receipt of a payment. Anybody can make up a receipt, so a page asks the service what it
 * vouches for, from any origin. The key is the salt, which only a receipt reveals.
 */
export function confirmReceiptRoute(app: FastifyInstance, context: HttpContext): void {
  const { db, database, addressLimit } = context
  const limit = createRateLimit({ ...addressLimit, now: () => performance.now() })
  const find = shareReads({ db, database }, (ids) => findForCheckouts(db.pool, ids))
  app.register(async (scope) => {
    scope.addContentTypeParser('text/plain', { parseAs: 'buffer' }, keepBody)
    const onRequest = [
      allowAnyOrigin,
      async (request: Parameters<typeof clientAddress>[0]) => {
        const seconds = limit.take(clientAddress(request))
        if (seconds > 0) throw rateLimited(seconds)
      },
    ]
    scope.post('/receipt', { onRequest, bodyLimit: 1_024 }, async (request, reply) => {
      const { payment_intent: id, salt } = parse(schema, readBody(request.body).value)
      const found = await find(id)
      const isTheirs = found && isEqual(found.intent.salt, salt.toLowerCase())
      const receipt = isTheirs && confirmReceipt(found.intent, found)
      if (!receipt) throw new HttpError('not_found', 'This service has no such receipt.')
      return sendJson(reply, receipt)
    })
  })
}

function isEqual(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}
