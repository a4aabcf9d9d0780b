import type { ListedRefund, RetrievedPaymentIntent, Transfer } from '@payment-intents/contract'
import { type GuessedSearch, guessSearch } from '@payment-intents/core/search'
import { read } from '../../api/api.ts'
import { isApiError } from '../../api/apiError.ts'

export type SearchResult = {
  /** Each interpretation of the searched text. */
  readonly searched: readonly string[]
  readonly payments: readonly RetrievedPaymentIntent[]
  /** Transfers that are credited to no payment. */
  readonly unmatched: readonly Transfer[]
  readonly refunds: readonly ListedRefund[]
}

type Hits = Omit<SearchResult, 'searched'>

const limit = 20
const none: Hits = { payments: [], unmatched: [], refunds: [] }

/** Finds payments, transfers and refunds by a text that identifies them: `cart=1042` searches metadata `cart`. */
export async function searchByText(text: string, signal: AbortSignal): Promise<SearchResult> {
  const [, key = 'order_id', value = text] = /^([\w.-]{1,40})[=:](\S.*)$/.exec(text) ?? []
  const isAddress = /^https?:/.test(text)
  const searches = isAddress ? guessSearch(text, key) : guessSearch(value, key)
  const hits = await Promise.all(searches.map((each) => run(each, signal)))
  const transfers = unique(hits.flatMap(({ unmatched }) => unmatched))
  const payments = unique(hits.flatMap((hit) => hit.payments))
  const paymentIds = new Set(payments.map(({ id }) => id))
  const others = new Set(transfers.flatMap(({ payment_intent: id }) => id ?? []))
  const credited = await Promise.all(
    [...others].filter((id) => !paymentIds.has(id)).map((id) => retrieve(id, signal)),
  )
  return {
    searched: searches.map(({ as }) => as),
    payments: [...payments, ...credited.flat()].sort((a, b) => (a.id < b.id ? 1 : -1)),
    unmatched: transfers.filter(({ payment_intent }) => payment_intent === null),
    refunds: unique(hits.flatMap(({ refunds }) => refunds)),
  }
}

async function run(search: GuessedSearch, signal: AbortSignal): Promise<Hits> {
  if ('id' in search) return { ...none, payments: await retrieve(search.id, signal) }
  if ('refundId' in search) {
    const refunds = await orNone(() => read('/v1/refunds/{id}', { id: search.refundId }, signal))
    return { ...none, refunds }
  }
  const { payments, transfers, refunds } = search
  const [paid, moved, returned] = await Promise.all([
    payments ? read('/v1/payment_intents', { ...payments, limit }, signal) : null,
    transfers ? read('/v1/transfers', { ...transfers, limit }, signal) : null,
    refunds ? read('/v1/refunds', { ...refunds, limit }, signal) : null,
  ])
  return {
    payments: paid?.data ?? [],
    unmatched: moved?.data ?? [],
    refunds: (returned?.data ?? []) as ListedRefund[],
  }
}

function retrieve(id: string, signal: AbortSignal): Promise<RetrievedPaymentIntent[]> {
  return orNone(() => read('/v1/payment_intents/{id}', { id }, signal))
}

async function orNone<Item>(find: () => Promise<Item>): Promise<Item[]> {
  try {
    return [await find()]
  } catch (error) {
    if (isApiError(error, 'not_found')) return []
    throw error
  }
}

function unique<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [item.id, item])).values()]
}
