import type { Page } from '@payment-intents/contract'
import { optionIssues } from '@payment-intents/contract/options'
import { rejected } from '../errors/paymentIntentsError.ts'
import { unreadable } from './parameters.ts'

/**
 * A list. Awaiting it gives the first page; iterating it gives all items and requests further pages as needed.
 *
 * @example
 * ```ts
 * import { createClient } from '@payment-intents/node'
 *
 * const client = createClient()
 * const { data, has_more } = await client.paymentIntents.list({ limit: 20 })
 * for await (const intent of client.paymentIntents.list({ status: 'succeeded' })) {
 *   console.log(intent.id, intent.amount_received_units)
 * }
 * ```
 */
export type List<Item> = Promise<Page<Item>> &
  AsyncIterable<Item> & {
    /**
     * Collects the first items of the list, over as many pages as needed. To get more, iterate the list.
     *
     * @param options.limit the most items to collect, 1 to 10,000; the `limit` of the list is the size of a page
     * @throws PaymentIntentsError `invalid_body` without such a limit
     * @example
     * ```ts
     * import { createClient } from '@payment-intents/node'
     *
     * const { transfers } = createClient()
     * const unmatched = await transfers
     *   .list({ matched: false, limit: 100 })
     *   .autoPagingToArray({ limit: 1_000 })
     * console.log(unmatched.length)
     * ```
     */
    autoPagingToArray(options: { limit: number }): Promise<Item[]>
  }

/** All of them are in memory at once. */
const maxItems = 10_000

/**
 * Requests the first page at once.
 *
 * @param cursor the field of the last item, after which the next page starts
 */
export function list<Item extends object>(
  readPage: (startingAfter?: string) => Promise<Page<Item>>,
  cursor: string,
): List<Item> {
  const first = readPage()
  async function* iterate() {
    for (let page = await first; ; ) {
      yield* page.data
      const last = page.data.at(-1)
      if (!page.has_more || !last) return
      page = await readPage(String(Reflect.get(last, cursor)))
    }
  }
  return Object.assign(first, {
    [Symbol.asyncIterator]: iterate,
    async autoPagingToArray(options: { limit: number }) {
      // Unless it is iterated, nobody awaits the first page, and its failure would be an unhandled rejection.
      first.catch(() => {})
      const limit = checkLimit(options)
      const items: Item[] = []
      for await (const item of iterate()) {
        if (items.push(item) === limit) break
      }
      return items
    },
  })
}

/** @throws PaymentIntentsError `invalid_body` */
function checkLimit(options: unknown): number {
  const { limit, issues } = readLimit(options)
  if (issues.length === 0 && Number.isInteger(limit) && limit >= 1 && limit <= maxItems) {
    return limit
  }
  const message = `Pass \`limit\`, the most items to collect: an integer from 1 to ${maxItems}. For more items, iterate the list.`
  const [first = { path: 'limit', message }, ...others] = issues
  throw rejected('invalid_body', `autoPagingToArray: ${first.message}`, [first, ...others])
}

/** @throws PaymentIntentsError `invalid_body` if a getter throws */
function readLimit(options: unknown) {
  try {
    return { issues: optionIssues(options, { limit: true }), limit: Object(options).limit }
  } catch {
    throw unreadable('The options of autoPagingToArray')
  }
}
