import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { connect } from './connect.ts'
import {
  findOrder,
  findTransitions,
  findUnsettledOrders,
  insertOrder,
  type Order,
  recordSighting,
} from './orders.ts'

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

const order: Order = {
  id: 'ord_1',
  product_id: 'mug',
  amount_units: 2 ** 53 - 1,
  lane: 'sdk',
  payment_intent_id: 'pi_1',
  client_secret: 'pi_1_secret_1',
  mode: 'testnet',
  chain: 'base',
  status: 'requires_payment',
  version: 0,
  tx_hash: null,
  expires_at: '2026-01-01T00:30:00.000Z',
  created_at: '2026-01-01T00:00:00.000Z',
  fulfilled_at: null,
}

function see(status: string, version: number, second: number, database = db) {
  const at = new Date(Date.UTC(2026, 0, 1, 0, 0, second))
  return recordSighting(database, 'ord_1', { status, version, tx_hash: null }, at)
}

function statuses() {
  return findTransitions(db, 'ord_1').map(({ status }) => status)
}

test('an order is what was stored, also for the next process that opens the file', () => {
  insertOrder(db, order)
  db.close()
  db = connect(folder)
  expect(findOrder(db, 'ord_1')).toEqual(order)
  expect(findTransitions(db, 'ord_1')).toEqual([
    { status: 'requires_payment', seen_at: order.created_at },
  ])
})

test('records each status once, with the time at which it was first seen', () => {
  insertOrder(db, order)
  expect(see('requires_payment', 1, 1)).toBe('recorded')
  expect(see('pending_confirmations', 2, 2)).toBe('recorded')
  expect(see('pending_confirmations', 3, 3)).toBe('recorded')
  expect(findTransitions(db, 'ord_1')).toEqual([
    { status: 'requires_payment', seen_at: '2026-01-01T00:00:00.000Z' },
    { status: 'pending_confirmations', seen_at: '2026-01-01T00:00:02.000Z' },
  ])
})

test('a payment that a reorganisation undid and that came back is recorded as it went', () => {
  insertOrder(db, order)
  see('pending_confirmations', 2, 2)
  see('requires_payment', 3, 3)
  see('pending_confirmations', 4, 4)
  expect(statuses()).toEqual([
    'requires_payment',
    'pending_confirmations',
    'requires_payment',
    'pending_confirmations',
  ])
})

test('something older than what is known changes nothing', () => {
  insertOrder(db, order)
  see('succeeded', 5, 5)
  expect(see('pending_confirmations', 4, 6)).toBe('stale')
  expect(see('succeeded', 5, 7)).toBe('stale')
  expect(findOrder(db, 'ord_1')).toMatchObject({ status: 'succeeded', version: 5 })
  expect(statuses()).toEqual(['requires_payment', 'succeeded'])
})

test('asks for fulfilment exactly once, however often and by whomever the payment is seen', () => {
  insertOrder(db, order)
  const other = connect(folder)
  const answers = [
    see('succeeded', 5, 1),
    see('succeeded', 5, 2, other),
    see('succeeded', 6, 3, other),
    see('requires_payment', 7, 4),
    see('succeeded', 8, 5, other),
  ]
  other.close()
  expect(answers.filter((answer) => answer === 'fulfil')).toHaveLength(1)
  expect(findOrder(db, 'ord_1')?.fulfilled_at).toBe('2026-01-01T00:00:01.000Z')
})

test.each(['requires_payment', 'pending_confirmations', 'expired', 'canceled'])(
  'an order that is %s is not fulfilled',
  (status) => {
    insertOrder(db, order)
    expect(see(status, 1, 1)).toBe('recorded')
    expect(findOrder(db, 'ord_1')?.fulfilled_at).toBeNull()
  },
)

test('a sighting is recorded whole or not at all', () => {
  insertOrder(db, order)
  db.exec('ALTER TABLE transitions RENAME TO out_of_reach')
  expect(() => see('succeeded', 5, 1)).toThrow(/no such table/)
  expect(findOrder(db, 'ord_1')).toEqual(order)
})

test('what to follow after a restart is every order that is not settled', () => {
  const lives = [
    'requires_payment',
    'pending_confirmations',
    'succeeded',
    'expired',
    'canceled',
    'one that is added later',
  ]
  for (const [index, status] of lives.entries())
    insertOrder(db, { ...order, id: `ord_${index}`, payment_intent_id: `pi_${index}`, status })
  expect(findUnsettledOrders(db).map(({ status }) => status)).toEqual([
    'requires_payment',
    'pending_confirmations',
    'one that is added later',
  ])
})

test('two orders never share a payment', () => {
  insertOrder(db, order)
  expect(() => insertOrder(db, { ...order, id: 'ord_2' })).toThrow(/UNIQUE/)
  expect(findOrder(db, 'ord_2')).toBeUndefined()
  expect(findTransitions(db, 'ord_2')).toEqual([])
})
