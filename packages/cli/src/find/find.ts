import type { Page, RetrievedPaymentIntent, Transfer } from '@payment-intents/contract'
import type { Client } from '@payment-intents/node'
import { isPaymentIntentsError } from '@payment-intents/node'
import { guess, type Query } from './guess.ts'

export type Found = {
  /** What the text was taken for. */
  readonly searched: readonly string[]
  /** The newest first, each with the transfers that are credited to it. */
  readonly payments: readonly Payment[]
  /** Those that are credited to nothing. */
  readonly unmatched: readonly Transfer[]
  /** Whether there are more than these. */
  readonly hasMore: boolean
}

export type Payment = {
  readonly intent: RetrievedPaymentIntent
  readonly transfers: readonly Transfer[]
}

/** So many of each search. */
const limit = 10

/** Finds payments and unmatched transfers by whatever is known of them. */
export async function find(client: Client, text: string, key: string): Promise<Found> {
  const queries = guess(text, key)
  const answers = await Promise.all(queries.map((query) => ask(client, query)))
  const transfers = unique(answers.flatMap(({ transfers }) => transfers.data))
  const intents = unique(answers.flatMap(({ intents }) => intents.data))
  const credited = transfers.flatMap(({ payment_intent: id }) => (id === null ? [] : [id]))
  const known = new Set(intents.map(({ id }) => id))
  const others = [...new Set(credited)].filter((id) => !known.has(id))
  for (const id of others) {
    const intent = await retrieve(client, id)
    if (intent) intents.push(intent)
  }

  const payments: Payment[] = []
  for (const intent of intents.sort((a, b) => (a.id < b.id ? 1 : -1))) {
    const { data } = await client.transfers.list({ payment_intent: intent.id, limit: 100 })
    payments.push({ intent, transfers: data })
  }
  return {
    searched: queries.map(({ as }) => as),
    payments,
    unmatched: transfers.filter(({ payment_intent }) => payment_intent === null),
    hasMore: answers.some(({ intents, transfers }) => intents.has_more || transfers.has_more),
  }
}

type Answer = { intents: Page<RetrievedPaymentIntent>; transfers: Page<Transfer> }

const nothing = { data: [], has_more: false }

async function ask(client: Client, query: Query): Promise<Answer> {
  if ('id' in query) {
    const intent = await retrieve(client, query.id)
    return { intents: { ...nothing, data: intent ? [intent] : [] }, transfers: nothing }
  }
  const [intents, transfers] = await Promise.all([
    client.paymentIntents.list({ ...query.payments, limit }),
    query.transfers ? client.transfers.list({ ...query.transfers, limit }) : nothing,
  ])
  return { intents, transfers }
}

async function retrieve(client: Client, id: string): Promise<RetrievedPaymentIntent | undefined> {
  try {
    // What is found is printed, piped and pasted: links would let its readers pay and open the checkout.
    const { links: _, ...intent } = await client.paymentIntents.retrieve(id)
    return intent
  } catch (error) {
    if (isPaymentIntentsError(error) && error.code === 'not_found') return undefined
    throw error
  }
}

function unique<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [item.id, item])).values()]
}
