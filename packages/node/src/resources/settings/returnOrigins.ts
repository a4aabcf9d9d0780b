import {
  type CreateReturnOrigin,
  type DeletedReturnOrigin,
  endpoints,
  type ReturnOrigin,
} from '@payment-intents/contract'
import type { ReadOptions } from '../../options/clientOptions.ts'
import { deleteOnce } from '../../requests/deleteOnce.ts'
import type { List } from '../../requests/list.ts'
import { method } from '../../requests/method.ts'
import type { Send } from '../../requests/send.ts'

export type ReturnOrigins = {
  /**
   * Allows the merchant's pages to lead back to an origin, as `return_url` of a payment link or of a handoff. Idempotent.
   *
   * @returns the existing object if the origin is already allowed
   * @throws PaymentIntentsError `invalid_body` for anything but https and a host, or `conflict` with reason `illegal_state` if
   *   the maximum number of origins is allowed
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * await createClient().returnOrigins.create({ origin: 'https://shop.example.com' })
   * ```
   */
  create(params: CreateReturnOrigin, options?: ReadOptions): Promise<ReturnOrigin>

  /**
   * Lists the origins in alphabetical order, in one page.
   *
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * const { data: origins } = await createClient().returnOrigins.list()
   * console.log(origins.map(({ origin }) => origin))
   * ```
   */
  list(options?: ReadOptions): List<ReturnOrigin>

  /**
   * Disallows an origin. Pages of payment links no longer lead back to it.
   *
   * @throws PaymentIntentsError `not_found`
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function disallow(id: string): Promise<void> {
   *   await createClient().returnOrigins.delete(id)
   * }
   * ```
   */
  delete(id: string, options?: ReadOptions): Promise<DeletedReturnOrigin>
}

export function returnOrigins(send: Send): ReturnOrigins {
  return {
    create: method(send, endpoints.createReturnOrigin),
    list: method(send, endpoints.listReturnOrigins),
    delete: deleteOnce(method(send, endpoints.deleteReturnOrigin)),
  }
}
