import { setTimeout as sleep } from 'node:timers/promises'
import type { AuthorizationStore, PaymentIntentStore, Store } from '@payment-intents/core'
import type { HttpContext } from './http/transport/httpContext.ts'
import { createConcurrencyLimiter } from './lib/concurrencyLimiter.ts'
import { createInFlight } from './lib/inFlight.ts'
import {
  findByNonce,
  findConflicting,
  lockAuthorizer,
  storeAuthorization,
} from './store/authorizations/authorizations.ts'
import { claimAuthorization } from './store/authorizations/claimAuthorization.ts'
import { coalesceReads } from './store/connection/coalesceReads.ts'
import { type Db, transaction } from './store/connection/connect.ts'
import { createAnnounceEvents } from './store/events/announceEvents.ts'
import { findEvent, listEvents } from './store/events/listEvents.ts'
import { listAttention } from './store/listAttention.ts'
import { findEarlier } from './store/merchants/idempotencyKeys.ts'
import {
  deleteReturnOrigin,
  insertReturnOrigin,
  isReturnOrigin,
  listReturnOrigins,
} from './store/merchants/returnOrigins.ts'
import { findSettings, updateSettings } from './store/merchants/settings.ts'
import { insertHandoff } from './store/payment-intents/handoffs.ts'
import { createIntentCache } from './store/payment-intents/intentCache.ts'
import { listIntents } from './store/payment-intents/listPaymentIntents.ts'
import { createMarkOpened } from './store/payment-intents/markOpened.ts'
import {
  findForCheckouts,
  findIntents,
  findStatus,
  lockIntents,
} from './store/payment-intents/paymentIntents.ts'
import { readTimeline } from './store/payment-intents/readTimeline.ts'
import { reserveAmount } from './store/payment-intents/reserveAmount.ts'
import { createCreationStore, maxBatchedCreations } from './store/payment-intents/storeCreations.ts'
import { underLock } from './store/payment-intents/underLock.ts'
import { createPaymentLinkStore } from './store/payment-links/paymentLinkStore.ts'
import { lockLinks, updatePlaces } from './store/payment-links/places.ts'
import { createRefundStore } from './store/refunds/refundStore.ts'
import { retrieveSummary } from './store/summary/retrieveSummary.ts'
import { listTransfers } from './store/transfers/listTransfers.ts'
import {
  hasClaims,
  listDeliveries,
  recoverDeliveries,
  redeliverEvent,
} from './store/webhook-endpoints/deliveries.ts'
import { insertTest } from './store/webhook-endpoints/insertTest.ts'
import { listAttempts } from './store/webhook-endpoints/listAttempts.ts'
import {
  deleteEndpoint,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  rotateSecret,
  silenceEndpoint,
  updateEndpoint,
} from './store/webhook-endpoints/webhookEndpoints.ts'

/** Runs work that needs a database connection, when its turn comes. */
type WithSlot = <Result>(work: () => Promise<Result>) => Promise<Result>

type ServerStore = Store & {
  /** The same for a merchant's creations. */
  withCreationSlot<Result>(merchantId: string, work: () => Promise<Result>): Promise<Result>
}

/** Deleting an endpoint ends its attempt in progress at once; the attempt's claim is the longest that it can last. */
const deletionPatienceMs = 20_000

/** A merchant's concurrent creations while payers send requests: a payer should wait at most twice as long as alone. */
const maxCreationsDuringPayments = 6

/** The service's data in PostgreSQL. */
export function createStore(
  context: Pick<
    HttpContext,
    | 'db'
    | 'database'
    | 'payerActivity'
    | 'requestConnections'
    | 'clock'
    | 'confirmations'
    | 'notifications'
  >,
): ServerStore {
  const { db, database, payerActivity, requestConnections, clock, confirmations, notifications } =
    context
  const creations = createConcurrencyLimiter({
    limit: () => (payerActivity.isRecent() ? maxCreationsDuringPayments : maxBatchedCreations),
    waiting: 1_000,
    waitMs: 5_000,
    database,
  })
  // Payers leave connections for the merchants.
  const payers = createConcurrencyLimiter({
    limit: requestConnections,
    waiting: 1_000,
    waitMs: 5_000,
    database,
  })
  const withPayerSlot: WithSlot = (work) => payers('payers', work)
  const withClientSlot = createConcurrencyLimiter({
    limit: 1,
    waiting: 100,
    waitMs: 5_000,
    database,
  })
  return {
    withCreationSlot: creations,
    paymentIntents: paymentIntentStore(context, creations, withPayerSlot),
    authorizations: limitedAuthorizations(db, withPayerSlot),
    transfers: { list: (actor, filter) => listTransfers(db.pool, actor, filter) },
    attention: { list: (actor, filter) => listAttention(db.pool, actor, filter) },
    refunds: createRefundStore({ db, clock, confirmations }),
    paymentLinks: createPaymentLinkStore(db, withPayerSlot, withClientSlot),
    settings: {
      find: (actor) => findSettings(db.pool, actor),
      async update(merchantId, change) {
        const update = await updateSettings(db, merchantId, change)
        notifications.keysChanged()
        return update
      },
    },
    summary: {
      retrieve: (actor, period, newest) => retrieveSummary(db, actor, period, newest),
    },
    returnOrigins: {
      list: ({ merchantId }) => listReturnOrigins(db.pool, merchantId),
      insert: ({ merchantId }, origin, limit) => insertReturnOrigin(db, merchantId, origin, limit),
      delete: ({ merchantId }, id) => deleteReturnOrigin(db.pool, merchantId, id),
    },
    events: {
      find: (actor, id) => findEvent(db.pool, actor, id),
      list: (actor, filter) => listEvents(db, actor, filter),
      redeliver: (actor, id, endpointId) => redeliverEvent(db.pool, actor, id, endpointId),
    },
    webhookEndpoints: {
      insert: (actor, terms, limit) => insertEndpoint(db, actor, terms, limit),
      list: (actor) => listEndpoints(db.pool, actor),
      find: (actor, id) => findEndpoint(db.pool, actor, id),
      update: (actor, id, change) => updateEndpoint(db.pool, actor, id, change),
      async delete(actor, id) {
        await silenceEndpoint(db.pool, id)
        const patience = Date.now() + deletionPatienceMs
        while (Date.now() < patience && (await hasClaims(db.pool, id))) await sleep(20)
        await deleteEndpoint(db, actor, id)
      },
      rotateSecret: (actor, id, rotation) => rotateSecret(db.pool, actor, id, rotation),
      recover: (actor, id, since) => recoverDeliveries(db.pool, actor, id, since),
      insertTest: (actor, id, event, present) => insertTest(db, actor, id, event, present),
      listDeliveries: (id, page) => listDeliveries(db.pool, id, page),
      listAttempts: (id, filter) => listAttempts(db.pool, id, filter),
    },
  }
}

function paymentIntentStore(
  { db, database, clock }: Pick<HttpContext, 'db' | 'database' | 'clock'>,
  creations: ReturnType<typeof createConcurrencyLimiter>,
  withPayerSlot: WithSlot,
): PaymentIntentStore {
  // Requests of all merchants share their reads.
  const intents = createIntentCache(db.pool, (ids) => findIntents(db.pool, ids))
  const find = coalesceReads({ db, database }, intents.read)
  const findForCheckout = coalesceReads({ db, database }, (ids) => findForCheckouts(db.pool, ids))
  const create = createCreationStore(db, Math.random)
  const markOpened = createMarkOpened(db)
  const announceEvents = createAnnounceEvents(db, database.report)
  return {
    async find({ merchantId, mode }, id) {
      const intent = await find(id)
      return intent && intent.merchantId === merchantId && intent.mode === mode ? intent : null
    },
    findForCheckout: async (id) => (await findForCheckout(id))?.value ?? null,
    findStatus: (id) => findStatus(db.pool, id),
    markOpened: (id, time) => markOpened({ id, time }, withPayerSlot),
    readTimeline: (id) => readTimeline(db.pool, id),
    list: (actor, filter) => listIntents(db.pool, actor, filter),
    withIdempotencyLock: createInFlight({ waitMs: 2_000 }),
    findEarlier: (actor, idempotency) =>
      creations(actor.merchantId, () =>
        findEarlier(db.pool, 'createPaymentIntent', actor, idempotency),
      ),
    async create(creation) {
      const { terms } = creation
      const stored = await creations(terms.merchantId, () => create(creation))
      if (stored.type === 'created') announceEvents(terms)
      return stored
    },
    underLock: (actor, ids, decide) => underLock(db, clock, { actor, ids, decide }),
    reserveAmount: (id) => withPayerSlot(() => reserveAmount(db, id, clock)),
    insertHandoff: ({ hash, intentId, returnUrl, origin }) =>
      withPayerSlot(async () => {
        if (origin !== null && !(await isReturnOrigin(db.pool, { intentId, origin }))) {
          return 'origin_not_registered'
        }
        const token = { hash: Buffer.from(hash, 'hex'), intentId, returnUrl }
        return (await insertHandoff(db.pool, token)) ?? 'ended'
      }),
  }
}

export function limitedAuthorizations(db: Db, withSlot: WithSlot): AuthorizationStore {
  return {
    findByNonce: (nonce) => withSlot(() => findByNonce(db.pool, nonce)),
    submit: (authorization, decide) =>
      withSlot(() =>
        transaction(db, async (client) => {
          const [intent = null] = await lockIntents(client, [authorization.intentId])
          if (intent) await lockLinks(client, [intent])
          await lockAuthorizer(client, authorization)
          const decided = decide(intent, await findConflicting(client, authorization))
          if (decided.type !== 'store' || !intent)
            return decided as Exclude<typeof decided, { type: 'store' }>
          const version = await storeAuthorization(client, authorization)
          if (intent.paymentLink !== null) await updatePlaces(client, [intent.id])
          const { from, validBefore } = authorization
          return {
            type: 'accepted',
            intent: { ...intent, version },
            authorization: { from, status: 'in_flight', reason: null, txHash: null, validBefore },
          }
        }),
      ),
    claim: (nonce, claim) => withSlot(() => claimAuthorization(db.pool, nonce, claim)),
  }
}
