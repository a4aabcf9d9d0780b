import { resolveRequestSchema } from '@payment-intents/contract'
import { presentResolved } from '@payment-intents/rules'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { readClientSecret } from '../clientSecret.ts'
import { announcePayer, findForCheckout, findVersion } from '../db/paymentIntents.ts'
import { parseBody } from './body.ts'
import type { HttpContext } from './context.ts'
import { allowAnyOrigin } from './cors.ts'
import { HttpError } from './errors.ts'
import { createRateLimit } from './rateLimit.ts'

const path = '/v1/payment_intents/resolve'

export function resolvePaymentIntentRoute(app: FastifyInstance, context: HttpContext): void {
  app.register(async (scope) => {
    // What a browser sends without asking first (CORS): here alone, since nothing here is done in anyone's name.
    scope.addContentTypeParser('text/plain', { parseAs: 'buffer' }, (_request, body, done) => {
      done(null, body)
    })
    resolveRoutes(scope, context)
  })
}

function resolveRoutes(app: FastifyInstance, context: HttpContext): void {
  const { db } = context
  const limit = createRateLimit({ ...context.resolveLimit, now: () => performance.now() })

  app.options(path, { onRequest: allowAnyOrigin }, async (_request, reply) => {
    reply
      .status(204)
      .header('access-control-allow-methods', 'POST')
      .header('access-control-allow-headers', 'content-type, x-request-id')
      .header('access-control-max-age', '86400')
  })

  app.post(path, { onRequest: allowAnyOrigin }, async (request, reply) => {
    const body = parseBody(resolveRequestSchema, request.body)
    const id = readClientSecret(body.client_secret, context.serverSecret)
    // Whoever guesses secrets is counted by address, so that they slow down nobody's checkout.
    const seconds = limit(id ?? request.ip)
    if (seconds > 0) {
      throw new HttpError(
        'rate_limited',
        `Too many requests; wait ${seconds} s.`,
        {},
        {
          'retry-after': String(seconds),
        },
      )
    }
    if (id === null) throw notFound()
    if (body.payer && (await findVersion(db.pool, id)) !== null) {
      await announcePayer(db.pool, { intentId: id, payer: body.payer })
    }
    if (body.after_version !== undefined && body.wait_seconds) {
      await untilNewer(id, body.after_version, body.wait_seconds, reply)
    }
    const found = await findForCheckout(db.pool, id)
    const network = found && context.network(found.intent.chainId)
    if (!network) throw notFound()
    reply.type('application/json; charset=utf-8').header('cache-control', 'no-store')
    return presentResolved(found.intent, {
      ...found,
      network,
      now: context.clock(found.intent.chainId).now,
    })
  })

  /** Waits for a version above `after`, for the time given, for the caller to leave, or for the server to stop. */
  async function untilNewer(id: string, after: number, seconds: number, reply: FastifyReply) {
    const held = new AbortController()
    const leave = () => held.abort()
    const timer = setTimeout(leave, seconds * 1_000)
    reply.raw.once('close', leave)
    context.stopping.addEventListener('abort', leave)
    try {
      while (!held.signal.aborted && !context.stopping.aborted) {
        // Waiting begins before looking, so that a change in between is not missed.
        const change = context.changes.wait(id, held.signal)
        const version = await findVersion(db.pool, id)
        if (version === null || version > after) return
        await change
      }
    } finally {
      clearTimeout(timer)
      reply.raw.off('close', leave)
      context.stopping.removeEventListener('abort', leave)
      held.abort()
    }
  }
}

/** The same answer for a wrong secret and an unknown intent. */
function notFound(): HttpError {
  return new HttpError('intent_not_found', 'No payment intent has this client secret.')
}
