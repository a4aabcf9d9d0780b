import type { AttentionType } from '@payment-intents/contract'
import type { Page } from '../lib/presentPage.ts'
import type { Intent } from '../payment-intents/intent.ts'
import type { RefundWithSource } from '../refunds/retrieveRefund.ts'
import type { Actor } from '../service.ts'
import type { ListedTransfer } from '../transfers/store.ts'
import type { StoredEndpoint } from '../webhook-endpoints/store.ts'

/** An item's position in the list. It stays the same when earlier items come and go. */
export type AttentionCursor = {
  /** Unix milliseconds. */
  readonly since: number
  /** The object's id. */
  readonly id: string
}

export type AttentionFilter = {
  readonly limit: number
  /** The position to continue after. */
  readonly startingAfter: AttentionCursor | null
  readonly type: AttentionType | null
}

/** An object that somebody has to decide on. */
export type AttentionObject =
  | { readonly noun: 'transfer'; readonly transfer: ListedTransfer }
  | { readonly noun: 'payment_intent'; readonly intent: Intent }
  | ({ readonly noun: 'refund' } & RefundWithSource)
  | { readonly noun: 'webhook_endpoint'; readonly endpoint: StoredEndpoint }

export type AttentionItem = AttentionCursor & {
  readonly type: AttentionType
  readonly object: AttentionObject
}

export type AttentionStore = {
  /** Newest first; items of one time by descending id. */
  list(actor: Actor, filter: AttentionFilter): Promise<Page<AttentionItem>>
}
