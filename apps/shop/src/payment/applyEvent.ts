import type { DatabaseSync } from 'node:sqlite'
import type { Event, ListedRefund, RetrievedPaymentIntent } from '@payment-intents/node'
import { findOrder, findOrderOfPayment, type Order, recordSighting } from '../db/orders.ts'
import { type Delivery, findFirstDelivery, insertDelivery } from '../db/receivedDeliveries.ts'
import { recordRefund } from '../db/refunds.ts'
import { runTransaction } from '../db/runTransaction.ts'

export type Applied = Pick<Delivery, 'outcome' | 'order_id'>

/**
 * Applies an event once, even if it is delivered often, by webhook or catch-up: its changes and its delivery are stored in one transaction.
 * Its payment must be the order's own, regardless of its metadata. A refund belongs to the order whose payment it refunds.
 */
export function applyEvent(
  db: DatabaseSync,
  event: Event,
  via: Delivery['via'],
  now: Date,
): Applied {
  return runTransaction(db, () => {
    const first = findFirstDelivery(db, event.id)
    const applied: Applied = first
      ? { outcome: 'repeat', order_id: first.order_id }
      : apply(db, event, now)
    // A catch-up also lists events that webhooks have delivered; these are not recorded again.
    if (!first || via === 'webhook') {
      const { id, type } = event
      const received_at = now.toISOString()
      insertDelivery(db, { ...applied, received_at, via, event_id: id, type, reason: null })
    }
    return applied
  })
}

function apply(db: DatabaseSync, event: Event, now: Date): Applied {
  const refund = refundOf(event)
  if (refund) return applyRefund(db, refund, event.sequence)
  const payment = paymentOf(event)
  if (!payment) return { outcome: 'nothing_to_do', order_id: null }
  // A payer of the poster has no order.
  if (payment.payment_link !== null) {
    const isSold = event.type === 'payment_intent.succeeded'
    return { outcome: isSold ? 'sold_by_link' : 'nothing_to_do', order_id: null }
  }
  const order = orderOf(db, payment)
  if (!order) return { outcome: 'unknown_order', order_id: null }
  const { status, version, tx_hash, exceptions } = payment
  const sighting = { status, version, tx_hash, exceptions }
  return { outcome: recordSighting(db, order.id, sighting, now), order_id: order.id }
}

function applyRefund(db: DatabaseSync, refund: ListedRefund, sequence: number): Applied {
  const order = refund.payment_intent && findOrderOfPayment(db, refund.payment_intent)
  // A refund that was created elsewhere, such as in a dashboard, is signed, too.
  if (!order || refund.metadata.order_id !== order.id) {
    return { outcome: 'unknown_order', order_id: null }
  }
  return { outcome: recordRefund(db, order.id, refund, sequence), order_id: order.id }
}

function orderOf(db: DatabaseSync, payment: RetrievedPaymentIntent): Order | undefined {
  const { order_id } = payment.metadata
  const order = typeof order_id === 'string' ? findOrder(db, order_id) : undefined
  return order?.payment_intent_id === payment.id ? order : undefined
}

function refundOf(event: Event): ListedRefund | undefined {
  switch (event.type) {
    case 'refund.created':
    case 'refund.updated':
    case 'refund.pending':
    case 'refund.succeeded':
    case 'refund.canceled':
    case 'refund.reversed':
      return event.data.object
    default:
      return undefined
  }
}

function paymentOf(event: Event): RetrievedPaymentIntent | undefined {
  switch (event.type) {
    case 'payment_intent.created':
    case 'payment_intent.pending_confirmations':
    case 'payment_intent.succeeded':
    case 'payment_intent.expired':
    case 'payment_intent.canceled':
    case 'payment_intent.underpaid':
    case 'payment_intent.overpaid':
    case 'payment_intent.paid_late':
    case 'payment_intent.reorged':
    case 'payment_intent.reversed':
      return event.data.object
    default:
      return undefined
  }
}
