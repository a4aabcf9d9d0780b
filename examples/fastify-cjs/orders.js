const { randomUUID } = require('node:crypto')
const { DatabaseSync } = require('node:sqlite')

const db = new DatabaseSync('shop.db')
// `attempt` is incremented when the last attempt's payment intent ended unpaid.
db.exec(`create table if not exists orders (
  id text primary key,
  item text not null,
  amount_units integer not null,
  attempt integer not null default 1,
  payment_intent_id text unique,
  paid_at text
)`)

/** Ids are never reused, not even in an emptied database: idempotency keys contain them. */
function createOrder(item, amountUnits) {
  const id = `ord_${randomUUID().replaceAll('-', '')}`
  const insert = db.prepare(
    'insert into orders (id, item, amount_units) values (?, ?, ?) returning *',
  )
  return insert.get(id, item, amountUnits)
}

function findOrder(id) {
  return db.prepare('select * from orders where id = ?').get(id)
}

function keepAttempt(id, attempt, paymentIntentId) {
  const update = db.prepare('update orders set attempt = ?, payment_intent_id = ? where id = ?')
  update.run(attempt, paymentIntentId, id)
}

/** @returns the order that this payment intent has paid, on the first call only */
function markPaid(intent) {
  const update = db.prepare(
    `update orders set paid_at = datetime()
     where payment_intent_id = ? and amount_units = ? and paid_at is null returning *`,
  )
  return update.get(intent.id, intent.amount_units)
}

module.exports = { createOrder, findOrder, keepAttempt, markPaid }
