import { Webhook } from 'standardwebhooks'
import type { ArrivalRecord, ChainLog, EndpointRecord, Event, TrialRecord } from './trialRecord.ts'

const wallet = `0x${'a'.repeat(40)}`
const payer = `0x${'b'.repeat(40)}`
const reference = `0x${'c'.repeat(64)}`
const txHash = `0x${'1'.repeat(64)}`
const strayHash = `0x${'2'.repeat(64)}`
const endpoint: EndpointRecord = {
  ...{ path: 'all-0', secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`, types: null },
}
const signedAt = 1_800_000_000_000

const created = {
  ...{ id: 'pi_1', status: 'requires_payment', amount_units: 100, payable_amount_units: 101 },
  metadata: { order: 'order-1' },
}
const createdBody = JSON.stringify({
  ...created,
  client_secret: 'pi_1_secret_1',
  expires_in_minutes: 60,
})
const paid = {
  ...created,
  ...{ status: 'pending_confirmations', version: 2, amount_received_units: 101, exceptions: [] },
  tx_hash: txHash,
}
const intent = { ...paid, status: 'succeeded', version: 3 }

const log: ChainLog = {
  ...{ txHash, logIndex: 0, blockNumber: 10, from: payer, to: wallet, amount: 101n, reference },
}
const strayLog: ChainLog = { ...log, txHash: strayHash, amount: 7n, reference: null }
const transfer = {
  ...{ id: 'tr_1', tx_hash: txHash, log_index: 0, block_number: 10, from: payer, to: wallet },
  ...{ amount_units: 101, payment_intent: 'pi_1', orphaned: false },
}
const stray = {
  ...transfer,
  ...{ id: 'tr_2', tx_hash: strayHash, amount_units: 7, payment_intent: null },
}

const events: Event[] = [
  event(1, 'payment_intent.created', created),
  event(2, 'payment_intent.pending_confirmations', paid),
  event(3, 'payment_intent.succeeded', intent),
  { ...event(1, 'transfer.unmatched', stray), id: 'evt_4' },
]

/** The record of a run without faults: a paid order, and a transfer that pays no order. */
export const honestRecord: TrialRecord = {
  confirmationsRequired: 5,
  merchants: [
    {
      ...{ wallet, endpoints: [endpoint], events, intents: [intent], transfers: [transfer, stray] },
      retrieved: new Map([['pi_1', intent]]),
      followed: events.map(({ id }) => id),
    },
    {
      ...{ wallet: `0x${'d'.repeat(40)}`, endpoints: [], events: [], intents: [], transfers: [] },
      retrieved: new Map(),
      followed: [],
    },
  ],
  orders: [
    {
      ...{ key: 'order-1', merchant: 0, kind: 'paid_by_reference', intentId: 'pi_1' },
      responses: [createdBody, createdBody, createdBody],
    },
  ],
  payments: [
    { ...log, intentId: 'pi_1' },
    { ...strayLog, intentId: null },
  ],
  chain: {
    head: 20,
    logs: [log, strayLog],
    inclusions: [
      { txHash, block: 10, deepestHead: 20 },
      { txHash: strayHash, block: 10, deepestHead: 20 },
    ],
  },
  resolved: [
    { intentId: 'pi_1', version: 1, status: 'requires_payment' },
    { intentId: 'pi_1', version: 3, status: 'succeeded' },
  ],
  arrivals: events.map((event) => arrivalOf(event)),
  foreign: [{ request: 'GET /v1/payment_intents/pi_1', status: 404 }],
  texts: [{ where: 'a log', text: '{"msg":"following"}' }],
  secrets: [{ name: 'an API key', value: 'sk_test_0123456789' }],
  leaseLog: [
    { writer: 'server-0-1', action: 'taken' },
    { writer: 'server-0-1', action: 'written' },
    { writer: 'server-1-1', action: 'taken' },
    { writer: 'server-1-1', action: 'written' },
  ],
  ended: [],
}

/** An event as its endpoint received it. */
export function arrivalOf(event: Event, { secret } = endpoint): ArrivalRecord {
  const body = JSON.stringify(event)
  return {
    ...{ endpoint: endpoint.path, body, taken: true, at: signedAt },
    headers: {
      'webhook-id': event.id,
      'webhook-timestamp': String(signedAt / 1_000),
      'webhook-signature': new Webhook(secret).sign(event.id, new Date(signedAt), body),
    },
  }
}

export function event(sequence: number, type: string, object: Event['data']['object']): Event {
  return { id: `evt_${sequence}`, type, sequence, data: { object } }
}
