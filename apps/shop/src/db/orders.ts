import type { DatabaseSync } from 'node:sqlite'

export type Order = {
  readonly id: string
  readonly product_id: string
  readonly amount_units: number
  readonly lane: string
  readonly payment_intent_id: string
  readonly client_secret: string
  readonly mode: string
  readonly chain: string
  /** The payment's status as this backend last saw it. */
  readonly status: string
  /** Of the intent, at that moment; 0 until the first answer of resolve. */
  readonly version: number
  readonly tx_hash: string | null
  readonly expires_at: string
  readonly created_at: string
  readonly fulfilled_at: string | null
}

/** A status of the payment and when this backend saw it. */
export type Transition = { readonly status: string; readonly seen_at: string }

/** What the backend was told of a payment. */
export type Sighting = {
  readonly status: string
  readonly version: number
  readonly tx_hash: string | null
}

/** Past these a payment changes no more by itself. */
const settledStatuses = ['succeeded', 'expired', 'canceled']

export function isSettled(status: string): boolean {
  return settledStatuses.includes(status)
}

export function insertOrder(db: DatabaseSync, order: Order): void {
  transaction(db, () => {
    db.prepare(`
      INSERT INTO orders (id, product_id, amount_units, lane, payment_intent_id, client_secret,
        mode, chain, status, version, tx_hash, expires_at, created_at, fulfilled_at)
      VALUES (:id, :product_id, :amount_units, :lane, :payment_intent_id, :client_secret,
        :mode, :chain, :status, :version, :tx_hash, :expires_at, :created_at, :fulfilled_at)
    `).run(order)
    insertTransition(db, order.id, { status: order.status, seen_at: order.created_at })
  })
}

export function findOrder(db: DatabaseSync, id: string): Order | undefined {
  return db.prepare('SELECT * FROM orders WHERE id = ?').get(id) as Order | undefined
}

/** In the order in which they were seen. */
export function findTransitions(db: DatabaseSync, orderId: string): Transition[] {
  return db
    .prepare('SELECT status, seen_at FROM transitions WHERE order_id = ? ORDER BY position')
    .all(orderId) as Transition[]
}

export function findUnsettledOrders(db: DatabaseSync): Order[] {
  const marks = settledStatuses.map(() => '?').join(', ')
  return db
    .prepare(`SELECT * FROM orders WHERE status NOT IN (${marks})`)
    .all(...settledStatuses) as Order[]
}

/**
 * Takes in what was told of an order's payment. Something older than what is known changes nothing, so that
 * sightings may come twice and out of order.
 *
 * `fulfil` is answered exactly once in an order's life: to the sighting that found it paid.
 */
export function recordSighting(
  db: DatabaseSync,
  orderId: string,
  sighting: Sighting,
  now: Date,
): 'fulfil' | 'recorded' | 'stale' {
  const seen_at = now.toISOString()
  return transaction(db, () => {
    const before = findOrder(db, orderId)
    const { changes } = db
      .prepare(`
        UPDATE orders SET status = :status, version = :version, tx_hash = :tx_hash
        WHERE id = :id AND version < :version
      `)
      .run({ ...sighting, id: orderId })
    if (changes === 0) return 'stale'
    if (before?.status !== sighting.status)
      insertTransition(db, orderId, { status: sighting.status, seen_at })
    const fulfilled = db
      .prepare(`
        UPDATE orders SET fulfilled_at = :seen_at
        WHERE id = :id AND status = 'succeeded' AND fulfilled_at IS NULL
      `)
      .run({ id: orderId, seen_at })
    return fulfilled.changes === 1 ? 'fulfil' : 'recorded'
  })
}

function insertTransition(db: DatabaseSync, orderId: string, transition: Transition): void {
  db.prepare(`
    INSERT INTO transitions (order_id, position, status, seen_at)
    SELECT :order_id, count(*) + 1, :status, :seen_at FROM transitions WHERE order_id = :order_id
  `).run({ ...transition, order_id: orderId })
}

function transaction<result>(db: DatabaseSync, work: () => result): result {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}
