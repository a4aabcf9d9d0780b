import {
  type ListedRefund,
  type RetrievedPaymentIntent,
  type Transfer,
  usdcDecimals,
} from '@payment-intents/contract'
import type { Client } from '@payment-intents/node'
import { decimal } from '../output/asText.ts'
import { csvRecord } from './csv.ts'

export type Exported = {
  readonly what: 'payments' | 'transfers' | 'refunds'
  /** RFC 3339, itself included. */
  readonly from: string
  /** RFC 3339, itself not included. */
  readonly to: string
}

/** Characters that are written at once. */
const chunk = 64 * 1024

/** A period's payments, transfers or refunds as CSV, the newest first, in pieces: no more than a page is in memory. */
export async function* exportCsv(
  client: Client,
  { what, from, to }: Exported,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  const period = { created_after: from, created_before: to, limit: 100 }
  const options = signal ? { signal } : {}
  const tables = {
    payments: () => recordsOf(client.paymentIntents.list(period, options), paymentColumns),
    transfers: () => recordsOf(client.transfers.list(period, options), transferColumns),
    refunds: () => recordsOf(client.refunds.list(period, options), refundColumns),
  }
  let text = ''
  for await (const record of tables[what]()) {
    text += record
    if (text.length < chunk) continue
    yield text
    text = ''
  }
  yield text
}

type Value = string | number | boolean | null
type Columns<Item> = Readonly<Record<string, (item: Item) => Value>>

async function* recordsOf<Item>(items: AsyncIterable<Item>, columns: Columns<Item>) {
  yield csvRecord(Object.keys(columns))
  for await (const item of items) {
    yield csvRecord(Object.values(columns).map((column) => column(item)))
  }
}

/** Columns that are fields as they are. */
function fields<Name extends string>(...names: readonly Name[]) {
  const columns = names.map((name) => [name, (item: Record<Name, Value>) => item[name]])
  return Object.fromEntries(columns) as Columns<Record<Name, Value>>
}

const paymentColumns: Columns<RetrievedPaymentIntent> = {
  ...fields('id', 'created_at', 'status'),
  exceptions: ({ exceptions }) => exceptions.join(' '),
  ...fields('mode', 'chain'),
  token: ({ token_symbol }) => token_symbol,
  amount_units: ({ amount_units }) => amount_units,
  amount: ({ amount_units }) => decimal(amount_units, usdcDecimals),
  payable_amount_units: ({ payable_amount_units }) => payable_amount_units,
  payable_amount: ({ payable_amount_units }) => decimal(payable_amount_units, usdcDecimals),
  amount_received_units: ({ amount_received_units }) => amount_received_units,
  amount_received: ({ amount_received_units }) => decimal(amount_received_units, usdcDecimals),
  tx_hash: ({ tx_hash }) => tx_hash,
  wallet: ({ expected_wallet }) => expected_wallet,
  ...fields('payment_reference', 'expires_at', 'payment_link'),
  metadata: ({ metadata }) => JSON.stringify(metadata),
}

const transferColumns: Columns<Transfer> = {
  ...fields('id', 'created_at', 'block_timestamp', 'chain', 'chain_id', 'block_number', 'tx_hash'),
  ...fields('log_index', 'from', 'to', 'token_address', 'amount_units'),
  amount: ({ amount_units }) => decimal(amount_units, usdcDecimals),
  ...fields('payment_intent', 'bound_by', 'reason', 'orphaned'),
}

const refundColumns: Columns<ListedRefund> = {
  ...fields('id', 'created_at', 'status', 'mode', 'chain', 'chain_id'),
  token: ({ token_symbol }) => token_symbol,
  ...fields('token_address', 'amount_units'),
  amount: ({ amount_units }) => decimal(amount_units, usdcDecimals),
  ...fields('from', 'from_verified', 'destination', 'destination_proof', 'tx_hash'),
  ...fields('payment_intent', 'transfer', 'refund_reference', 'reason'),
  metadata: ({ metadata }) => JSON.stringify(metadata),
}
