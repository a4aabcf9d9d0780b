import { globSync, rmSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevChain } from '@payment-intents/testing'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { copyCluster } from '../../../../tests/support/copyCluster.ts'
import { payIntent, untilStatus } from '../support/chain/payments.ts'
import { embeddedPostgres } from '../support/database/embeddedPostgres.ts'
import { ofFile } from '../support/database/fixtures.ts'
import { mountSmallDisk } from '../support/database/smallDisk.ts'
import { merchantApi } from '../support/server/merchantApi.ts'
import { createKey, type ServerProcess, startServer } from '../support/server/serverProcess.ts'
import { createIntent, type Json } from '../support/server/testServer.ts'
import { startReceiver } from '../support/server/webhookReceiver.ts'

/** It makes blocks by itself: servers report a chain that stands still. */
const chain = ofFile(
  () => startDevChain({ blockTime: 1 }),
  (started) => started.stop(),
)

/**
 * Two servers on one database, for all tests: the first runs the database and gets requests, the second has nothing
 * to write.
 */
const two = ofFile(startTwo, async ({ first, idle, receiver, disk, dataDir }) => {
  await idle.end('SIGTERM')
  // It leaves its PostgreSQL running while another server is connected.
  await first.end('SIGTERM')
  await receiver.close()
  disk?.unmount()
  await rm(dataDir, { recursive: true })
})

async function startTwo() {
  const dataDir = await mkdtemp(join(tmpdir(), 'payment-intents-unwritable-'))
  const disk = mountSmallDisk(dataDir, 120)
  await copyCluster(dataDir)
  const rpc = {
    ...{ RPC_URL_BASE_TESTNET: chain.url, WEBHOOK_ALLOW_PRIVATE: 'true' },
    RELAYER_KEY_BASE_TESTNET: chain.accounts[8]?.privateKey,
  }
  const firstServer = await startServer({ ...rpc, DATA_DIR: dataDir })
  const { url } = await embeddedPostgres(dataDir)
  // Vacuum deletes a cache of PostgreSQL, which a new connection must then write: it fails while the disk is full.
  await configure(url, 'alter system set autovacuum = off')
  const SERVER_SECRET = await readFile(join(dataDir, 'server.secret'), 'utf8')
  const idle = await startServer({ ...rpc, DATABASE_URL: url, SERVER_SECRET })
  const apiKey = await createKey(url)
  const receiver = await startReceiver()
  await merchantApi(firstServer, apiKey).post('/v1/webhook_endpoints', { url: receiver.url })
  return { first: firstServer, idle, url, apiKey, receiver, disk, dataDir }
}

async function configure(url: string, statement: string) {
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  try {
    await admin.query(statement)
    await admin.query('select pg_reload_conf()')
  } finally {
    await admin.end()
  }
}

async function readiness(server: ServerProcess): Promise<[number, Json]> {
  const response = await server.request('/readyz')
  return [response.status, await response.json()]
}

async function sample(server: ServerProcess, name: string): Promise<string | undefined> {
  const text = await (await server.request('/metrics')).text()
  return text.split('\n').find((line) => line.startsWith(name))
}

const lines = (server: ServerProcess) =>
  server
    .output('stdout')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): Json => JSON.parse(line))

/** Creates intents until a creation is refused, and returns the refusal. */
async function createUntilRefused(server: ServerProcess, apiKey: string, created: Json[]) {
  const api = merchantApi(server, apiKey)
  return server.until(async () => {
    const response = await api.post('/v1/payment_intents', { amount_units: 5_000_000 })
    if (response.status === 200) created.push(await response.json())
    expect(response.status).toBe(500)
    return response
  })
}

/** Expects that each server reports failing writes, and continues when they succeed again. */
async function expectTrial(trial: {
  database: string
  reason: RegExp
  begin(): Promise<void>
  end(): Promise<void>
}) {
  const { first, idle, apiKey, receiver } = two
  const servers = [first, idle]
  for (const server of servers) {
    await server.until(async () => {
      // Only the database must be well: a chain whose blocks the tests mine may be degraded by now.
      expect(await readiness(server)).toMatchObject([200, { database: 'ok' }])
    })
  }
  const begun = new Map(servers.map((server) => [server, lines(server).length]))
  /** The lines that a server logged in this trial. */
  const logged = (server: ServerProcess) => lines(server).slice(begun.get(server))
  const untilLogged = (server: ServerProcess, message: RegExp) =>
    server.until(() => {
      const result = logged(server).find(({ msg }) => message.test(msg))
      return result ?? expect.fail(`nothing is logged that matches ${message}`)
    })
  const before = await createIntent(first, apiKey)
  await trial.begin()
  const created: Json[] = [before]
  const refused = await createUntilRefused(first, apiKey, created)
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(await refused.json()).toMatchObject({ error: 'internal_error' })
  await payIntent(chain, before)
  for (const server of servers) {
    await server.until(async () => {
      expect(await readiness(server)).toMatchObject([
        200,
        {
          status: 'degraded',
          database: trial.database,
          degraded: expect.arrayContaining([expect.stringMatching(trial.reason)]),
        },
      ])
      expect(await sample(server, 'payment_intents_database_writable')).toMatch(/ 0$/)
    })
    await untilLogged(server, /^the database takes no writes/)
  }

  await trial.end()
  for (const server of servers) {
    await server.until(async () => {
      expect(await readiness(server)).toMatchObject([200, { database: 'ok' }])
      expect(await sample(server, 'payment_intents_database_writable')).toMatch(/ 1$/)
    })
    const second = await untilLogged(server, /^the database takes writes again/)
    expect(second.failures).toBeGreaterThan(0)
    // The follower, the relayer and deliveries retry, but do not repeat the report.
    const bad = logged(server).filter(
      // On a busy machine, a late block looks like a clock that is off.
      ({ level, clock_skew_seconds }) =>
        /error|warn/.test(level) && clock_skew_seconds === undefined,
    )
    expect(bad.map(({ msg }) => msg)).toEqual([
      expect.stringMatching(/^the database takes no writes/),
    ])
  }
  await untilStatus(first, before, 'succeeded')
  await first.until(() => {
    const types = receiver.received.map(({ body }) => JSON.parse(body))
    expect(types).toContainEqual(
      expect.objectContaining({
        type: 'payment_intent.succeeded',
        data: { object: expect.objectContaining({ id: before.id }) },
      }),
    )
  })
  const api = merchantApi(first, apiKey)
  for (const { id } of created) await api.read(`/v1/payment_intents/${id}`)
  await createIntent(idle, apiKey)
}

test('a primary that turns read-only degrades every server, and each continues when it accepts writes', async () => {
  await expectTrial({
    database: 'read_only',
    reason: /^database: it is read-only/,
    begin: () => configure(two.url, 'alter system set default_transaction_read_only = on'),
    end: () => configure(two.url, 'alter system reset default_transaction_read_only'),
  })
})

test('a full disk degrades every server, and each continues when there is space', async ({
  skip,
}) => {
  const { disk } = two
  if (!disk) return skip('this user may not mount a disk')
  await expectTrial({
    database: 'disk_full',
    reason: /^database: its disk is full/,
    begin: () => disk.fill(),
    end: async () => disk.free(),
  })
})

test('a full disk that ends PostgreSQL itself loses nothing, and needs no restart of the servers', async ({
  skip,
}) => {
  const { first, idle, url, apiKey, disk } = two
  if (!disk) return skip('this user may not mount a disk')
  const created = [await createIntent(first, apiKey)]
  await disk.fill()
  await createUntilRefused(first, apiKey, created)
  const endLogSegment = async () => {
    const admin = new pg.Client({ connectionString: url })
    admin.on('error', () => {})
    try {
      await admin.connect()
      await admin.query("select pg_logical_emit_message(false, '', ''), pg_switch_wal()")
    } finally {
      // Do not wait: `end` never resolves for a connection that was never established.
      void admin.end().catch(() => {})
    }
  }
  await first.until(async () => {
    // PostgreSQL frees some space when it starts again.
    await disk.fill()
    await endLogSegment().catch(() => {})
    expect(lines(first).map(({ msg }) => msg)).toContain('the database does not respond')
  })
  disk.free()
  for (const server of [first, idle]) {
    await server.until(async () => {
      expect(await readiness(server)).toMatchObject([200, { database: 'ok' }])
    })
  }
  const api = merchantApi(first, apiKey)
  for (const { id } of created) await api.read(`/v1/payment_intents/${id}`)
  await createIntent(idle, apiKey)
})

test('a full disk that lets no new connection open takes both servers out, and needs no restart of them', async ({
  skip,
}) => {
  const { first, idle, url, apiKey, disk, dataDir } = two
  if (!disk) return skip('this user may not mount a disk')
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  onTestFinished(() => admin.end())
  await disk.fill()
  const servers = [first, idle]
  for (const server of servers) {
    await server.until(async () => {
      // As vacuum deletes it, a minute later. The next connection must write it.
      const caches = globSync('postgres/{global,base/*}/pg_internal.init', { cwd: dataDir })
      for (const path of caches) rmSync(join(dataDir, path))
      await disk.fill()
      await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()`)
      expect(await readiness(server)).toMatchObject([503, { database: 'unreachable' }])
    })
  }
  disk.free()
  for (const server of servers) {
    await server.until(async () => {
      expect(await readiness(server)).toMatchObject([200, { database: 'ok' }])
    })
    await createIntent(server, apiKey)
  }
})
