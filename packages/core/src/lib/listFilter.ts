import { type Address, limits, type RequestOf } from '@payment-intents/contract'

/** The filters that lists of intents and of transfers share. Addresses and hashes are lower-case; null: no filter. */
export type IntentAndTransferFilter = {
  readonly limit: number
  /** The id to continue after. */
  readonly startingAfter: string | null
  readonly txHash: string | null
  readonly payer: Address | null
  readonly wallet: Address | null
  readonly reference: string | null
  readonly amount: number | null
  /** Unix milliseconds, inclusive. */
  readonly createdAfter: number | null
  /** Unix milliseconds, exclusive. */
  readonly createdBefore: number | null
}

/** Unix milliseconds of a filter; null: there is none. */
export function filterTime(text: string | undefined): number | null {
  return text === undefined ? null : Date.parse(text)
}

export function toIntentAndTransferFilter(
  query: RequestOf<'listPaymentIntents' | 'listTransfers'>['query'],
): IntentAndTransferFilter {
  const { tx_hash, payer, wallet, reference, created_after, created_before } = query
  const lower = (text: string | undefined) => text?.toLowerCase() ?? null
  return {
    limit: query.limit ?? limits.pageSize.default,
    startingAfter: query.starting_after ?? null,
    txHash: lower(tx_hash),
    payer: lower(payer) as Address | null,
    wallet: lower(wallet) as Address | null,
    reference: lower(reference),
    amount: query.amount_units ?? null,
    createdAfter: filterTime(created_after),
    createdBefore: filterTime(created_before),
  }
}
