import { Socket } from 'node:net'
import pg from 'pg'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { until } from '../../../../tests/support/until.ts'
import { serverOfFile } from '../../test/support/database/fixtures.ts'
import { merchantApi } from '../../test/support/server/merchantApi.ts'
import {
  createIntent,
  createTestMerchant,
  type Json,
} from '../../test/support/server/testServer.ts'
import { connect, type Db } from './connection/connect.ts'
import { listenForNotifications, type Notifications } from './notifications.ts'

const server = serverOfFile()
afterEach(() => vi.restoreAllMocks())

/** Returns a function that finds the statements of a name, with their parameters. */
function looks() {
  const query = vi.spyOn(server.db.pool, 'query')
  return (name: string) =>
    query.mock.calls.flatMap(([requested]) => {
      const { name: result, values } = requested as unknown as {
        name?: string
        values?: [string[]]
      }
      return result === name ? [values?.[0] ?? []] : []
    })
}

async function open(db: Db = server.db): Promise<Notifications> {
  const changes = await listenForNotifications(db, () => {})
  onTestFinished(() => changes.stop())
  return changes
}

async function openShop() {
  const { apiKey } = await createTestMerchant(server.db)
  const api = merchantApi(server, apiKey)
  const create = () => createIntent(server, apiKey)
  const cancel = ({ id }: Json) => api.post(`/v1/payment_intents/${id}/cancel`)
  const register = async (): Promise<Json> =>
    (await api.post('/v1/webhook_endpoints', { url: 'http://127.0.0.1:9/' })).json()
  return { api, create, cancel, register }
}

/** Resolves when the intent may have changed. */
function change(changes: Notifications, { id }: Json): Promise<void> {
  return new Promise((resolve) => {
    changes.onIntentChanged(
      (changed) => changed === id && resolve(),
      () => [id],
    )
  })
}

/** Ends the connections that listen. */
async function breakListener(): Promise<void> {
  await until(async () => {
    const { rowCount } = await server.db.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and query in ('select 1', 'select pg_notify($1, $2)')`,
    )
    expect(rowCount).toBeGreaterThan(0)
  })
}

/** Replaces PostgreSQL's response to LISTEN. */
function respondToListen(response: () => Promise<unknown>): void {
  const query: (...args: unknown[]) => unknown = pg.Client.prototype.query
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...args: unknown[]
  ) {
    return String(args[0]).startsWith('listen ') ? response() : query.apply(this, args)
  } as typeof pg.Client.prototype.query)
}

const refused = Object.assign(new pg.DatabaseError('LISTEN is not supported', 0, 'error'), {
  code: '0A000',
})

test('events in quick succession are announced together, including the last', async () => {
  const changes = await open()
  const { create } = await openShop()
  const statements = looks()
  let announced = 0
  changes.onEventsWritten(
    () => {
      announced += 1
    },
    () => [],
  )
  const started = performance.now()
  for (let created = 0; created < 40; created += 1) await create()
  const creatingMs = performance.now() - started
  const count = statements('announce-events').length
  expect(count).toBeLessThanOrEqual(creatingMs / 50 + 1)
  // The last creations wait for the end of the interval, unless one of them started it.
  await until(() => expect(announced).toBeGreaterThan(0))
  const before = announced
  await create()
  await create()
  await until(() => expect(announced).toBeGreaterThan(before))
})

describe.each([
  ['behind a pooler', () => ({ pool: server.db.pool, pooler: { begin: 'begin' } })],
  [
    'on a cluster that refuses LISTEN',
    () => {
      respondToListen(() => Promise.reject(refused))
      return server.db
    },
  ],
  [
    'on a cluster that accepts LISTEN and sends nothing',
    () => {
      respondToListen(() => Promise.resolve())
      return server.db
    },
  ],
])('%s', (_, deafDb) => {
  test('a single statement finds all awaited changes, and nothing is sent while nobody waits', async () => {
    const changes = await open(deafDb())
    const { create, cancel, register, api } = await openShop()
    const intents = [await create(), await create(), await create()]
    const endpoint = await register()
    const stored = await register()
    const requested = looks()
    const deleted: string[] = []
    let used = [endpoint.id, stored.id]
    changes.onEndpointDisabled(
      (id) => void deleted.push(id),
      () => used,
    )
    const woken = new Set<string>()
    const ids: string[] = intents.map(({ id }) => id)
    let awaited = ids
    const before = new Set<string>()
    changes.onIntentChanged(
      (id) => {
        // The first poll wakes each id, which may have changed before.
        if (before.has(id)) woken.add(id)
        before.add(id)
      },
      () => awaited,
    )
    await until(() => expect(requested('read-versions').length).toBeGreaterThan(1))
    for (const together of requested('read-versions')) expect(together).toEqual(ids)
    expect([[...woken], deleted]).toEqual([[], []])
    await cancel(intents[1] as Json)
    await until(() => expect([...woken]).toEqual([ids[1]]))
    await api.send('PATCH', `/v1/webhook_endpoints/${endpoint.id}`, { status: 'disabled' })
    await until(() => expect(deleted).toContain(endpoint.id))
    expect(deleted).not.toContain(stored.id)
    awaited = []
    used = []
    const lookedBefore = requested('find-inactive-endpoints').length
    // Another waiting process polls twice meanwhile.
    const other = await open({ pool: server.db.pool, pooler: { begin: 'begin' } })
    other.onEndpointDisabled(
      () => {},
      () => [stored.id],
    )
    await until(() =>
      expect(requested('find-inactive-endpoints').length).toBeGreaterThan(lookedBefore + 1),
    )
    const meanwhile = requested('find-inactive-endpoints').slice(lookedBefore)
    expect(meanwhile).toEqual(meanwhile.map(() => [stored.id]))
    expect(requested('read-versions').at(-1)).not.toEqual([])
  })
})

test('while notifications arrive, nothing polls', async () => {
  const changes = await open()
  const { create, cancel } = await openShop()
  const intent = await create()
  const requested = looks()
  await Promise.all([change(changes, intent), cancel(intent)])
  expect(requested('read-versions')).toEqual([])
})

test('a change while a broken connection is restored is found', async () => {
  const changes = await open()
  const { create, cancel } = await openShop()
  const intent = await create()
  await breakListener()
  // The change is not announced.
  await cancel(intent)
  await change(changes, intent)
})

test('stopping while a broken connection is restored leaves no connection behind', async () => {
  // The server's own listener breaks in other tests; this listener has a name.
  const name = 'stopped while restored'
  const db = connect({ url: String(server.db.pool.options.connectionString), poolSize: 1 })
  db.pool.options.application_name = name
  onTestFinished(() => db.pool.end())
  const changes = await open(db)
  const ended = vi.fn()
  const connectClient: () => Promise<unknown> = pg.Client.prototype.connect
  vi.spyOn(pg.Client.prototype, 'connect').mockImplementation(function (
    this: pg.Client & { connectionParameters?: { application_name?: string } },
    ...args: unknown[]
  ) {
    const connected = connectClient.apply(this, args as [])
    if (this.connectionParameters?.application_name === name) {
      this.once('end', ended)
      void changes.stop()
    }
    return connected
  })
  await until(async () => {
    const { rowCount } = await server.db.pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1',
      [name],
    )
    expect(rowCount).toBe(1)
  })
  await until(() => expect(ended).toHaveBeenCalled())
})

test('a half-open connection is noticed as soon as any other broken connection', async () => {
  const stored = vi.spyOn(Socket.prototype, 'setKeepAlive')
  const changes = await listenForNotifications(server.db, () => {})
  expect(stored.mock.calls).toEqual([[true, server.db.pool.options.keepAliveInitialDelayMillis]])
  await changes.stop()
})
