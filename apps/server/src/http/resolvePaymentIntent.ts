import { gaslessOffer, presentResolved } from '@payment-intents/rules'
import type { FastifyInstance } from 'fastify'
import { announcePayer, type ForCheckout, findForCheckouts } from '../db/intents/paymentIntents.ts'
import { shareReads } from '../shareReads.ts'
import type { HttpContext } from './context.ts'
import { createGate } from './gate.ts'
import { noSuchIntent, pageEndpoint } from './pageEndpoint.ts'
import { createUntilNewer } from './untilNewer.ts'

/** A body has a secret, two integers and an address. */
const bodyLimit = 1024

export function resolvePaymentIntentRoute(app: FastifyInstance, context: HttpContext): void {
  const { db, database, share, resolveLimit: limit } = context
  // Those who are about to pay leave connections to the merchants.
  const gate = createGate({ most: share, waiting: 20_000, waitMs: 5_000, database })
  const find = shareReads(database, (ids) => findForCheckouts(db.pool, ids))
  const untilNewer = createUntilNewer(context)

  pageEndpoint(
    app,
    context,
    'resolvePaymentIntent',
    { bodyLimit, limit },
    async ({ id, body, reply }) => {
      const { payer, after_version: after, wait_seconds: seconds } = body
      if (payer) await gate('payers', () => announcePayer(db.pool, { intentId: id, payer }))
      const look = () => find(id)
      const isHeld = after !== undefined && seconds
      const found = await (isHeld ? untilNewer({ id, after, seconds }, reply, look) : look())
      const network = found && context.network(found.intent.chainId)
      if (!network) throw noSuchIntent()
      const { now } = context.clock(found.intent.chainId)
      const gasless = offer(context, found, now)
      return presentResolved(found.intent, { ...found, network, now, gasless })
    },
  )
}

/** What a payer without gas may sign now; nothing while an authorization is in flight. */
function offer({ gasless }: HttpContext, { intent, authorization }: ForCheckout, now: number) {
  const { chainId, merchantId } = intent
  const isOffered =
    authorization?.status !== 'in_flight' && gasless.isOffered({ chainId, merchantId })
  return isOffered ? gaslessOffer(intent, now) : null
}
