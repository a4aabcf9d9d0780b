import type { DatabaseSync } from 'node:sqlite'
import { runTransaction } from './runTransaction.ts'

export type Order = {
  readonly id: string
  readonly product_id: string
  readonly amount_units: number
  readonly lane: string
  readonly payment_intent_id: string
  readonly client_secret: string
  readonly mode: string
  readonly chain: string
  /** The payment's status as this backend last received it. */
  readonly status: string
  /** The intent's version at that time; 0 until the first event. */
  readonly version: number
  readonly tx_hash: string | null
  readonly expires_at: string
  readonly created_at: string
  readonly fulfilled_at: string | null
}

/** A status of the payment and when this backend received it. */
export type Transition = { readonly status: string; readonly seen_at: string }

/** The state of a payment in an event. */
export type Sighting = {
  readonly status: string
  readonly version: number
  readonly tx_hash: string | null
  readonly exceptions: readonly string[]
}

export function insertOrder(db: DatabaseSync, order: Order): void {
  runTransaction(db, () => {
    db.prepare(`
      INSERT INTO orders (id, product_id, amount_units, lane, payment_intent_id, client_secret,
        mode, chain, status, version, tx_hash, expires_at, created_at, fulfilled_at)
      VALUES (:id, :product_id, :amount_units, :lane, :payment_intent_id, :client_secret,
        :mode, :chain, :status, :version, :tx_hash, :expires_at, :created_at, :fulfilled_at)
    `).run(order)
    insertTransition(db, order.id, order, order.created_at)
  })
}

export function findOrder(db: DatabaseSync, id: string): Order | undefined {
  return db.prepare('SELECT * FROM orders WHERE id = ?').get(id) as Order | undefined
}

export function findOrderOfPayment(db: DatabaseSync, intentId: string): Order | undefined {
  return db.prepare('SELECT * FROM orders WHERE payment_intent_id = ?').get(intentId) as
    | Order
    | undefined
}

/** In the order in which they occurred, not were received; of equal consecutive statuses only the first. */
export function findTransitions(db: DatabaseSync, orderId: string): Transition[] {
  return db
    .prepare(`
      SELECT status, seen_at FROM (
        SELECT *, lag(status) OVER (ORDER BY position) AS before
        FROM transitions WHERE order_id = ?
      )
      WHERE before IS NOT status ORDER BY position
    `)
    .all(orderId) as Transition[]
}

/**
 * Records the state of an order's payment, inside the caller's transaction. A state older than the order's is only added
 * to the history, so that sightings may be repeated and out of order.
 *
 * Returns `fulfilled` once per order, for the sighting that pays it. A reorged payment fulfils nothing, whatever its
 * status.
 */
export function recordSighting(
  db: DatabaseSync,
  orderId: string,
  { exceptions, ...sighting }: Sighting,
  now: Date,
): 'fulfilled' | 'recorded' | 'old_news' {
  const seen_at = now.toISOString()
  insertTransition(db, orderId, sighting, seen_at)
  const { changes } = db
    .prepare(`
      UPDATE orders SET status = :status, version = :version, tx_hash = :tx_hash
      WHERE id = :id AND version < :version
    `)
    .run({ ...sighting, id: orderId })
  if (changes === 0) return 'old_news'
  if (sighting.status !== 'succeeded' || exceptions.includes('reorged')) return 'recorded'
  const fulfilled = db
    .prepare('UPDATE orders SET fulfilled_at = :seen_at WHERE id = :id AND fulfilled_at IS NULL')
    .run({ id: orderId, seen_at })
  return fulfilled.changes === 1 ? 'fulfilled' : 'recorded'
}

/** An intent's version is the position of its status in the history; several events may have the same version. */
function insertTransition(
  db: DatabaseSync,
  orderId: string,
  { status, version }: Pick<Sighting, 'status' | 'version'>,
  seenAt: string,
): void {
  db.prepare(`
    INSERT INTO transitions (order_id, position, status, seen_at) VALUES (?, ?, ?, ?)
    ON CONFLICT DO NOTHING
  `).run(orderId, version, status, seenAt)
}
