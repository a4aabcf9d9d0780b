import {
  type CheckoutIntent,
  presentForCheckout,
  recordOpening,
  type Service,
} from '@payment-intents/core'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { createConcurrencyLimiter } from '../../lib/concurrencyLimiter.ts'
import { shareReads } from '../../store/connection/shareReads.ts'
import { announcePayer, findForCheckouts } from '../../store/payment-intents/paymentIntents.ts'
import type { HttpContext } from '../transport/httpContext.ts'
import { type PublicRequest, publicEndpoint } from '../transport/publicEndpoint.ts'
import { sendJson } from '../transport/sendJson.ts'
import { passes } from '../transport/untilNewer.ts'
import { createUntilNewerIntent } from '../transport/untilNewerIntent.ts'
import { createLastKnown } from './lastKnown.ts'

/** A body has a secret, two integers and an address. */
const bodyLimit = 1024

type Asked = PublicRequest<'resolvePaymentIntent'>

export function resolvePaymentIntentRoute(
  app: FastifyInstance,
  context: HttpContext,
  service: Service,
): void {
  const { db, database, poolShare: share, resolveLimit: limit } = context
  // Those who are about to pay leave connections to the merchants.
  const limiter = createConcurrencyLimiter({
    limit: share,
    waiting: 20_000,
    waitMs: 5_000,
    database,
  })
  const lastKnown = createLastKnown<CheckoutIntent>()
  const find = shareReads({ db, database }, async (ids) => {
    const found = await findForCheckouts(db.pool, ids)
    lastKnown.keep(ids, found)
    return found
  })
  const untilNewer = createUntilNewerIntent(context, find)

  publicEndpoint(app, context, 'resolvePaymentIntent', { bodyLimit, limit }, (asked) => {
    const { id, body } = asked
    if (!body.payer && !body.reserve_amount) return answer(asked)
    const announced = body.payer && { intentId: id, payer: body.payer }
    const before = Promise.all([
      announced && limiter('payers', () => announcePayer(db.pool, announced)),
      body.reserve_amount && service.store.paymentIntents.reserveAmount(id),
    ])
    sendLater(
      asked.reply,
      before.then(() => answer(asked)),
    )
    return undefined
  })

  /** Thousands of requests wait here, each with what promises and async functions would keep: one that is held has neither. */
  function answer({ id, body, reply }: Asked): Promise<string> | undefined {
    const { after_version: after, wait_seconds: seconds } = body
    const present = (found: Promise<CheckoutIntent | null>) =>
      found.then(
        (read) => presentOpened(read),
        (error) => presentLast(id, after, error),
      )
    if (after === undefined || !seconds) return present(find(id))
    untilNewer({ id, after, seconds }, reply.raw, (found) => {
      sendLater(reply, present(Promise.resolve(found)))
    })
    return undefined
  }

  /** The first resolve waits until it is recorded; if it cannot be, the payer is answered and the next one tries again. */
  function presentOpened(found: CheckoutIntent | null): string | Promise<string> {
    if (found?.intent.openedAt !== null) return presentForCheckout(service, found)
    const recorded = recordOpening(service, found).catch(database.report)
    return recorded.then(() => presentForCheckout(service, found))
  }

  /**
   * While the database does not answer in time, a checkout gets what was read last: there are some that end at an error,
   * after the payer has paid. None of them goes back to before the version that it has.
   */
  function presentLast(id: string, after: number | undefined, error: unknown): string {
    const last = passes(error) ? lastKnown.get(id) : null
    if (!last || (after !== undefined && last.value.intent.version < after)) throw error
    return presentForCheckout(service, last.value, last.ageMs)
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
