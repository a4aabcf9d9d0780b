import type { AttentionType } from '@payment-intents/contract'
import {
  type AttentionItem,
  type AttentionObject,
  type AttentionStore,
  attentionOfEndpoint,
  attentionOfTransfer,
} from '@payment-intents/core'
import type { Refunds } from '../refunds/refunds.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import type { Records } from './records.ts'

/** The items that need a decision. */
export function createAttention(
  { attention, transfers, intents, clock }: Records,
  refunds: Refunds,
  webhooks: Webhooks,
): AttentionStore {
  const itemOf = (
    id: string,
    type: AttentionType | null,
    since: number,
    object: AttentionObject,
  ): AttentionItem[] => (type === null ? [] : [{ id, type, since, object }])

  return {
    async list(actor, { limit, startingAfter, type }) {
      const items: AttentionItem[] = [...transfers.values()].flatMap((transfer) => {
        const { id, seenAt } = transfer
        const state = { ...transfer, isRefund: false, isRefunded: refunds.isRefunded(id) }
        return itemOf(id, attentionOfTransfer(state), seenAt, { noun: 'transfer', transfer })
      })
      for (const [id, { type, since }] of attention) {
        const intent = intents.get(id)
        const refund = intent ? null : await refunds.store.find(actor, id)
        if (intent) items.push(...itemOf(id, type, since, { noun: 'payment_intent', intent }))
        if (refund) items.push(...itemOf(id, type, since, { noun: 'refund', ...refund }))
      }
      for (const endpoint of await webhooks.store.list(actor)) {
        const failing = attentionOfEndpoint(endpoint, clock.now)
        const since = endpoint.failingSince?.getTime() ?? 0
        items.push(...itemOf(endpoint.id, failing, since, { noun: 'webhook_endpoint', endpoint }))
      }
      const listed = items
        .filter((item) => (type ?? item.type) === item.type)
        .filter((item) => startingAfter === null || isBefore(item, startingAfter))
        .sort((a, b) => (isBefore(a, b) ? 1 : -1))
      return { items: listed.slice(0, limit), hasMore: listed.length > limit }
    },
  }
}

type Place = Pick<AttentionItem, 'since' | 'id'>

/** Whether the first place is older. */
function isBefore(first: Place, second: Place): boolean {
  return first.since < second.since || (first.since === second.since && first.id < second.id)
}
