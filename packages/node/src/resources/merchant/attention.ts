import {
  type AttentionItem,
  endpoints,
  type ListAttention,
  type Metadata,
} from '@payment-intents/contract'
import type { ReadOptions } from '../../options/clientOptions.ts'
import type { List } from '../../requests/list.ts'
import { method } from '../../requests/method.ts'
import type { Send } from '../../requests/send.ts'

export type AttentionResource<M = Metadata> = {
  /**
   * Lists the objects that somebody has to decide on or look into, newest first: unmatched transfers, payment intents
   * that are underpaid, late, overpaid or reversed, refunds that wait, and webhook endpoints that fail. Await it for
   * the first page; iterate it for all items. An item leaves the list once it is dealt with.
   *
   * @param params `limit` is the page size, 1 to 100, 10 by default; `type` excludes all other types
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * const client = createClient()
   * for await (const item of client.attention.list()) {
   *   if (item.type === 'transfer_unmatched') console.log(item.transfer.id, item.transfer.suggestions)
   * }
   * ```
   */
  list(params?: ListAttention, options?: ReadOptions): List<AttentionItem<M>>
}

export function attention(send: Send): AttentionResource {
  return { list: method(send, endpoints.listAttention) }
}
