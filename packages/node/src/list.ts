import type { Page } from '@payment-intents/contract'
import type { ReadOptions } from './options.ts'
import { invalid, issuesOf, type Schema } from './parameters.ts'
import type { Call, Send } from './send.ts'

/**
 * A list: awaited, its first page; iterated, all its items, each further page being asked for when it is needed.
 *
 * @example
 * ```ts
 * import { createClient } from '@payment-intents/node'
 *
 * const client = createClient()
 * const { data, has_more } = await client.listPaymentIntents({ limit: 20 })
 * for await (const intent of client.listPaymentIntents({ status: 'succeeded' })) {
 *   console.log(intent.id, intent.amount_received_units)
 * }
 * ```
 */
export type List<Item> = Promise<Page<Item>> & AsyncIterable<Item>

type Endpoint<Item> = {
  /** Throws where it would hold what is no id. */
  path(): string
  /** Of its query. */
  readonly params: Schema
  readonly page: Schema
  /** What the page after this item begins after. */
  cursor(item: Item): string
}

/** Asks for the first page at once. */
export function list<Item>(
  send: Send,
  endpoint: Endpoint<Item>,
  params: Record<string, unknown>,
  options?: ReadOptions,
): List<Item> {
  const prepare = (startingAfter: string | undefined): Call => {
    const issues = issuesOf(endpoint.params.safeParse(params))
    if (issues.length > 0) throw invalid(issues)
    // Of whatever form the ids of this server are.
    const cursor = startingAfter === undefined ? {} : { starting_after: startingAfter }
    return {
      method: 'GET',
      path: endpoint.path() + search({ ...params, ...cursor }),
      issuesOf: (body) => issuesOf(endpoint.page.safeParse(body)),
    }
  }
  const read = async (startingAfter?: string): Promise<Page<Item>> =>
    (await send(() => prepare(startingAfter), options)) as Page<Item>
  const first = read()
  return Object.assign(first, {
    async *[Symbol.asyncIterator]() {
      for (let page = await first; ; ) {
        yield* page.data
        const last = page.data.at(-1)
        if (!page.has_more || !last) return
        page = await read(endpoint.cursor(last))
      }
    },
  })
}

/** `metadata: { a: 'b' }` becomes `metadata[a]=b`. */
function search(query: Record<string, unknown>): string {
  const pairs = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    if (typeof value !== 'object' || value === null) pairs.append(name, String(value))
    else {
      for (const [key, text] of Object.entries(value)) pairs.append(`${name}[${key}]`, String(text))
    }
  }
  const text = pairs.toString()
  return text && `?${text}`
}
