import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Opens the shop's database, creating the file and its tables if necessary.
 * `synchronous = FULL` makes each commit wait until it is on disk.
 * A writer waits up to five seconds for another to finish.
 * Only the shop's own user can read the files: a client secret gives access to the state of a payment.
 */
export function openShopDatabase(dataDir: string): DatabaseSync {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const path = join(dataDir, 'orders.db')
  keepPrivate(path)
  const db = new DatabaseSync(path, { timeout: 5000 })
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;

    CREATE TABLE IF NOT EXISTS orders (
      id                TEXT PRIMARY KEY,
      product_id        TEXT NOT NULL,
      amount_units      INTEGER NOT NULL,
      lane              TEXT NOT NULL,
      payment_intent_id TEXT NOT NULL UNIQUE,
      client_secret     TEXT NOT NULL,
      mode              TEXT NOT NULL,
      chain             TEXT NOT NULL,
      status            TEXT NOT NULL,
      version           INTEGER NOT NULL,
      tx_hash           TEXT,
      expires_at        TEXT NOT NULL,
      created_at        TEXT NOT NULL,
      fulfilled_at      TEXT
    ) STRICT;

    CREATE TABLE IF NOT EXISTS transitions (
      order_id TEXT NOT NULL REFERENCES orders (id),
      position INTEGER NOT NULL,
      status   TEXT NOT NULL,
      seen_at  TEXT NOT NULL,
      PRIMARY KEY (order_id, position)
    ) STRICT;

    CREATE TABLE IF NOT EXISTS refunds (
      id                TEXT PRIMARY KEY,
      order_id          TEXT NOT NULL REFERENCES orders (id),
      status            TEXT NOT NULL,
      amount_units      INTEGER NOT NULL,
      destination       TEXT,
      destination_proof TEXT,
      tx_hash           TEXT,
      created_at        TEXT NOT NULL,
      sequence          INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE IF NOT EXISTS deliveries (
      number      INTEGER PRIMARY KEY,
      received_at TEXT NOT NULL,
      via         TEXT NOT NULL,
      event_id    TEXT,
      type        TEXT,
      order_id    TEXT,
      outcome     TEXT NOT NULL,
      reason      TEXT
    ) STRICT;

    CREATE UNIQUE INDEX IF NOT EXISTS one_first_delivery ON deliveries (event_id)
      WHERE outcome <> 'repeat';

    CREATE TABLE IF NOT EXISTS event_cursor (
      only_row   INTEGER PRIMARY KEY CHECK (only_row = 1),
      last_event TEXT NOT NULL
    ) STRICT;
  `)
  return db
}

/** Before SQLite opens it: the files that it creates beside a database have the database's permissions. */
function keepPrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600))
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    if (existsSync(file)) chmodSync(file, 0o600)
  }
}
