import {
  type AssignTransfer,
  endpoints,
  type ListTransfers,
  type Metadata,
  type RetrievedPaymentIntent,
  type Transfer,
} from '@payment-intents/contract'
import type { CallOptions, ReadOptions } from '../options/clientOptions.ts'
import type { List } from '../requests/list.ts'
import { method } from '../requests/method.ts'
import type { Send } from '../requests/send.ts'

export type Transfers<M = Metadata> = {
  /**
   * Lists transfers to the merchant's wallets, newest first, including unmatched transfers. Await it for the first
   * page; iterate it for all items.
   *
   * @param params `limit` is the page size, 1 to 100, 10 by default; `amount_units` is in units of 0.000001 USDC
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * const client = createClient()
   * for await (const transfer of client.transfers.list({ matched: false })) {
   *   console.log(transfer.reason, transfer.from, transfer.amount_units)
   * }
   * ```
   */
  list(params?: ListTransfers, options?: ReadOptions): List<Transfer>

  /**
   * Credits an unmatched transfer to a payment intent, or moves a transfer there from another intent at the same
   * wallet, unless it is part of that intent's payment. Idempotent.
   *
   * @returns the payment intent
   * @throws PaymentIntentsError `conflict` with reason `illegal_state` when it is part of another intent's payment, or
   *   `not_found`
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export function credit(transferId: string, intentId: string) {
   *   return createClient().transfers.assign(transferId, { payment_intent: intentId })
   * }
   * ```
   */
  assign(
    id: string,
    params: AssignTransfer,
    options?: CallOptions,
  ): Promise<RetrievedPaymentIntent<M>>
}

export function transfers(send: Send): Transfers {
  return {
    list: method(send, endpoints.listTransfers),
    assign: method(send, endpoints.assignTransfer),
  }
}
