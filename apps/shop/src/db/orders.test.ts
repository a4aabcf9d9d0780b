import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { anOrder as order } from '../../test/anOrder.ts'
import { connect } from './connect.ts'
import { findOrder, findTransitions, insertOrder } from './orders.ts'

let folder: string
let db: DatabaseSync

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shop-orders-'))
  db = connect(folder)
})

afterEach(() => {
  db.close()
  rmSync(folder, { recursive: true })
})

test('an order is what was stored, also for the next process that opens the file', () => {
  insertOrder(db, order)
  db.close()
  db = connect(folder)
  expect(findOrder(db, 'ord_1')).toEqual(order)
  expect(findTransitions(db, 'ord_1')).toEqual([
    { status: 'requires_payment', seen_at: order.created_at },
  ])
})

test('two orders never share a payment', () => {
  insertOrder(db, order)
  expect(() => insertOrder(db, { ...order, id: 'ord_2' })).toThrow(/UNIQUE/)
  expect(findOrder(db, 'ord_2')).toBeUndefined()
  expect(findTransitions(db, 'ord_2')).toEqual([])
})
