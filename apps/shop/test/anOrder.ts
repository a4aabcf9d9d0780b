import type { Order } from '../src/db/orders.ts'

export const anOrder: Order = {
  id: 'ord_1',
  product_id: 'mug',
  amount_units: 2 ** 53 - 1,
  lane: 'sdk',
  payment_intent_id: 'pi_1',
  client_secret: 'pi_1_secret_1',
  mode: 'testnet',
  chain: 'base',
  status: 'requires_payment',
  version: 0,
  tx_hash: null,
  expires_at: '2026-01-01T00:30:00.000Z',
  created_at: '2026-01-01T00:00:00.000Z',
  fulfilled_at: null,
}
