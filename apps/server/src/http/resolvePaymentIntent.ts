import { gaslessOffer, presentResolved } from '@payment-intents/rules'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { announcePayer, type ForCheckout, findForCheckouts } from '../db/intents/paymentIntents.ts'
import { shareReads } from '../shareReads.ts'
import type { HttpContext } from './context.ts'
import { createGate } from './gate.ts'
import { type FromPage, noSuchIntent, pageEndpoint } from './pageEndpoint.ts'
import { sendJson } from './send.ts'
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
    if (!body.payer) return answer(asked)
    const announced = { intentId: id, payer: body.payer }
    const announcing = gate('payers', () => announcePayer(db.pool, announced))
    sendLater(
      asked.reply,
      announcing.then(() => answer(asked)),
    )
    return undefined
  })

  /** Thousands of requests wait here, each with what promises and async functions would keep: one that is held has neither. */
  function answer({ id, body, reply }: Asked): Promise<string> | undefined {
    const { after_version: after, wait_seconds: seconds } = body
    if (after === undefined || !seconds) return find(id).then(present)
    untilNewer({ id, after, seconds }, reply.raw, (found) => {
      sendLater(reply, Promise.resolve(found).then(present))
    })
    return undefined
  }

  function present(found: ForCheckout | null): string {
    const network = found && context.network(found.intent.chainId)
    if (!network) throw noSuchIntent()
    const { now } = context.clock(found.intent.chainId)
    const gasless = offer(context, found, now)
    return presentResolved(found.intent, { ...found, network, now, gasless })
  }
}

/** @param text undefined: the reply is sent later still */
function sendLater(reply: FastifyReply, text: Promise<string | undefined>): void {
  text
    .then((there) => {
      if (there !== undefined) reply.send(sendJson(reply, there))
    })
    .catch((error) => reply.send(error))
}

/** What a payer without gas may sign now; nothing while an authorization is in flight. */
function offer({ gasless }: HttpContext, { intent, authorization }: ForCheckout, now: number) {
  const { chainId, merchantId } = intent
  const isOffered =
    authorization?.status !== 'in_flight' && gasless.isOffered({ chainId, merchantId })
  return isOffered ? gaslessOffer(intent, now) : null
}
