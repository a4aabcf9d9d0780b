import type { DatabaseSync } from 'node:sqlite'
import type { ListedRefund } from '@payment-intents/node'

/** A refund of an order's payment, as this backend last received it. */
export type OrderRefund = Pick<
  ListedRefund,
  'id' | 'status' | 'amount_units' | 'destination' | 'destination_proof' | 'tx_hash' | 'created_at'
> & {
  readonly order_id: string
  /** The number of its last received event; 0 until the first. */
  readonly sequence: number
}

/**
 * Records the state of a refund. A state older than the recorded state changes nothing, so that sightings may be
 * repeated and out of order.
 * @param sequence that of the event; 0 for the response of the call that created it
 */
export function recordRefund(
  db: DatabaseSync,
  orderId: string,
  refund: ListedRefund,
  sequence: number,
): 'recorded' | 'old_news' {
  const { id, status, amount_units, destination, destination_proof, tx_hash, created_at } = refund
  const { changes } = db
    .prepare(`
      INSERT INTO refunds (id, order_id, status, amount_units, destination, destination_proof,
        tx_hash, created_at, sequence)
      VALUES (:id, :order_id, :status, :amount_units, :destination, :destination_proof,
        :tx_hash, :created_at, :sequence)
      ON CONFLICT (id) DO UPDATE SET status = :status, destination = :destination,
        destination_proof = :destination_proof, tx_hash = :tx_hash, sequence = :sequence
      WHERE sequence < :sequence
    `)
    .run({
      ...{ id, order_id: orderId, status, amount_units, destination, destination_proof },
      ...{ tx_hash, created_at, sequence },
    })
  return changes === 0 ? 'old_news' : 'recorded'
}

/** The refunds of an order, oldest first. */
export function findRefunds(db: DatabaseSync, orderId: string): OrderRefund[] {
  return db
    .prepare('SELECT * FROM refunds WHERE order_id = ? ORDER BY created_at, id')
    .all(orderId) as OrderRefund[]
}

export function findRefund(db: DatabaseSync, orderId: string, id: string): OrderRefund | undefined {
  return db.prepare('SELECT * FROM refunds WHERE order_id = ? AND id = ?').get(orderId, id) as
    | OrderRefund
    | undefined
}

/** The refunds that wait for a signature, oldest first. */
export function findUnsigned(db: DatabaseSync): OrderRefund[] {
  return db
    .prepare("SELECT * FROM refunds WHERE status = 'requires_signature' ORDER BY created_at, id")
    .all() as OrderRefund[]
}
