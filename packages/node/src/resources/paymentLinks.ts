import {
  type CreatePaymentLink,
  endpoints,
  type ListPaymentLinks,
  type Metadata,
  type PaymentLink,
  type UpdatePaymentLink,
} from '@payment-intents/contract'
import type { CallOptions, ReadOptions } from '../options/clientOptions.ts'
import type { List } from '../requests/list.ts'
import { method } from '../requests/method.ts'
import type { Send } from '../requests/send.ts'

export type PaymentLinks<M = Metadata> = {
  /**
   * Creates a payment link. Retried safely under one idempotency key.
   *
   * @param params `amount_units` in units of 0.000001 USDC, see `toUnits`; null: the payer names the amount, from `min_units` to
   *   `max_units`
   * @returns the link; its `url` may be published
   * @throws PaymentIntentsError `wallet_invalid` if the merchant has no wallet on a chain of the link, or `conflict`
   *   with reason `illegal_state` if too many are active
   * @example
   * ```ts
   * import { createClient, toUnits } from '@payment-intents/node'
   *
   * const link = await createClient().paymentLinks.create({
   *   amount_units: toUnits('40.00'),
   *   description: 'Guitar lesson',
   *   max_payments: 1,
   * })
   * console.log(link.url)
   * ```
   */
  create(params: CreatePaymentLink<M>, options?: CallOptions): Promise<PaymentLink<M>>

  /**
   * Retrieves a payment link.
   *
   * @throws PaymentIntentsError `not_found` when this merchant has no such link in this mode
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function urlOf(id: string): Promise<string> {
   *   return (await createClient().paymentLinks.retrieve(id)).url
   * }
   * ```
   */
  retrieve(id: string, options?: ReadOptions): Promise<PaymentLink<M>>

  /**
   * Lists payment links, newest first. Await it for the first page; iterate it for all items.
   *
   * @param params `limit` is the page size, 1 to 100, 10 by default
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * for await (const link of createClient().paymentLinks.list({ active: true })) {
   *   console.log(link.url, link.description)
   * }
   * ```
   */
  list(params?: ListPaymentLinks, options?: ReadOptions): List<PaymentLink<M>>

  /**
   * Changes, deactivates or activates a payment link. Its amount and its chains cannot change: create another link.
   * Idempotent.
   *
   * @param params the changes; `metadata` is replaced as a whole
   * @throws PaymentIntentsError `conflict` with reason `illegal_state` for fewer `max_payments` than are used, or if
   *   too many links are active; or `not_found`
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export function turnOff(id: string) {
   *   return createClient().paymentLinks.update(id, { active: false })
   * }
   * ```
   */
  update(id: string, params: UpdatePaymentLink<M>, options?: ReadOptions): Promise<PaymentLink<M>>
}

export function paymentLinks(send: Send): PaymentLinks {
  return {
    create: method(send, endpoints.createPaymentLink),
    retrieve: method(send, endpoints.retrievePaymentLink),
    list: method(send, endpoints.listPaymentLinks),
    update: method(send, endpoints.updatePaymentLink),
  }
}
