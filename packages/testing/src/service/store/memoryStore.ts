import { limits, windows } from '@payment-intents/contract'
import {
  type CheckoutIntent,
  canReserve,
  type Intent,
  isOpen,
  type NewPaymentIntent,
  type PaymentIntentStore,
  presentNew,
  type Store,
  type StoredCreation,
  type WrittenEvent,
  withReserved,
} from '@payment-intents/core'
import { applyAction } from '../applyAction.ts'
import type { Authorizations } from '../authorizations.ts'
import { firstFree, openIntent } from '../openIntent.ts'
import type { Refunds } from '../refunds/refunds.ts'
import type { VirtualChain } from '../virtualChain.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import { createAttention } from './attention.ts'
import { isIntentListed, isTransferListed } from './isListed.ts'
import { pageOf } from './pageOf.ts'
import { createPaymentLinks } from './paymentLinks.ts'
import { readTimeline } from './readTimeline.ts'
import type { Records } from './records.ts'
import { createReturnOrigins } from './returnOrigins.ts'
import { createSettings } from './settings.ts'
import { createSummary } from './summary.ts'

/** The service's store in memory. A single merchant owns all data. */
export function createStore(
  records: Records,
  {
    authorizations,
    chain,
    refunds,
    webhooks,
  }: {
    readonly authorizations: Authorizations
    readonly chain: VirtualChain
    readonly refunds: Refunds
    readonly webhooks: Webhooks
  },
): Store {
  const { events, intents } = records
  return {
    paymentIntents: {
      ...paymentIntentStore(records, authorizations, chain, refunds),
      readTimeline: async (id) => readTimeline(records, { refunds, webhooks }, id),
    },
    authorizations: authorizations.store,
    refunds: refunds.store,
    transfers: {
      async list(_actor, filter) {
        const listed = [...records.transfers.values()].toReversed()
        return pageOf(listed, filter, (transfer) => {
          const intent = records.intents.get(transfer.intentId ?? '')
          return isTransferListed(transfer, intent, filter)
        })
      },
    },
    attention: createAttention(records, refunds, webhooks),
    paymentLinks: createPaymentLinks(records),
    settings: createSettings(records),
    returnOrigins: createReturnOrigins(records),
    summary: createSummary(records),
    events: {
      find: async (_actor, id) => events.find((event) => event.id === id) ?? null,
      async list(_actor, { limit, startingAfter, since, order, type, intentId, paymentLink }) {
        const ordered = order === 'asc' ? events : events.toReversed()
        const position = ordered.findIndex(({ id }) => id === startingAfter)
        if (startingAfter !== null && position < 0) return 'unknown_cursor'
        const isOpenEnded = order === 'asc' && startingAfter !== null
        const isListed = (event: (typeof events)[number]) =>
          (isOpenEnded || event.createdAt.getTime() >= since) &&
          (type ?? event.type) === event.type &&
          (intentId ?? event.intentId) === event.intentId &&
          (paymentLink === null || paymentLink === intents.get(event.intentId ?? '')?.paymentLink)
        return pageOf(ordered.slice(position + 1), { limit, startingAfter: null }, isListed)
      },
      redeliver: async (_actor, id, endpointId) => webhooks.redeliver(id, endpointId),
    },
    webhookEndpoints: webhooks.store,
  }
}

function paymentIntentStore(
  records: Records,
  authorizations: Authorizations,
  chain: VirtualChain,
  { isRefunded, refundsOf }: Refunds,
): Omit<PaymentIntentStore, 'readTimeline'> {
  const { merchant, intents, transfers, creations, clock } = records

  const findCreation = (key: string) => {
    const creation = creations.get(key)
    return creation && clock.now - creation.at < windows.idempotency * 1_000 ? creation : undefined
  }

  function findEarlier({ key, fingerprint }: NonNullable<NewPaymentIntent['idempotency']>) {
    const creation = findCreation(key)
    if (!creation) return null
    return creation.fingerprint === fingerprint ? creation : ({ type: 'mismatch' } as const)
  }

  /** An origin without TLS is allowed in test mode only. */
  const isReturnOrigin = (origin: string) =>
    records.returnOrigins.some((allowed) => allowed.origin === origin) &&
    (origin.startsWith('https:') || merchant.mode === 'testnet')

  function create(creation: NewPaymentIntent): StoredCreation {
    const { terms, operation, idempotency, reservesAmount, payer, secretKey } = creation
    // The prefix separates the service's keys from the merchant's.
    const creationKey = idempotency && { ...idempotency, key: `${operation} ${idempotency.key}` }
    const earlier = creationKey && findEarlier(creationKey)
    if (earlier) return earlier
    const intent = openIntent(records, terms, { reservesAmount })
    if (!intent) return { type: 'no_payable_amount_left' }
    const { begin, response } = presentNew(intent)
    const created = { response: begin + response, secretKey }
    if (payer) records.visits.set(intent.id, payer)
    if (creationKey) {
      const { key, fingerprint } = creationKey
      creations.set(key, { type: 'replayed', ...created, fingerprint, at: clock.now })
    }
    return { type: 'created', ...created }
  }

  /** Whether every transfer to the intent's wallet belongs to the intent. */
  function hasExclusiveAddress(intent: Intent): boolean {
    const isMerchants = Object.values(merchant.wallets).includes(intent.wallet)
    const isAmbiguous = records.waitedFor().some(({ id, chain, wallet }) => {
      return id !== intent.id && chain === intent.chain && wallet === intent.wallet
    })
    return !isMerchants && !isAmbiguous
  }

  return {
    find: async (_actor, id) => intents.get(id) ?? null,
    findStatus: async (id) => intents.get(id)?.status ?? null,
    async findForCheckout(id): Promise<CheckoutIntent | null> {
      const intent = intents.get(id)
      if (!intent) return null
      const nearMisses = [...transfers.values()].toReversed().filter((transfer) => {
        const isNear = transfer.suggestions.some(
          ({ intentId, match }) => intentId === id && match !== 'payer',
        )
        return isNear && transfer.intentId === null && !transfer.orphaned
      })
      return {
        ...{ intent, merchantName: merchant.name },
        ...{ support: merchant.support, guide: merchant.guide },
        nearMisses: nearMisses.slice(0, limits.nearMisses),
        exclusiveAddress: hasExclusiveAddress(intent),
        linkDescription: records.links.get(intent.paymentLink ?? '')?.description ?? null,
        authorization: authorizations.of(id),
        refunds: refundsOf(id),
      }
    },
    async markOpened(id, time) {
      const intent = intents.get(id)
      if (intent?.openedAt === null) intents.set(id, { ...intent, openedAt: time })
    },
    async list(_actor, filter) {
      /** Orphaned transfers included. */
      const credited = ({ id }: Intent) =>
        [...transfers.values()].filter(({ intentId }) => intentId === id)
      return pageOf([...intents.values()].toReversed(), filter, (intent) =>
        isIntentListed(intent, credited(intent), filter),
      )
    },
    withIdempotencyLock: (_merchant, _idempotency, work) => work(),
    findEarlier: async (_actor, { key, fingerprint }) =>
      findEarlier({ key: `createPaymentIntent ${key}`, fingerprint }),
    create: async (creation) => create(creation),
    async underLock({ merchantId, mode }, ids, decide) {
      const isInFlight = authorizations.isInFlight(ids.intent)
      const result = applyAction(records, { ...ids, isInFlight }, decide, isRefunded)
      if (result.type !== 'done') return result
      chain.readHead(result.intent.chain)
      const events = result.events.map((event): WrittenEvent => {
        return { ...event, merchantId, mode, transferId: null, refundId: null }
      })
      return { ...result, events }
    },
    async reserveAmount(id) {
      const intent = intents.get(id)
      if (!intent || !canReserve(intent) || !records.visits.has(id)) return
      const amount = firstFree(intent, records.waitedFor())
      if (amount === undefined) return
      intents.set(id, withReserved(intent, amount))
      records.notify()
    },
    async insertHandoff({ intentId, origin }) {
      if (origin !== null && !isReturnOrigin(origin)) return 'origin_not_registered'
      const intent = intents.get(intentId)
      const expiresAt = (intent?.expiresAt ?? 0) * 1_000
      if (!intent || !isOpen(intent.status) || expiresAt <= clock.now) return 'ended'
      return new Date(Math.min(clock.now + windows.handoff * 1_000, expiresAt))
    },
  }
}
