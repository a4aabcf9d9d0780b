import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { clientSecretOf } from '../../apps/server/src/lib/crypto/clientSecret.ts'
import { serverKeyOf } from '../../apps/server/src/lib/crypto/serverKey.ts'
import type { Db } from '../../apps/server/src/store/connection/connect.ts'
import { eventsWritten } from '../../apps/server/src/store/events/announceEvents.ts'
import { rounded } from '../numbers.ts'
import { createSetting, type Process, type Setting, serverSecret } from './serverSetting.ts'

const path = '/v1/payment_intents'
/** The server takes 60 resolves for one intent within ten seconds. */
const perIntent = 50
/** The server holds 20 lists of events for one API key. */
const perMerchant = 20
const key = serverKeyOf(serverSecret)

/** Requests that are held, and a change that ends all of them. */
type Held = {
  readonly requests: readonly string[]
  /** Commits the change. */
  readonly change: () => Promise<unknown>
  readonly isChanged: (response: string) => boolean
}

/**
 * Thousands of held resolves and held event lists on one process: their cost, and how long a change to all of them takes to be
 * seen.
 */
export async function pending(counts: readonly number[]): Promise<void> {
  const table: Record<string, Record<string, number>> = {}
  for (const count of counts) {
    const setting = await createSetting()
    const { server, db } = setting
    try {
      const { apiKey } = await setting.merchant()
      const ids = await createIntents(server, db, apiKey, count)
      const ofFew = ids.map((_, index) => ids[Math.floor(index / perIntent)] ?? '')
      const groups: Record<string, Held> = {
        'resolves, each for its own': heldResolves(db, ids),
        [`resolves, ${perIntent} for each`]: heldResolves(db, ofFew),
        [`event lists, ${perMerchant} of each merchant`]: await heldLists(setting, count),
      }
      for (const [name, held] of Object.entries(groups)) {
        const row = await hold(server, held)
        table[`${count.toLocaleString('en')} ${name}`] = rounded(row)
        await db.pool.query('update payment_intents set version = 1 where version = 2')
      }
    } finally {
      await setting.close()
    }
  }
  console.log('\nHeld requests on one process, and a change to all of them in one statement')
  console.table(table)
}

function heldResolves(db: Db, ids: readonly string[]): Held {
  return {
    requests: ids.map((id) => {
      const body = JSON.stringify({
        ...{ client_secret: clientSecretOf(id, key), after_version: 1, wait_seconds: 25 },
      })
      return `POST ${path}/resolve HTTP/1.1\r\nhost: bench\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    }),
    change: () =>
      db.pool.query(
        `with changed as (
           update payment_intents set version = 2 where id = any($1) returning id
         )
         select pg_notify('payment_intent_changed', id) from changed`,
        [ids],
      ),
    isChanged: (response) => /"version":2,/.test(response),
  }
}

/** Lists of many merchants; each continues after the only event of its merchant. */
async function heldLists({ server, db, merchant }: Setting, count: number): Promise<Held> {
  const requests: string[] = []
  const merchants: string[] = []
  while (requests.length < count) {
    const { id, apiKey } = await merchant()
    await createIntent(server, apiKey)
    merchants.push(id)
    const events = await fetch(`${server.url}/v1/events`, {
      headers: { authorization: `Bearer ${apiKey}` },
    })
    const { data } = (await events.json()) as { data: { id: string }[] }
    const request = `GET /v1/events?starting_after=${data[0]?.id}&wait=25 HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${apiKey}\r\n\r\n`
    const remaining = Math.min(perMerchant, count - requests.length)
    for (let held = 0; held < remaining; held += 1) requests.push(request)
  }
  return {
    requests,
    // The next event of each, and its announcement.
    change: () =>
      db.pool.query(
        `with written as (
           insert into events (id, merchant_id, mode, type, intent_id, sequence, object, position)
           select 'evt_' || left(md5(id), 30), merchant_id, mode, 'payment_intent.canceled', intent_id,
             sequence + 1, object, position + 1
           from events e where e.merchant_id = any($1)
           returning merchant_id, mode
         )
         select pg_notify('${eventsWritten}', merchant_id || ' ' || mode) from written`,
        [merchants],
      ),
    isChanged: (response) => /"data":\[\{/.test(response),
  }
}

async function hold(server: Process, { requests, change, isChanged }: Held) {
  const before = server.memory()
  const { hostname, port } = new URL(server.url)
  let responseCount = 0
  const sockets: Socket[] = []
  const responses: Promise<unknown>[] = []
  const begin = server.cpu()
  for (const request of requests) {
    const socket = connect(Number(port), hostname)
    sockets.push(socket)
    socket.write(request)
    const response = once(socket, 'data').then(([data]) => {
      responseCount += 1
      if (!isChanged(String(data))) throw new Error(String(data))
    })
    responses.push(response)
    // It is looked at when all are waited for.
    response.catch(() => {})
    // As fast as the server takes them.
    if (sockets.length % 500 === 0) await fetch(`${server.url}/livez`)
  }
  await untilIdle(server)
  if (responseCount > 0) await Promise.race(responses)
  const memory = server.memory() - before
  const cpu = server.cpu()
  await change()
  const changed = performance.now()
  await Promise.all(responses)
  const seconds = (performance.now() - changed) / 1_000
  for (const socket of sockets) socket.destroy()
  return {
    'more memory, MB': memory,
    'CPU ms each to begin': ((cpu - begin) * 1_000) / requests.length,
    'all have seen it after s': seconds,
    'CPU ms each to end': ((server.cpu() - cpu) * 1_000) / requests.length,
  }
}

/** Until all that has been sent has been looked at. */
async function untilIdle(process: Process): Promise<void> {
  for (let before = process.cpu(); ; ) {
    await sleep(500)
    const now = process.cpu()
    if (now - before < 0.05) return
    before = now
  }
}

async function createIntent(server: Process, apiKey: string): Promise<string> {
  const created = await fetch(server.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ amount_units: 5_000_000 }),
  })
  const { id } = (await created.json()) as { id: string }
  return id
}

/** One intent, and copies of it. */
async function createIntents(
  server: Process,
  db: Db,
  apiKey: string,
  count: number,
): Promise<string[]> {
  const id = await createIntent(server, apiKey)
  const { rows } = await db.pool.query<{ id: string }>(
    `insert into payment_intents
     select (jsonb_populate_record(p, jsonb_build_object('id', 'pi_' || lpad(n::text, 20, '0'),
       'payment_reference', '0x' || lpad(to_hex(n), 64, '0')))).*
     from payment_intents p, generate_series(1, $2) n where p.id = $1
     returning id`,
    [id, count],
  )
  return rows.map((row) => row.id)
}

if (import.meta.main) await pending((process.env.HELD ?? '3000,10000').split(',').map(Number))
