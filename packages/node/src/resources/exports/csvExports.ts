import { type ExportCsv, endpoints } from '@payment-intents/contract'
import type { ReadOptions } from '../../options/options.ts'
import { streamMethod } from '../../requests/method.ts'
import type { Send } from '../../requests/send.ts'

/** `client.exports`. */
export type CsvExports = {
  /**
   * Streams a period's payment intents, transfers or refunds as CSV, newest first: an async iterable of pieces of its text,
   * however long it is. Each iteration is a request. Take the pieces as they come: the service ends an export whose reader
   * takes nothing for a minute.
   *
   * A request is retried until the text begins. After that a failure throws, and the text so far is not whole. `timeout` is for
   * the beginning, and for each wait after it; `deadline` is for the beginning.
   *
   * @param params.created_after RFC 3339, itself included
   * @param params.created_before RFC 3339, itself not included
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
