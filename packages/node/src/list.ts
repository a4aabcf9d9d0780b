import {
  type Endpoint,
  endpoints,
  type Operation,
  type Page,
  type ParametersOf,
} from '@payment-intents/contract'
import { requestOf } from './call.ts'
import type { ReadOptions } from './options.ts'
import { invalid, issuesOf } from './parameters.ts'
import type { Call, Send } from './send.ts'

/**
 * A list. Awaiting it gives the first page; iterating it gives all items and requests further pages as needed.
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

type Listed<Name extends Operation> = {
  readonly id?: string
  readonly params?: (ParametersOf<Name> & object) | undefined
  /** The property of the last item that the next page starts after; `id` by default. */
  readonly cursor?: string
}

/** Requests the first page at once. */
export function list<Name extends Operation, Item extends object>(
  send: Send,
  operation: Name,
  listed: Listed<Name>,
  options?: ReadOptions,
): List<Item> {
  const { query, answer }: Endpoint = endpoints[operation]
  const { cursor = 'id' } = listed
  const params: object = listed.params === undefined ? {} : listed.params
  const prepare = (startingAfter: string | undefined): Call => {
    const issues = query ? issuesOf(query, params) : []
    if (issues.length > 0) throw invalid(issues)
    const { path, ...request } = requestOf(operation, listed)
    // The server's ids may have any form.
    const from = startingAfter === undefined ? {} : { starting_after: startingAfter }
    return {
      ...request,
      path: path + search({ ...params, ...from }),
      issuesOf: (body) => issuesOf(answer, body),
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
        page = await read(String(Reflect.get(last, cursor)))
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
