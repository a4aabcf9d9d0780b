import secrets
import sqlite3


def connect():
    db = sqlite3.connect("shop.db", isolation_level=None)  # Each statement commits.
    db.row_factory = sqlite3.Row
    return db


def create_table():
    # `attempt` is incremented when the last attempt's payment intent ended unpaid.
    connect().execute(
        """create table if not exists orders (
             id text primary key,
             item text not null,
             amount_units integer not null,
             attempt integer not null default 1,
             payment_intent_id text unique,
             paid_at text
           )"""
    )


def create_order(item, amount_units):
    # Ids are never reused, not even in an emptied database: idempotency keys contain them.
    order_id = f"ord_{secrets.token_hex(16)}"
    insert = "insert into orders (id, item, amount_units) values (?, ?, ?)"
    connect().execute(insert, (order_id, item, amount_units))
    return find_order(order_id)


def find_order(order_id):
    return connect().execute("select * from orders where id = ?", (order_id,)).fetchone()


def keep_attempt(order_id, attempt, payment_intent_id):
    update = "update orders set attempt = ?, payment_intent_id = ? where id = ?"
    connect().execute(update, (attempt, payment_intent_id, order_id))


def mark_paid(intent):
    """Returns the order that this payment intent has paid, the first time only."""
    update = """update orders set paid_at = datetime()
                where payment_intent_id = ? and amount_units = ? and paid_at is null returning *"""
    return connect().execute(update, (intent["id"], intent["amount_units"])).fetchone()
