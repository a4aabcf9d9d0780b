import { intent, json, type Reply } from './stubServer.ts'

const { client_secret, expires_in_minutes, ...commonFields } = intent
/** In lists, in events and in the response to an action. */
export const listed = {
  ...commonFields,
  payment_reference: `0x${'ab'.repeat(32)}`,
  created_at: '2029-12-31T23:30:00.000Z',
  payable_amount_units: 25_000_000,
  payment_link: null,
  version: 1,
  amount_received_units: 0,
  amount_refunded_units: 0,
  amount_refunding_units: 0,
  opened_at: null,
  succeeded_at: null,
  confirmations: 0,
  tx_hash: null,
  exceptions: [],
}
export const retrieved = {
  ...listed,
  links: { page: 'https://pay.example.com/checkout/#pi_01_secret_topsecret', x402: null },
}

export const event = {
  id: 'evt_01',
  type: 'payment_intent.created',
  created_at: '2029-12-31T23:30:00.000Z',
  mode: 'testnet',
  sequence: 1,
  data: { object: listed },
}
export const transfer = {
  id: 'tr_01',
  chain: 'base',
  chain_id: 84532,
  tx_hash: `0x${'cd'.repeat(32)}`,
  log_index: 0,
  block_number: 17,
  block_timestamp: '2029-12-31T23:30:00.000Z',
  from: intent.expected_wallet,
  to: intent.expected_wallet,
  amount_units: 1,
  token_address: intent.token_address,
  payment_intent: null,
  bound_by: null,
  reason: 'no_intent',
  suggestions: [],
  orphaned: false,
  created_at: '2029-12-31T23:30:00.000Z',
}

export const receipt = {
  payment_intent: 'pi_01',
  merchant_name: 'Kiosk',
  chain: 'base',
  chain_id: 84532,
  token_address: intent.token_address,
  expected_wallet: intent.expected_wallet,
  amount_units: 1,
  expires_at: '2030-01-01T00:00:00.000Z',
  salt: `0x${'ab'.repeat(32)}`,
  payment_reference: `0x${'cd'.repeat(32)}`,
  transfers: [{ ...transfer, bound_by: 'reference' }],
  metadata: {},
}

export function id(prefix: 'pi' | 'evt' | 'tr', number: number): string {
  return `${prefix}_${String(number).padStart(30, '0')}`
}

export function page(items: readonly unknown[], hasMore: boolean): Reply {
  return json(200, { data: items, has_more: hasMore })
}
