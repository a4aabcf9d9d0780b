import type { DatabaseSync } from 'node:sqlite'

/** A delivery of an event, verified or refused. */
export type Delivery = {
  readonly received_at: string
  readonly via: 'webhook' | 'catch_up'
  /** Null, like everything from the body, if the signature was refused. */
  readonly event_id: string | null
  readonly type: string | null
  /** The order of the event, if this shop has it. */
  readonly order_id: string | null
  readonly outcome:
    | 'fulfilled'
    | 'recorded'
    | 'old_news'
    | 'unknown_order'
    | 'sold_by_link'
    | 'nothing_to_do'
    | 'repeat'
    | 'refused'
  /** Code of the refusal. */
  readonly reason: string | null
}

/** The number of refused deliveries that are kept, since anybody can send them. */
const maxRefused = 50

/** Repeats are recognised by these rows; an index allows each event one row that is not a repeat. */
export function insertDelivery(db: DatabaseSync, delivery: Delivery): void {
  db.prepare(`
    INSERT INTO deliveries (received_at, via, event_id, type, order_id, outcome, reason)
    VALUES (:received_at, :via, :event_id, :type, :order_id, :outcome, :reason)
  `).run(delivery)
}

export function insertRefused(db: DatabaseSync, reason: string, now: Date): void {
  const nothing = { event_id: null, type: null, order_id: null }
  const received_at = now.toISOString()
  insertDelivery(db, { ...nothing, received_at, via: 'webhook', outcome: 'refused', reason })
  db.prepare(`
    DELETE FROM deliveries WHERE outcome = 'refused' AND number NOT IN (
      SELECT number FROM deliveries WHERE outcome = 'refused' ORDER BY number DESC LIMIT ?
    )
  `).run(maxRefused)
}

/** The first delivery of an event, if any. */
export function findFirstDelivery(db: DatabaseSync, eventId: string): Delivery | undefined {
  return db
    .prepare("SELECT * FROM deliveries WHERE event_id = ? AND outcome <> 'repeat'")
    .get(eventId) as Delivery | undefined
}

/** The public part of a delivery, which identifies no order or payment. */
export type ListedDelivery = Omit<Delivery, 'event_id' | 'order_id'>

/** The latest hundred, newest first. */
export function findDeliveries(db: DatabaseSync): ListedDelivery[] {
  return db
    .prepare(`
      SELECT received_at, via, type, outcome, reason
      FROM deliveries ORDER BY number DESC LIMIT 100
    `)
    .all() as ListedDelivery[]
}

/** The latest hundred of an order, newest first. */
export function findDeliveriesOf(db: DatabaseSync, orderId: string): ListedDelivery[] {
  return db
    .prepare(`
      SELECT received_at, via, type, outcome, reason
      FROM deliveries WHERE order_id = ? ORDER BY number DESC LIMIT 100
    `)
    .all(orderId) as ListedDelivery[]
}
