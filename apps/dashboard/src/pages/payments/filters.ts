import type { ListPaymentIntents } from '@payment-intents/contract'
import { chainNames } from '@payment-intents/contract/chains'

/** The filters in the page's address; other parameters are dropped. */
export type Filters = {
  readonly q?: string
  readonly status?: NonNullable<ListPaymentIntents['status']>
  readonly chain?: NonNullable<ListPaymentIntents['chain']>
  readonly payment_link?: string
}

export const statuses = [
  'requires_payment',
  'pending_confirmations',
  'succeeded',
  'expired',
  'canceled',
] as const

export function readFilters(search: Record<string, unknown>): Filters {
  const status = statuses.find((each) => each === search.status)
  const chain = chainNames.find((each) => each === search.chain)
  const { q, payment_link } = search
  return {
    // The router parses a number in an address as a number.
    ...(q === undefined || q === '' ? {} : { q: String(q) }),
    ...(status ? { status } : {}),
    ...(chain ? { chain } : {}),
    ...(typeof payment_link === 'string' ? { payment_link } : {}),
  }
}
