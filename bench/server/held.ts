import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { clientSecretOf } from '../../apps/server/src/lib/crypto/clientSecret.ts'
import { serverKeyOf } from '../../apps/server/src/lib/crypto/serverKey.ts'
import type { Db } from '../../apps/server/src/store/connection/connect.ts'
import { rounded } from '../numbers.ts'
import { createSetting, type Process, serverSecret } from './setting.ts'

const path = '/v1/payment_intents'
/** The server takes 60 resolves for one intent within ten seconds. */
const ofOneIntent = 50
const key = serverKeyOf(serverSecret)

/** Thousands of held resolves on one process: their cost, and how long a change to all of them takes to be seen. */
export async function pending(counts: readonly number[]): Promise<void> {
  const table: Record<string, Record<string, number>> = {}
  for (const count of counts) {
    const setting = await createSetting()
    const { server, db } = setting
    try {
      const { apiKey } = await setting.merchant()
      const ids = await createIntents(server, db, apiKey, count)
      const groups: Record<string, string[]> = {
        'each for its own': ids,
        [`${ofOneIntent} for each`]: ids.map(
          (_, index) => ids[Math.floor(index / ofOneIntent)] ?? '',
        ),
      }
      for (const [name, waitedFor] of Object.entries(groups)) {
        const row = await hold(server, db, waitedFor)
        table[`${count.toLocaleString('en')}, ${name}`] = rounded(row)
      }
    } finally {
      await setting.close()
    }
  }
  console.log('\nHeld resolves on one process, and a change to all of them in one statement')
  console.table(table)
}

async function hold(server: Process, db: Db, ids: readonly string[]) {
  const before = server.memory()
  const { host, hostname, port } = new URL(server.url)
  let responseCount = 0
  const sockets: Socket[] = []
  const responses: Promise<unknown>[] = []
  for (const id of ids) {
    const body = JSON.stringify({
      ...{ client_secret: clientSecretOf(id, key), after_version: 1, wait_seconds: 25 },
    })
    const socket = connect(Number(port), hostname)
    sockets.push(socket)
    socket.write(
      `POST ${path}/resolve HTTP/1.1\r\nhost: ${host}\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    const response = once(socket, 'data').then(([data]) => {
      responseCount += 1
      if (!/"version":2,/.test(String(data))) throw new Error(String(data))
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
  await db.pool.query(
    `with changed as (
       update payment_intents set version = 2 where id = any($1) returning id
     )
     select pg_notify('payment_intent_changed', id) from changed`,
    [ids],
  )
  const changed = performance.now()
  await Promise.all(responses)
  const seconds = (performance.now() - changed) / 1_000
  for (const socket of sockets) socket.destroy()
  await db.pool.query('update payment_intents set version = 1 where id = any($1)', [ids])
  return {
    'more memory, MB': memory,
    'all have seen it after s': seconds,
    'CPU ms each': ((server.cpu() - cpu) * 1_000) / ids.length,
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

/** One intent, and copies of it. */
async function createIntents(
  server: Process,
  db: Db,
  apiKey: string,
  count: number,
): Promise<string[]> {
  const created = await fetch(server.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ amount_units: 5_000_000 }),
  })
  const { id } = (await created.json()) as { id: string }
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

if (import.meta.main) await pending([3_000, 10_000])
