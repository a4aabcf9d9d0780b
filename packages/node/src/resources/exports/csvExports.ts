import { type ExportCsv, endpoints } from '@payment-intents/contract'
import type { ReadOptions } from '../../options/clientOptions.ts'
import { streamMethod } from '../../requests/method.ts'
import type { Send } from '../../requests/send.ts'

/** `client.exports`. */
export type CsvExports = {
  /**
   * Streams a period's payment intents, transfers or refunds as CSV of any length, newest first: an async iterable of
   * pieces of its text. Each iteration sends a request. Take the pieces as they arrive: the service ends an export
   * whose reader takes nothing for a minute.
   *
   * A request is retried until the text begins. After that a failure throws, and the text so far is incomplete.
   * `timeout` limits the wait for the beginning and each later wait; `deadline` limits only the wait for the beginning.
   *
   * @param params.created_after RFC 3339, inclusive
   * @param params.created_before RFC 3339, exclusive
   * @throws PaymentIntentsError
   * @example
   * ```ts
   * import { createWriteStream } from 'node:fs'
   * import { pipeline } from 'node:stream/promises'
   * import { createClient } from '@payment-intents/node'
   *
   * const client = createClient()
   *
   * export function writeJanuary(path: string): Promise<void> {
   *   const text = client.exports.csv({
   *     what: 'payment_intents',
   *     created_after: '2030-01-01T00:00:00Z',
   *     created_before: '2030-02-01T00:00:00Z',
   *   })
   *   return pipeline(text, createWriteStream(path))
   * }
   * ```
   */
  csv(params: ExportCsv, options?: ReadOptions): AsyncIterable<string>
}

export function csvExports(send: Send): CsvExports {
  return { csv: streamMethod(send, endpoints.exportCsv) }
}
