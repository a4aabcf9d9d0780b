import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Db } from '@payment-intents/server/src/store/connection/connect.ts'
import { expect } from 'vitest'
import type { Sale } from './openShop.ts'

export type ShopTally = { orders: number; fulfilled: number; byWebhook: number; repeats: number }

/**
 * Compares the shop's books with the events in the database: every event has reached it, and an order was fulfilled
 * once if its payment succeeded, else never.
 *
 * @param folder of the shop, which has ended
 * @param printed by all of the shop's processes
 */
export async function checkShop(run: {
  readonly db: Db
  readonly sales: readonly Sale[]
  readonly folder: string
  readonly printed: string
}): Promise<ShopTally> {
  const books = new DatabaseSync(join(run.folder, 'orders.db'), { readOnly: true })
  const orders = books
    .prepare(
      'select id, payment_intent_id as "intentId", fulfilled_at as "fulfilledAt" from orders',
    )
    .all() as { id: string; intentId: string; fulfilledAt: string | null }[]
  const deliveries = books
    .prepare('select via, event_id as "eventId", order_id as "orderId", outcome from deliveries')
    .all() as { via: string; eventId: string; orderId: string; outcome: string }[]
  books.close()

  const { rows: events } = await run.db.pool.query<{ id: string }>('select id from events')
  const { rows: succeeded } = await run.db.pool.query<{ intentId: string }>(
    `select intent_id as "intentId" from events where type = 'payment_intent.succeeded'`,
  )
  const firstDeliveries = deliveries.filter(({ outcome }) => outcome !== 'repeat')
  expect(firstDeliveries.map(({ eventId }) => eventId).sort()).toEqual(
    events.map(({ id }) => id).sort(),
  )

  const paid = new Set(succeeded.map(({ intentId }) => intentId))
  const paidOrders = orders.filter(({ intentId }) => paid.has(intentId)).map(({ id }) => id)
  const fulfilled = deliveries.filter(({ outcome }) => outcome === 'fulfilled')
  expect(fulfilled.map(({ orderId }) => orderId).sort()).toEqual(paidOrders.sort())
  expect(
    orders
      .filter(({ fulfilledAt }) => fulfilledAt)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(paidOrders)
  const sold = run.sales.filter(
    ({ saleOutcome }) => saleOutcome === 'paid' || saleOutcome === 'paid_by_hand',
  )
  expect(sold.map(({ orderId }) => orderId).sort()).toEqual(paidOrders)
  // A shop that is killed between storing and printing prints nothing; none prints twice.
  const packed = [...run.printed.matchAll(/^(\S+) is paid: packing it$/gm)].map(([, id]) => id)
  expect(packed.length).toBe(new Set(packed).size)
  expect(paidOrders).toEqual(expect.arrayContaining(packed))
  return {
    orders: orders.length,
    fulfilled: fulfilled.length,
    byWebhook: fulfilled.filter(({ via }) => via === 'webhook').length,
    repeats: deliveries.length - firstDeliveries.length,
  }
}
