import {
  type CheckoutView,
  presentForCheckout,
  recordOpening,
  type Service,
  viewForCheckout,
} from '@payment-intents/core'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { createConcurrencyLimiter } from '../../lib/concurrencyLimiter.ts'
import { coalesceReads } from '../../store/connection/coalesceReads.ts'
import { createIntentCache } from '../../store/payment-intents/intentCache.ts'
import {
  type Comparable,
  findForCheckouts,
  storeNamedPayer,
} from '../../store/payment-intents/paymentIntents.ts'
import type { HttpContext } from '../transport/httpContext.ts'
import { createIntentLongPoll } from '../transport/intentLongPoll.ts'
import { isTransient } from '../transport/longPoll.ts'
import { type PublicRequest, publicEndpoint } from '../transport/publicEndpoint.ts'
import { sendJson } from '../transport/sendJson.ts'

type ResolveRequest = PublicRequest<'resolvePaymentIntent'>

export function resolvePaymentIntentRoute(
  app: FastifyInstance,
  context: HttpContext,
  service: Service,
): void {
  const { db, database, payerActivity, requestConnections, resolveLimit: limit } = context
  // All payers together use only a part of the connections, so that merchants get some.
  const limiter = createConcurrencyLimiter({
    limit: requestConnections,
    waiting: 20_000,
    waitMs: 5_000,
    database,
  })
  const cache = createIntentCache<CheckoutView>(db.pool, readViews)
  const find = coalesceReads({ db, database }, cache.read)
  const longPoll = createIntentLongPoll(context, find)

  publicEndpoint(app, context, 'resolvePaymentIntent', limit, (request) => {
    payerActivity.record()
    const { id, body } = request
    if (!body.payer && !body.reserve_amount) return respond(request)
    const announced = body.payer && { intentId: id, payer: body.payer }
    const before = Promise.all([
      announced && limiter('payers', () => storeNamedPayer(db.pool, announced)),
      body.reserve_amount && service.store.paymentIntents.reserveAmount(id),
    ])
    sendLater(
      request.reply,
      before.then(() => respond(request)),
    )
    return undefined
  })

  async function readViews(ids: readonly string[]): Promise<Map<string, Comparable<CheckoutView>>> {
    const views = new Map<string, Comparable<CheckoutView>>()
    for (const [id, { value, rowVersion }] of await findForCheckouts(db.pool, ids)) {
      const view = viewForCheckout(service, value)
      if (view) views.set(id, { value: view, rowVersion })
    }
    return views
  }

  /** Not async: thousands of long polls wait here, and each would keep a promise and a frame in memory. */
  function respond({ id, body, reply }: ResolveRequest): Promise<string> | undefined {
    const { after_version: after, wait_seconds: seconds } = body
    const present = (view: Promise<CheckoutView | null>) =>
      view.then(
        (view) => recordOpeningAndPresent(view),
        (error) => presentStale(id, after, error),
      )
    if (after === undefined || !seconds) return present(find(id))
    longPoll({ id, after, seconds }, reply.raw, (view) => {
      sendLater(reply, present(Promise.resolve(view)))
    })
    return undefined
  }

  /**
   * The first resolve of an intent waits until its time is recorded. If that fails, the payer still gets a response,
   * and the next resolve records it.
   */
  function recordOpeningAndPresent(view: CheckoutView | null): string | Promise<string> {
    if (view?.intent.openedAt !== null) return presentForCheckout(service, view)
    const recorded = recordOpening(service, view).catch(database.report)
    return recorded.then(() => presentForCheckout(service, view))
  }

  /**
   * While the database does not respond in time, a checkout gets the cached view: a payer who has paid should see no
   * error. A checkout never gets a version older than its own.
   */
  function presentStale(id: string, after: number | undefined, error: unknown): string {
    const last = isTransient(error) ? cache.last(id) : null
    if (!last || (after !== undefined && last.value.intent.version < after)) throw error
    return presentForCheckout(service, last.value, last.ageMs)
  }
}

/** @param text resolves to undefined if the long poll sends the reply */
function sendLater(reply: FastifyReply, text: Promise<string | undefined>): void {
  text
    .then((body) => {
      if (body !== undefined) reply.send(sendJson(reply, body))
    })
    .catch((error) => reply.send(error))
}
