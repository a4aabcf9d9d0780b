import { type RetrievedPaymentIntent, type Transfer, usdcDecimals } from '@payment-intents/contract'
import type { Client } from '../createClient.ts'
import { decimal } from './asText.ts'
import { csvRecord } from './csv.ts'

export type Exported = {
  readonly what: 'payments' | 'transfers'
  /** RFC 3339, itself included. */
  readonly from: string
  /** RFC 3339, itself not included. */
  readonly to: string
}

/** Characters that are written at once. */
const chunk = 64 * 1024

/** A period's payments or transfers as CSV, the newest first, in pieces: no more than a page is in memory. */
export async function* exportCsv(
  client: Client,
  { what, from, to }: Exported,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  const period = { created_after: from, created_before: to, limit: 100 }
  const options = signal ? { signal } : {}
  let text = csvRecord(Object.keys(what === 'payments' ? paymentColumns : transferColumns))
  const records =
    what === 'payments'
      ? recordsOf(client.listPaymentIntents(period, options), paymentColumns)
      : recordsOf(client.listTransfers(period, options), transferColumns)
  for await (const record of records) {
    text += record
    if (text.length < chunk) continue
    yield text
    text = ''
  }
  yield text
}

type Columns<Item> = Readonly<Record<string, (item: Item) => string | number | boolean | null>>

async function* recordsOf<Item>(items: AsyncIterable<Item>, columns: Columns<Item>) {
  for await (const item of items) {
    yield csvRecord(Object.values(columns).map((column) => column(item)))
  }
}

const paymentColumns: Columns<RetrievedPaymentIntent> = {
  id: ({ id }) => id,
  created_at: ({ created_at }) => created_at,
  status: ({ status }) => status,
  exceptions: ({ exceptions }) => exceptions.join(' '),
  mode: ({ mode }) => mode,
  chain: ({ chain }) => chain,
  token: ({ token_symbol }) => token_symbol,
  amount_units: ({ amount_units }) => amount_units,
  amount: ({ amount_units }) => decimal(amount_units, usdcDecimals),
  payable_amount_units: ({ payable_amount_units }) => payable_amount_units,
  payable_amount: ({ payable_amount_units }) => decimal(payable_amount_units, usdcDecimals),
  amount_received_units: ({ amount_received_units }) => amount_received_units,
  amount_received: ({ amount_received_units }) => decimal(amount_received_units, usdcDecimals),
  tx_hash: ({ tx_hash }) => tx_hash,
  wallet: ({ expected_wallet }) => expected_wallet,
  payment_reference: ({ payment_reference }) => payment_reference,
  expires_at: ({ expires_at }) => expires_at,
  metadata: ({ metadata }) => JSON.stringify(metadata),
}

const transferColumns: Columns<Transfer> = {
  id: ({ id }) => id,
  created_at: ({ created_at }) => created_at,
  block_timestamp: ({ block_timestamp }) => block_timestamp,
  chain: ({ chain }) => chain,
  chain_id: ({ chain_id }) => chain_id,
  block_number: ({ block_number }) => block_number,
  tx_hash: ({ tx_hash }) => tx_hash,
  log_index: ({ log_index }) => log_index,
  from: ({ from }) => from,
  to: ({ to }) => to,
  token_address: ({ token_address }) => token_address,
  amount_units: ({ amount_units }) => amount_units,
  amount: ({ amount_units }) => decimal(amount_units, usdcDecimals),
  payment_intent: ({ payment_intent }) => payment_intent,
  bound_by: ({ bound_by }) => bound_by,
  reason: ({ reason }) => reason,
  orphaned: ({ orphaned }) => orphaned,
}
