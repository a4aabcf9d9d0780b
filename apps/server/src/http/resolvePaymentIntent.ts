import { gaslessOffer, presentResolved } from '@payment-intents/rules'
import type { FastifyInstance } from 'fastify'
import { announcePayer, type ForCheckout, findForCheckouts } from '../db/intents/paymentIntents.ts'
import { shareReads } from '../shareReads.ts'
import type { HttpContext } from './context.ts'
import { createGate } from './gate.ts'
import { type FromPage, noSuchIntent, pageEndpoint } from './pageEndpoint.ts'
import { createUntilNewer } from './untilNewer.ts'

/** A body has a secret, two integers and an address. */
const bodyLimit = 1024

type Asked = FromPage<'resolvePaymentIntent'>

export function resolvePaymentIntentRoute(app: FastifyInstance, context: HttpContext): void {
  const { db, database, share, resolveLimit: limit } = context
  // Those who are about to pay leave connections to the merchants.
  const gate = createGate({ most: share, waiting: 20_000, waitMs: 5_000, database })
  const find = shareReads(database, (ids) => findForCheckouts(db.pool, ids))
  const untilNewer = createUntilNewer(context, find)

  pageEndpoint(app, context, 'resolvePaymentIntent', { bodyLimit, limit }, (asked) => {
    const { id, body } = asked
    if (!body.payer) return read(asked).then(present)
    const announced = { intentId: id, payer: body.payer }
    return gate('payers', () => announcePayer(db.pool, announced)).then(() =>
      read(asked).then(present),
    )
  })

  /** Not async, nor is what calls it: thousands of requests wait here, each with what such functions keep. */
  function read({ id, body, reply }: Asked): Promise<ForCheckout | null> {
    const { after_version: after, wait_seconds: seconds } = body
    return after !== undefined && seconds ? untilNewer({ id, after, seconds }, reply.raw) : find(id)
  }

  function present(found: ForCheckout | null): string {
    const network = found && context.network(found.intent.chainId)
    if (!network) throw noSuchIntent()
    const { now } = context.clock(found.intent.chainId)
    const gasless = offer(context, found, now)
    return presentResolved(found.intent, { ...found, network, now, gasless })
  }
}

/** What a payer without gas may sign now; nothing while an authorization is in flight. */
function offer({ gasless }: HttpContext, { intent, authorization }: ForCheckout, now: number) {
  const { chainId, merchantId } = intent
  const isOffered =
    authorization?.status !== 'in_flight' && gasless.isOffered({ chainId, merchantId })
  return isOffered ? gaslessOffer(intent, now) : null
}
