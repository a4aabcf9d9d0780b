import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { serverKeyOf } from '../../apps/server/src/lib/crypto/serverKey.ts'
import { type Db, transaction } from '../../apps/server/src/store/connection/connect.ts'
import { wakeSenders, withFanOut } from '../../apps/server/src/store/events/fanOut.ts'
import { newId } from '../../apps/server/src/store/lists/ids.ts'
import { insertMerchant } from '../../apps/server/src/store/merchants/merchants.ts'
import { fixedKeys } from '../../apps/server/src/store/merchants/serverKeys.ts'
import { listenForNotifications } from '../../apps/server/src/store/notifications.ts'
import { createPoster } from '../../apps/server/src/webhooks/createPoster.ts'
import { deliverWebhooks } from '../../apps/server/src/webhooks/deliverWebhooks.ts'
import { createGuard } from '../../apps/server/src/webhooks/webhookGuard.ts'
import { startChild } from '../child.ts'
import { onError, openBenchDb } from '../openBenchDb.ts'
import type { Arrival } from './receiver.ts'

/** How many of a merchant's endpoints respond, refuse the connection, or never respond. */
export type Endpoints = { live: number; dead: number; hanging: number }

export type Setting = {
  readonly db: Db
  readonly receiverUrl: string
  /** Empties all tables, and makes a merchant with these endpoints. */
  prepare(endpoints: Endpoints): Promise<void>
  /** Writes one event as a transition does; `committed` in Unix milliseconds. */
  writeEvent(): Promise<{ id: string; committed: number }>
  /** The same without deliveries, as before there were webhooks. */
  writeWithoutDeliveries(): Promise<void>
  /** So many events in one transaction. */
  writeEvents(count: number): Promise<void>
  /** As a server does. */
  deliver(): Promise<() => Promise<void>>
  /** Waits until so many have arrived at the endpoints that respond. */
  arrived(count: number): Promise<Arrival[]>
  close(): Promise<void>
}

/** As large as an intent's. */
const object = JSON.stringify({ id: newId('pi', Date.now()), filling: 'x'.repeat(1_000) })
const merchantId = newId('mer', Date.now())
const serverKeys = fixedKeys(serverKeyOf('of a test'))
const columns = '(id, merchant_id, mode, type, endpoint_id, sequence, created_at, object)'
/** The insert of `store/events/events.ts`. */
const insertEvent = `
  insert into events ${columns}
  values ($1, $2, 'testnet', 'payment_intent.created', $1, 1, now(), $3)`
const insertMany = `
  insert into events ${columns}
  select id, $2, 'testnet', 'payment_intent.created', id, 1, now(), $3 from unnest($1::text[]) as id`

/** A real PostgreSQL, real HTTP, and a receiver in a process of its own. */
export async function createSetting(): Promise<Setting> {
  const opened = await openBenchDb()
  const { db } = opened
  const { child: receiver, url: receiverUrl } = await startChild(
    new URL('./receiver.ts', import.meta.url),
  )

  const write = (name: string, text: string, ids: string | string[]) =>
    transaction(db, (client) => client.query({ name, text, values: [ids, merchantId, object] }))
  async function taken(): Promise<Arrival[]> {
    receiver.send('')
    const [arrivals] = await once(receiver, 'message')
    return arrivals
  }

  return {
    db,
    receiverUrl,
    async prepare({ live, dead, hanging }) {
      await db.pool.query('truncate merchants cascade')
      await insertMerchant(db.pool, { id: merchantId, name: 'Bench', defaultChain: null })
      const urls = [
        ...Array.from({ length: live }, () => receiverUrl),
        ...Array.from({ length: dead }, () => 'http://127.0.0.1:1'),
        ...Array.from({ length: hanging }, () => `${receiverUrl}/hang`),
      ]
      await insertEndpoints(db, urls)
      await taken()
    },
    async writeEvent() {
      const id = newId('evt', Date.now())
      await write('one', `with ${withFanOut(insertEvent)} ${wakeSenders}`, id)
      return { id, committed: performance.timeOrigin + performance.now() }
    },
    async writeWithoutDeliveries() {
      await write('no-deliveries', insertEvent, newId('evt', Date.now()))
    },
    async writeEvents(count) {
      const ids = Array.from({ length: count }, () => newId('evt', Date.now()))
      await write('many', `with ${withFanOut(insertMany)} ${wakeSenders}`, ids)
    },
    async deliver() {
      const changes = await listenForNotifications(db, onError)
      const silent = () => {}
      const log = { error: console.error, warn: console.error, info: silent, debug: silent }
      const deliveries = deliverWebhooks({
        db,
        database: { report: onError },
        poster: createPoster(createGuard({ allowPrivate: true })),
        serverKeys,
        log: log as never,
        ...{ random: Math.random, now: Date.now },
        concurrency: 512,
      })
      changes.onWebhookDue(deliveries.wake)
      return async () => {
        await deliveries.stop()
        await changes.stop()
      }
    },
    async arrived(count) {
      const arrivals: Arrival[] = []
      for (;;) {
        arrivals.push(...(await taken()))
        if (arrivals.length >= count) return arrivals
        await sleep(100)
      }
    },
    async close() {
      receiver.disconnect()
      await opened.close()
    },
  }
}

/** Endpoints of the one merchant, as registering them makes them. */
export async function insertEndpoints(db: Db, urls: readonly string[]): Promise<void> {
  await db.pool.query(
    `insert into webhook_endpoints (id, merchant_id, mode, url, description, created_at, secret_key)
     select id, $1, 'testnet', url, '', now(), $4 from unnest($2::text[], $3::text[]) as e (id, url)`,
    [merchantId, urls.map(() => newId('we', Date.now())), urls, serverKeys.current().fingerprint],
  )
}

/** An endpoint where nothing gets through, with so many events on their way there, half of them due. */
export async function insertDead(db: Db, events: number): Promise<void> {
  await insertEndpoints(db, ['http://127.0.0.1:1'])
  await db.pool.query(
    `with event as (
       insert into events (id, merchant_id, mode, type, endpoint_id, sequence, created_at, object)
       select 'evt_' || n, $1, 'testnet', 'payment_intent.created', 'evt_' || n, 1, now(), $2
       from generate_series(1, $3::int) n returning id
     ), dead as (
       update webhook_endpoints set failing_since = now() - interval '1 day'
       where url = 'http://127.0.0.1:1' returning id
     )
     insert into webhook_deliveries (endpoint_id, event_id, attempts, due_at)
     select dead.id, event.id, 1, now() + interval '1 hour' * floor(random() * 2) from dead, event`,
    [merchantId, object, events],
  )
}
