import { chainFactsOf, limits, type RequestOf } from '@payment-intents/contract'
import { csvHeaders } from '../http/headers.ts'
import { filterTime } from '../lib/listFilter.ts'
import type { Page } from '../lib/presentPage.ts'
import { presentInEvent } from '../payment-intents/present.ts'
import { presentInRefundEvent } from '../refunds/presentRefund.ts'
import type { Actor, Handler, Store } from '../service.ts'
import { presentTransfer } from '../transfers/presentTransfer.ts'
import { type Columns, paymentIntentColumns, refundColumns, transferColumns } from './columns.ts'
import { csvRecord } from './csv.ts'

/** The payment intents, transfers or refunds of a period, newest first. */
export const exportCsv: Handler<'exportCsv'> = async ({ store }, { actor, query }) => {
  const { columns, list } = tables[query.what]
  const readPage: FetchPage = (startingAfter) =>
    list(store, actor, { ...unfiltered, ...periodOf(query), startingAfter })
  // A failure before the first byte is still an error response.
  const first = await readPage(null)
  return { headers: csvHeaders(fileName(query)), pieces: csvOf(columns, first, readPage) }
}

type Query = RequestOf<'exportCsv'>['query']
type Period = { readonly createdAfter: number | null; readonly createdBefore: number | null }
/** The item's `id` in the store, and its record. */
type Row = { readonly id: string; readonly record: string }
type FetchPage = (startingAfter: string | null) => Promise<Page<Row>>
type Filter = Period & typeof unfiltered & { readonly startingAfter: string | null }
type Table = {
  readonly columns: readonly string[]
  readonly list: (store: Store, actor: Actor, filter: Filter) => Promise<Page<Row>>
}

/** The filter of a list that only the period narrows. */
const unfiltered = {
  ...{ limit: limits.pageSize.max, txHash: null, payer: null, wallet: null, reference: null },
  ...{ amount: null, status: null, chain: null, intentId: null },
} as const

const tables: Readonly<Record<Query['what'], Table>> = {
  payment_intents: table(
    paymentIntentColumns,
    (store, actor, filter) =>
      store.paymentIntents.list(actor, { ...filter, paymentLink: null, metadata: [] }),
    (intent) => JSON.parse(presentInEvent(intent)),
  ),
  transfers: table(
    transferColumns,
    (store, actor, filter) => store.transfers.list(actor, { ...filter, matched: null }),
    (transfer) => presentTransfer(transfer, chainFactsOf(transfer.chainId)),
  ),
  refunds: table(
    refundColumns,
    (store, actor, filter) =>
      store.refunds.list(actor, { ...filter, transferId: null, destination: null, from: null }),
    (refund) => JSON.parse(presentInRefundEvent(refund)),
  ),
}

/** @param present returns an item as in responses, which is all that columns read */
function table<Stored extends { readonly id: string }, Item>(
  columns: Columns<Item>,
  list: (store: Store, actor: Actor, filter: Filter) => Promise<Page<Stored>>,
  present: (stored: Stored) => Item,
): Table {
  const values = Object.values(columns)
  function toRow(stored: Stored): Row {
    const item = present(stored)
    return { id: stored.id, record: csvRecord(values.map((value) => value(item))) }
  }
  return {
    columns: Object.keys(columns),
    async list(store, actor, filter) {
      const { items, hasMore } = await list(store, actor, filter)
      return { items: items.map(toRow), hasMore }
    },
  }
}

/** Characters of a chunk. */
const pieceLength = 64 * 1024

/** The file in chunks. A page is read when the reader has consumed the previous page. */
async function* csvOf(
  columns: readonly string[],
  first: Page<Row>,
  readPage: FetchPage,
): AsyncGenerator<string> {
  let text = csvRecord(columns)
  for (let page = first; ; ) {
    for (const { record } of page.items) {
      text += record
      if (text.length < pieceLength) continue
      yield text
      text = ''
    }
    const last = page.items.at(-1)
    if (!page.hasMore || !last) break
    page = await readPage(last.id)
  }
  if (text !== '') yield text
}

function periodOf({ created_after, created_before }: Query): Period {
  return { createdAfter: filterTime(created_after), createdBefore: filterTime(created_before) }
}

/** `transfers_from_2026-01-01_before_2026-02-01.csv` */
function fileName({ what, created_after, created_before }: Query): string {
  const parts = [
    what,
    ...(created_after === undefined ? [] : ['from', dateOf(created_after)]),
    ...(created_before === undefined ? [] : ['before', dateOf(created_before)]),
  ]
  return `${parts.join('_')}.csv`
}

/** Formats midnight in UTC as its date, and another time without the characters that file systems refuse. */
function dateOf(time: string): string {
  const [date = '', clock = ''] = new Date(time).toISOString().split('T')
  return clock === '00:00:00.000Z' ? date : `${date}T${clock.slice(0, 8).replaceAll(':', '')}Z`
}
