import { createHmac } from 'node:crypto'
import type { EventOf } from '@payment-intents/contract'
import { intent } from './stubServer.ts'

export const secret = `whsec_${Buffer.from('a webhook secret of 32 bytes ...').toString('base64')}`

const { client_secret: _, expires_in_minutes: __, ...retrieved } = intent

/** An event as the service sends it. */
export const event = {
  id: 'evt_01k9zv3m0q8x7c5b2n4t6w1y3zabcd',
  type: 'payment_intent.succeeded',
  created_at: '2030-01-01T00:00:00.000Z',
  mode: 'testnet',
  sequence: 3,
  data: {
    object: {
      ...retrieved,
      status: 'succeeded',
      payment_reference: `0x${'ab'.repeat(32)}`,
      created_at: '2029-12-31T23:45:00.000Z',
      payable_amount_units: 25_000_100,
      payment_link: null,
      version: 4,
      amount_received_units: 25_000_100,
      amount_refunded_units: 0,
      amount_refunding_units: 0,
      opened_at: null,
      succeeded_at: '2029-12-31T23:50:00.000Z',
      confirmations: 5,
      tx_hash: `0x${'cd'.repeat(32)}`,
      exceptions: [],
      metadata: { order_id: 'Bestellung № 7 🧾' },
    },
  },
} as EventOf<'payment_intent.succeeded'>

export const body = JSON.stringify(event)

type Delivery = { secret?: string; id?: string; timestamp?: number | string }
type Headers = { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string }

/** Signs by Standard Webhooks v1, with another library than the code under test. */
export function sign(body: string | Uint8Array, delivery: Delivery = {}): Headers {
  const { id = event.id, timestamp = Math.floor(Date.now() / 1000) } = delivery
  const key = Buffer.from((delivery.secret ?? secret).slice('whsec_'.length), 'base64')
  const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${hmac.digest('base64')}`,
  }
}
