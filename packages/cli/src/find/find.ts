import type {
  ListedRefund,
  Page,
  RetrievedPaymentIntent,
  Transfer,
} from '@payment-intents/contract'
import { type GuessedSearch, guessSearch } from '@payment-intents/core/search'
import type { Client } from '@payment-intents/node'
import { isPaymentIntentsError } from '@payment-intents/node'

export type SearchResult = {
  /** Each interpretation of the searched text. */
  readonly searched: readonly string[]
  /** Newest first, each with its credited transfers and its refunds. */
  readonly payments: readonly Payment[]
  /** Transfers that are credited to no payment. */
  readonly unmatched: readonly Transfer[]
  /** Refunds of unmatched transfers. */
  readonly refunds: readonly ListedRefund[]
  /** Whether there are more matches. */
  readonly hasMore: boolean
}

export type Payment = {
  readonly intent: RetrievedPaymentIntent
  readonly transfers: readonly Transfer[]
  readonly refunds: readonly ListedRefund[]
}

/** The most results of each search. */
const limit = 10

/** Finds payments, unmatched transfers and refunds by any text that identifies them. */
export async function find(client: Client, text: string, key: string): Promise<SearchResult> {
  const queries = guessSearch(text, key)
  const pages = await Promise.all(queries.map((query) => search(client, query)))
  const transfers = unique(pages.flatMap(({ transfers }) => transfers.data))
  const refunds = unique(pages.flatMap(({ refunds }) => refunds.data))
  const intents = unique(pages.flatMap(({ intents }) => intents.data))
  const named = [...transfers, ...refunds].flatMap(({ payment_intent: id }) => id ?? [])
  const intentIds = new Set(intents.map(({ id }) => id))
  const others = [...new Set(named)].filter((id) => !intentIds.has(id))
  for (const id of others) {
    const intent = await retrieveIntent(client, id)
    if (intent) intents.push(intent)
  }

  const payments: Payment[] = []
  for (const intent of newestFirst(intents)) {
    const filter = { payment_intent: intent.id, limit: 100 }
    const { data: credited } = await client.transfers.list(filter)
    const { data: paidBack } = await client.refunds.list(filter)
    payments.push({ intent, transfers: credited, refunds: paidBack })
  }
  const unmatched = transfers.filter(({ payment_intent }) => payment_intent === null)
  const ofUnmatched = await Promise.all(
    unmatched.map(({ id: transfer }) => client.refunds.list({ transfer, limit: 100 })),
  )
  const loose = [...refunds, ...ofUnmatched.flatMap(({ data }) => data)]
  return {
    searched: queries.map(({ as }) => as),
    payments,
    unmatched,
    refunds: newestFirst(unique(loose).filter(({ payment_intent }) => payment_intent === null)),
    hasMore: pages.some((page) => Object.values(page).some(({ has_more }) => has_more)),
  }
}

type SearchPages = {
  readonly intents: Page<RetrievedPaymentIntent>
  readonly transfers: Page<Transfer>
  readonly refunds: Page<ListedRefund>
}

const emptyPage = { data: [], has_more: false }
const emptyPages: SearchPages = { intents: emptyPage, transfers: emptyPage, refunds: emptyPage }

async function search(client: Client, query: GuessedSearch): Promise<SearchPages> {
  if ('id' in query) {
    const intent = await retrieveIntent(client, query.id)
    return { ...emptyPages, intents: { ...emptyPage, data: intent ? [intent] : [] } }
  }
  if ('refundId' in query) {
    const refund = await retrieveRefund(client, query.refundId)
    return { ...emptyPages, refunds: { ...emptyPage, data: refund ? [refund] : [] } }
  }
  const [intents, transfers, refunds] = await Promise.all([
    query.payments ? client.paymentIntents.list({ ...query.payments, limit }) : emptyPage,
    query.transfers ? client.transfers.list({ ...query.transfers, limit }) : emptyPage,
    query.refunds ? client.refunds.list({ ...query.refunds, limit }) : emptyPage,
  ])
  return { intents, transfers, refunds }
}

// Results are printed, piped and pasted: with the links, a reader could pay, open the checkout or set a refund's destination.

function retrieveIntent(client: Client, id: string): Promise<RetrievedPaymentIntent | undefined> {
  return orUndefined(async () => {
    const { links: _, ...intent } = await client.paymentIntents.retrieve(id)
    return intent
  })
}

function retrieveRefund(client: Client, id: string): Promise<ListedRefund | undefined> {
  return orUndefined(async () => {
    const { links: _, typed_data, signable_until, ...refund } = await client.refunds.retrieve(id)
    return refund
  })
}

async function orUndefined<Item>(retrieve: () => Promise<Item>): Promise<Item | undefined> {
  try {
    return await retrieve()
  } catch (error) {
    if (isPaymentIntentsError(error) && error.code === 'not_found') return undefined
    throw error
  }
}

function newestFirst<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  return [...items].sort((a, b) => (a.id < b.id ? 1 : -1))
}

function unique<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [item.id, item])).values()]
}
