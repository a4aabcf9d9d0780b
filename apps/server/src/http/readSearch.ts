import { type Address, limits, type RequestOf } from '@payment-intents/contract'
import type { Search } from '../db/search.ts'

type Asked = RequestOf<'listPaymentIntents' | 'listTransfers'>['query']

/** What both lists can be searched by. */
export function readSearch(query: Asked): Search {
  const { tx_hash, payer, wallet, reference, created_after, created_before } = query
  const lower = (text: string | undefined) => text?.toLowerCase() ?? null
  const time = (text: string | undefined) => (text === undefined ? null : Date.parse(text))
  return {
    limit: query.limit ?? limits.pageSize.default,
    startingAfter: query.starting_after ?? null,
    txHash: lower(tx_hash),
    payer: lower(payer) as Address | null,
    wallet: lower(wallet) as Address | null,
    reference: lower(reference),
    amount: query.amount_units ?? null,
    createdAfter: time(created_after),
    createdBefore: time(created_before),
  }
}
