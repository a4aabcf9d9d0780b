import { endpoints, type RetrieveSummary, type Summary } from '@payment-intents/contract'
import type { ReadOptions } from '../../options/clientOptions.ts'
import { method } from '../../requests/method.ts'
import type { Send } from '../../requests/send.ts'

/** Named after the resource, since the API calls its object the same. */
export type SummaryResource = {
  /**
   * Retrieves the amounts received and refunded in a period, in smallest token units, exact to the unit: by chain, by
   * `bound_by`, and with `interval` by hour or day. Payments and refunds count when they succeeded;
   * `created_count`, `opened_count` and `paid_count` count the payment intents that were created in the period.
   *
   * @param params.from inclusive, on a quarter of an hour
   * @param params.to exclusive, whole hours after `from`; at most 366 days, 31 in hours
   * @param params.time_zone in which the days of `interval: 'day'` begin; `UTC` by default
   * @throws PaymentIntentsError `invalid_body`
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * const { totals, series } = await createClient().summary.retrieve({
   *   from: '2026-01-01T00:00:00+01:00',
   *   to: '2026-02-01T00:00:00+01:00',
   *   interval: 'day',
   *   time_zone: 'Europe/Berlin',
   * })
   * console.log(totals.net_units / 1_000_000, 'USDC', series?.length)
   * ```
   */
  retrieve(params: RetrieveSummary, options?: ReadOptions): Promise<Summary>
}

export function summary(send: Send): SummaryResource {
  return { retrieve: method(send, endpoints.retrieveSummary) }
}
