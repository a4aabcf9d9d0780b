import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newFolder } from '../../../../tests/support/newFolder.ts'
import { anOrder as order } from '../../test/anOrder.ts'
import { openShopDatabase } from './openShopDatabase.ts'
import { findOrder, findTransitions, insertOrder } from './orders.ts'

let folder: string
let db: DatabaseSync

beforeEach(() => {
  folder = newFolder()
  db = openShopDatabase(folder)
})

afterEach(() => db.close())

test('an order is read back as stored, also by another process', () => {
  insertOrder(db, order)
  db.close()
  db = openShopDatabase(folder)
  expect(findOrder(db, 'ord_1')).toEqual(order)
  expect(findTransitions(db, 'ord_1')).toEqual([
    { status: 'requires_payment', seen_at: order.created_at },
  ])
})

test('files are readable by the shop’s user only, also if they were more open before', () => {
  const modes = (dataDir: string) =>
    readdirSync(dataDir).map((name) => [name, statSync(join(dataDir, name)).mode & 0o777])
  const closed = [
    ['orders.db', 0o600],
    ['orders.db-shm', 0o600],
    ['orders.db-wal', 0o600],
  ]
  const dataDir = join(folder, 'data')
  const first = openShopDatabase(dataDir)
  insertOrder(first, order)
  expect(statSync(dataDir).mode & 0o777).toBe(0o700)
  expect(modes(dataDir)).toEqual(closed)
  for (const [name] of closed) chmodSync(join(dataDir, String(name)), 0o644)
  const second = openShopDatabase(dataDir)
  expect(modes(dataDir)).toEqual(closed)
  first.close()
  second.close()
})

test('two orders never share a payment', () => {
  insertOrder(db, order)
  expect(() => insertOrder(db, { ...order, id: 'ord_2' })).toThrow(/UNIQUE/)
  expect(findOrder(db, 'ord_2')).toBeUndefined()
  expect(findTransitions(db, 'ord_2')).toEqual([])
})
