import { chainFactsOf, limits } from '@payment-intents/contract'
import { presentPage } from '../lib/presentPage.ts'
import { linksOf } from '../payment-intents/links.ts'
import { presentInEvent, withLinks } from '../payment-intents/present.ts'
import { presentStored } from '../refunds/retrieveRefund.ts'
import type { Handler, Service } from '../service.ts'
import { presentTransfer } from '../transfers/presentTransfer.ts'
import { presentEndpoint } from '../webhook-endpoints/webhookEndpoints.ts'
import type { AttentionCursor, AttentionItem, AttentionObject } from './store.ts'

export const listAttention: Handler<'listAttention'> = async (service, { actor, query }) => {
  const page = await service.store.attention.list(actor, {
    limit: query.limit ?? limits.pageSize.default,
    startingAfter: query.starting_after === undefined ? null : parseCursor(query.starting_after),
    type: query.type ?? null,
  })
  return { body: presentPage(page, (item) => presentItem(service, item)) }
}

function presentItem(service: Service, item: AttentionItem): string {
  const { type, since, object } = item
  const place = { type, since: new Date(since).toISOString(), cursor: formatCursor(item) }
  // Insert the object's text unchanged: parsing could change its metadata.
  return `${JSON.stringify(place).slice(0, -1)},"${object.noun}":${presentObject(service, object)}}`
}

/** The object as its own endpoint returns it. */
function presentObject(service: Service, object: AttentionObject): string {
  switch (object.noun) {
    case 'transfer': {
      const { transfer } = object
      return JSON.stringify(presentTransfer(transfer, chainFactsOf(transfer.chainId)))
    }
    case 'payment_intent': {
      const { intent } = object
      const links = linksOf(service, intent, service.secrets.currentKey())
      return withLinks(presentInEvent(intent), links)
    }
    case 'refund':
      return presentStored(service, object)
    case 'webhook_endpoint':
      return JSON.stringify(presentEndpoint(object.endpoint))
  }
}

function formatCursor({ since, id }: AttentionCursor): string {
  return `${since}_${id}`
}

function parseCursor(cursor: string): AttentionCursor {
  const at = cursor.indexOf('_')
  return { since: Number(cursor.slice(0, at)), id: cursor.slice(at + 1) }
}
