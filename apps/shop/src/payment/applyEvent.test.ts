import type { DatabaseSync } from 'node:sqlite'
import type { Event, EventType, ListedRefund } from '@payment-intents/node'
import { webhookEvent } from '@payment-intents/testing/webhooks'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newFolder } from '../../../../tests/support/newFolder.ts'
import { anOrder } from '../../test/anOrder.ts'
import { openShopDatabase } from '../db/openShopDatabase.ts'
import { findOrder, findTransitions, insertOrder } from '../db/orders.ts'
import { findDeliveries, findDeliveriesOf, insertRefused } from '../db/receivedDeliveries.ts'
import { findRefunds } from '../db/refunds.ts'
import { applyEvent } from './applyEvent.ts'

let db: DatabaseSync

beforeEach(() => {
  db = openShopDatabase(newFolder())
  insertOrder(db, anOrder)
})

afterEach(() => db.close())

/** An event of the order's payment with this version. */
function paymentEvent(
  type: EventType,
  version: number,
  object: { id?: string; metadata?: Record<string, unknown>; payment_link?: string } = {},
): Event {
  const payment = { id: 'pi_1', metadata: { order_id: anOrder.id }, version, ...object }
  return webhookEvent(type, { id: `evt_${type}_${version}`, object: payment })
}

/** An event of a refund of the order's payment. */
function refundEvent(
  type: 'refund.created' | 'refund.updated' | 'refund.pending' | 'refund.succeeded',
  sequence: number,
  object: Partial<ListedRefund> = {},
): Event {
  const { id: order_id, payment_intent_id: payment_intent } = anOrder
  const refund = { id: 're_1', payment_intent, metadata: { order_id }, ...object }
  return webhookEvent(type, { id: `evt_${type}_${sequence}`, sequence, object: refund })
}

function take(event: Event, second: number) {
  const at = new Date(Date.UTC(2026, 0, 1, 0, 0, second))
  return applyEvent(db, event, 'webhook', at).outcome
}

function statuses() {
  return findTransitions(db, anOrder.id).map(({ status }) => status)
}

const created = () => paymentEvent('payment_intent.created', 1)
const pending = () => paymentEvent('payment_intent.pending_confirmations', 2)
const succeeded = () => paymentEvent('payment_intent.succeeded', 3)

test('an order follows its payment, with the time at which each status was first seen', () => {
  expect([created(), pending(), succeeded()].map(take)).toEqual([
    'recorded',
    'recorded',
    'fulfilled',
  ])
  expect(findTransitions(db, anOrder.id)).toEqual([
    { status: 'requires_payment', seen_at: anOrder.created_at },
    { status: 'pending_confirmations', seen_at: '2026-01-01T00:00:01.000Z' },
    { status: 'succeeded', seen_at: '2026-01-01T00:00:02.000Z' },
  ])
  expect(findOrder(db, anOrder.id)).toMatchObject({
    status: 'succeeded',
    version: 3,
    tx_hash: expect.stringMatching(/^0x/),
    fulfilled_at: '2026-01-01T00:00:02.000Z',
  })
})

test('a late event completes the history and changes nothing else', () => {
  expect([succeeded(), pending(), created()].map(take)).toEqual([
    'fulfilled',
    'old_news',
    'old_news',
  ])
  expect(findOrder(db, anOrder.id)).toMatchObject({
    status: 'succeeded',
    version: 3,
    fulfilled_at: '2026-01-01T00:00:00.000Z',
  })
  expect(statuses()).toEqual(['requires_payment', 'pending_confirmations', 'succeeded'])
})

test('a payment that is reorged and restored has its full history recorded', () => {
  for (const event of [
    pending(),
    paymentEvent('payment_intent.reorged', 3),
    paymentEvent('payment_intent.pending_confirmations', 4),
  ])
    take(event, 1)
  expect(statuses()).toEqual([
    'requires_payment',
    'pending_confirmations',
    'requires_payment',
    'pending_confirmations',
  ])
})

test('a repeated event is recorded for a webhook and not for a catch-up', () => {
  expect([succeeded(), succeeded()].map(take)).toEqual(['fulfilled', 'repeat'])
  applyEvent(db, succeeded(), 'catch_up', new Date())
  expect(findDeliveriesOf(db, anOrder.id)).toMatchObject([
    { outcome: 'repeat', received_at: '2026-01-01T00:00:01.000Z' },
    { outcome: 'fulfilled', received_at: '2026-01-01T00:00:00.000Z' },
  ])
})

test('an order is fulfilled once in its life, though its payment succeeds again', () => {
  const events = [
    succeeded(),
    paymentEvent('payment_intent.reversed', 4),
    paymentEvent('payment_intent.succeeded', 5),
  ]
  expect(events.map(take)).toEqual(['fulfilled', 'recorded', 'recorded'])
  expect(findOrder(db, anOrder.id)?.fulfilled_at).toBe('2026-01-01T00:00:00.000Z')
})

test('a success that a reorg has removed fulfils nothing until the payment is back', () => {
  const events = [
    paymentEvent('payment_intent.reversed', 4),
    succeeded(),
    paymentEvent('payment_intent.succeeded', 5),
  ]
  expect(events.map(take)).toEqual(['recorded', 'old_news', 'fulfilled'])
})

test.each([
  'payment_intent.pending_confirmations',
  'payment_intent.expired',
  'payment_intent.canceled',
  'payment_intent.underpaid',
  'payment_intent.paid_late',
  'payment_intent.reorged',
] as const)('%s fulfils nothing', (type) => {
  expect(take(paymentEvent(type, 2), 1)).toBe('recorded')
  expect(findOrder(db, anOrder.id)?.fulfilled_at).toBeNull()
})

test('a payment of the poster is fulfilled without an order', () => {
  const paid = paymentEvent('payment_intent.succeeded', 3, { payment_link: 'plink_1' })
  expect(take(paid, 1)).toBe('sold_by_link')
  const opened = paymentEvent('payment_intent.created', 1, { payment_link: 'plink_1' })
  expect(take(opened, 2)).toBe('nothing_to_do')
})

test.each([
  ['of an unknown order', { metadata: { order_id: 'ord_2' } }],
  ['without an order', { metadata: {} }],
  ['whose order id is not text', { metadata: { order_id: 1 } }],
  ['that is not the payment of its order', { id: 'pi_2' }],
])('a payment %s fulfils nothing', (_, object) => {
  expect(take(paymentEvent('payment_intent.succeeded', 3, object), 1)).toBe('unknown_order')
  expect(findOrder(db, anOrder.id)).toEqual(anOrder)
})

test('an event that is not about a payment, or of a type added later, is recorded', () => {
  const later = { ...succeeded(), type: 'payment_intent.blessed' } as unknown as Event
  expect(take(webhookEvent('transfer.unmatched'), 1)).toBe('nothing_to_do')
  expect(take(later, 2)).toBe('nothing_to_do')
  expect(findDeliveries(db).map(({ type }) => type)).toEqual([
    'payment_intent.blessed',
    'transfer.unmatched',
  ])
  expect(findOrder(db, anOrder.id)).toEqual(anOrder)
})

test('a refund is recorded with its latest state, regardless of the order of its events', () => {
  const events = [
    refundEvent('refund.pending', 3),
    refundEvent('refund.created', 1),
    refundEvent('refund.succeeded', 4),
    refundEvent('refund.succeeded', 4),
    refundEvent('refund.updated', 2),
  ]
  const outcomes = ['recorded', 'old_news', 'recorded', 'repeat', 'old_news']
  expect(events.map(take)).toEqual(outcomes)
  expect(findRefunds(db, anOrder.id)).toMatchObject([
    { id: 're_1', status: 'succeeded', sequence: 4, tx_hash: expect.stringMatching(/^0x/) },
  ])
  expect(findOrder(db, anOrder.id)).toEqual(anOrder)
})

test.each([
  ['of another payment', { payment_intent: 'pi_2' }],
  ['of a transfer without an order', { payment_intent: null, transfer: 'tr_1' }],
  ['that another client created', { metadata: {} }],
])('a refund %s is recorded for no order', (_, object) => {
  expect(take(refundEvent('refund.created', 1, object), 1)).toBe('unknown_order')
  expect(findRefunds(db, anOrder.id)).toEqual([])
})

test('an event is applied in one transaction, and can be applied when it is repeated', () => {
  db.exec(`
    CREATE TRIGGER full BEFORE INSERT ON deliveries
    BEGIN SELECT RAISE(ABORT, 'the disk is full'); END
  `)
  expect(() => take(succeeded(), 1)).toThrow('the disk is full')
  db.exec('DROP TRIGGER full')
  expect(findOrder(db, anOrder.id)).toEqual(anOrder)
  expect(statuses()).toEqual(['requires_payment'])
  expect(findDeliveries(db)).toEqual([])
  expect(take(succeeded(), 2)).toBe('fulfilled')
})

test('the last fifty refused deliveries are kept, and every event', () => {
  take(succeeded(), 1)
  for (let index = 0; index < 60; index++)
    insertRefused(db, `signature_mismatch_${index}`, new Date())
  const stored = findDeliveries(db)
  expect(stored).toHaveLength(51)
  expect([stored.at(0)?.reason, stored.at(-1)?.outcome]).toEqual([
    'signature_mismatch_59',
    'fulfilled',
  ])
})
