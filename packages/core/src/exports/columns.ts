import {
  type ListedRefund,
  type RetrievedPaymentIntent,
  type Transfer,
  usdcDecimals,
} from '@payment-intents/contract'
import { formatUnits } from 'viem'

type Value = string | number | boolean | null

/** The columns of a file: each is a field of an item in responses, or derived from a field. */
export type Columns<Item> = Readonly<Record<string, (item: Item) => Value>>

/** Columns that are unchanged fields. */
function fields<Name extends string>(...names: readonly Name[]) {
  const columns = names.map((name) => [name, (item: Record<Name, Value>) => item[name]])
  return Object.fromEntries(columns) as Columns<Record<Name, Value>>
}

export const paymentIntentColumns: Columns<RetrievedPaymentIntent> = {
  ...fields('id', 'created_at', 'status'),
  exceptions: ({ exceptions }) => exceptions.join(' '),
  ...fields('mode', 'chain'),
  token: ({ token_symbol }) => token_symbol,
  amount_units: ({ amount_units }) => amount_units,
  amount: ({ amount_units }) => decimal(amount_units),
  payable_amount_units: ({ payable_amount_units }) => payable_amount_units,
  payable_amount: ({ payable_amount_units }) => decimal(payable_amount_units),
  amount_received_units: ({ amount_received_units }) => amount_received_units,
  amount_received: ({ amount_received_units }) => decimal(amount_received_units),
  tx_hash: ({ tx_hash }) => tx_hash,
  wallet: ({ expected_wallet }) => expected_wallet,
  ...fields('payment_reference', 'expires_at', 'succeeded_at', 'payment_link'),
  metadata: ({ metadata }) => JSON.stringify(metadata),
}

export const transferColumns: Columns<Transfer> = {
  ...fields('id', 'created_at', 'block_timestamp', 'chain', 'chain_id', 'block_number', 'tx_hash'),
  ...fields('log_index', 'from', 'to', 'token_address', 'amount_units'),
  amount: ({ amount_units }) => decimal(amount_units),
  ...fields('payment_intent', 'bound_by', 'reason', 'orphaned'),
}

export const refundColumns: Columns<ListedRefund> = {
  ...fields('id', 'created_at', 'succeeded_at', 'status', 'mode', 'chain', 'chain_id'),
  token: ({ token_symbol }) => token_symbol,
  ...fields('token_address', 'amount_units'),
  amount: ({ amount_units }) => decimal(amount_units),
  ...fields('from', 'from_verified', 'destination', 'destination_proof', 'tx_hash'),
  ...fields('payment_intent', 'transfer', 'refund_reference', 'reason'),
  metadata: ({ metadata }) => JSON.stringify(metadata),
}

/** `25.00`; more than two decimals only if they are not zero. */
function decimal(units: number): string {
  const [integer, fraction = ''] = formatUnits(BigInt(units), usdcDecimals).split('.')
  return `${integer}.${fraction.padEnd(2, '0')}`
}
