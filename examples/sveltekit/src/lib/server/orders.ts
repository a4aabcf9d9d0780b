import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'

export type Order = {
  id: string
  item: string
  amount_units: number
  /** Incremented when the last attempt's payment intent ended unpaid. */
  attempt: number
  payment_intent_id: string | null
  paid_at: string | null
}

const db = new DatabaseSync('shop.db')
db.exec(`create table if not exists orders (
  id text primary key,
  item text not null,
  amount_units integer not null,
  attempt integer not null default 1,
  payment_intent_id text unique,
  paid_at text
)`)

/** Ids are never reused, not even in an emptied database: idempotency keys contain them. */
export function createOrder(item: string, amountUnits: number): Order {
  const id = `ord_${randomUUID().replaceAll('-', '')}`
  const insert = db.prepare(
    'insert into orders (id, item, amount_units) values (?, ?, ?) returning *',
  )
  return insert.get(id, item, amountUnits) as Order
}

export function findOrder(id: string): Order | undefined {
  return db.prepare('select * from orders where id = ?').get(id) as Order | undefined
}

export function keepAttempt(id: string, attempt: number, paymentIntentId: string): void {
  const update = db.prepare('update orders set attempt = ?, payment_intent_id = ? where id = ?')
  update.run(attempt, paymentIntentId, id)
}

/** @returns the order that this payment intent has paid, on the first call only */
export function markPaid(intent: { id: string; amount_units: number }): Order | undefined {
  const update = db.prepare(
    `update orders set paid_at = datetime()
     where payment_intent_id = ? and amount_units = ? and paid_at is null returning *`,
  )
  return update.get(intent.id, intent.amount_units) as Order | undefined
}
