import { endpoints, resolveRequestSchema } from '@payment-intents/contract'
import { HttpError, parse, presentResolved, rateLimited } from '@payment-intents/rules'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { announcePayer, findForCheckouts } from '../db/intents/paymentIntents.ts'
import { readClientSecret } from '../secrets/clientSecret.ts'
import { shareReads } from '../shareReads.ts'
import { readBody } from './body.ts'
import type { HttpContext } from './context.ts'
import { allowAnyOrigin, answerPreflight } from './cors.ts'
import { createGate } from './gate.ts'
import { createRateLimit } from './rateLimit.ts'
import { senderOf } from './sender.ts'
import { createUntilNewer } from './untilNewer.ts'

const { path } = endpoints.resolvePaymentIntent
/** A body has a secret, two integers and an address. */
const bodyLimit = 1024

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
  const { db, database, share } = context
  const now = () => performance.now()
  const limit = createRateLimit({ ...context.resolveLimit, now })
  const limitAddress = createRateLimit({ ...context.addressLimit, now })
  // Those who are about to pay leave connections to the merchants.
  const gate = createGate({ most: share, waiting: 20_000, waitMs: 5_000, database })
  const find = shareReads(database, (ids) => findForCheckouts(db.pool, ids))
  const untilNewer = createUntilNewer(context)

  answerPreflight(app, path)

  // Anyone may send anything here: before a body is read, its sender is counted.
  const onRequest = [
    allowAnyOrigin,
    async (request: FastifyRequest) => refuseBeyond(limitAddress.take(senderOf(request))),
  ]
  app.post(path, { onRequest, bodyLimit }, async (request, reply) => {
    const body = parse(resolveRequestSchema, readBody(request.body).value)
    const id = readClientSecret(body.client_secret, context.serverKeys.all)
    // Guessed secrets are counted by address: guessing one must not exhaust its checkout's limit.
    refuseBeyond(limit.take(id ?? senderOf(request)))
    if (id === null) throw notFound()
    const { payer, after_version: after, wait_seconds: seconds } = body
    if (payer) await gate('payers', () => announcePayer(db.pool, { intentId: id, payer }))
    const look = () => find(id)
    const isHeld = after !== undefined && seconds
    const found = await (isHeld ? untilNewer({ id, after, seconds }, reply, look) : look())
    const network = found && context.network(found.intent.chainId)
    if (!network) throw notFound()
    reply.type('application/json; charset=utf-8').header('cache-control', 'no-store')
    return presentResolved(found.intent, {
      ...found,
      network,
      now: context.clock(found.intent.chainId).now,
    })
  })
}

function refuseBeyond(seconds: number): void {
  if (seconds > 0) throw rateLimited(seconds)
}

/** The same answer for a wrong secret and an unknown intent. */
function notFound(): HttpError {
  return new HttpError('intent_not_found', 'No payment intent has this client secret.')
}
