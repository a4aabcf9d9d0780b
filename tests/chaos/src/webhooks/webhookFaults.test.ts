import { join } from 'node:path'
import type { Address } from '@payment-intents/contract'
import { startEmbedded } from '@payment-intents/server/src/ops/postgres/embedded.ts'
import { connect, type Db } from '@payment-intents/server/src/store/connection/connect.ts'
import { migrate } from '@payment-intents/server/src/store/migrate.ts'
import { createTestMerchant } from '@payment-intents/server/test/support/server/testServer.ts'
import { startDevChain } from '@payment-intents/testing'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../../packages/testing/src/devChain/freePort.ts'
import { copyCluster } from '../../../support/copyCluster.ts'
import { newFolder } from '../../../support/newFolder.ts'
import { patience } from '../../../support/patience.ts'
import { isFull } from '../../../support/tier.ts'
import { until } from '../../../support/until.ts'
import { checkArrivals, type Registered } from './checkArrivals.ts'
import { checkShop } from './checkShop.ts'
import { drawRounds, type Mood, type Round, type Size } from './drawRounds.ts'
import { openShop, type Sale } from './openShop.ts'
import { createProcess, type Process, startBalancer } from './processes.ts'
import { startReceivers } from './receivers.ts'

const serverFile = join(import.meta.dirname, '../../../../apps/server/dist/server.js')
const shopFile = join(import.meta.dirname, '../../../../apps/shop/src/main.ts')
/** This seed draws every outcome of an order, even among the quick tier's few. */
const seed = Number(process.env.WEBHOOK_SEED ?? 2)
const size: Size = isFull
  ? { servers: 3, rounds: 6, ordersPerRound: 40 }
  : { servers: 2, rounds: 2, ordersPerRound: 8 }

const moods: Record<string, Mood> = {
  ...{ well: 'well', canceled: 'well', rotating: 'well', doomed: 'hanging', muted: 'faulty' },
  ...{ faulty1: 'faulty', faulty2: 'faulty', faulty3: 'faulty', dead: 'dead', hanging: 'hanging' },
  closed: 'well',
}

test(`whatever happens, every event reaches every endpoint, and the shop packs once: WEBHOOK_SEED=${seed}`, {
  timeout: 10 * patience,
}, async () => {
  const { db, databaseUrl } = await startCluster()
  const chain = await startDevChain({ blockTime: 1 })
  onTestFinished(() => chain.stop())
  const { apiKey } = await createTestMerchant(db)
  const env = {
    ...{
      DATABASE_URL: databaseUrl,
      SERVER_SECRET: 'f3a1c85d09be72461e8ddc0b94a7365f',
      LOG_LEVEL: 'fatal',
    },
    ...{ RPC_URL_BASE_TESTNET: chain.url, POLL_INTERVAL_MS: '1000', WEBHOOK_ALLOW_PRIVATE: 'true' },
    DATABASE_TIMEOUT_MS: String(patience),
  }
  const processes: Process[] = []
  onTestFinished(async () => {
    await Promise.all(processes.map((server) => server.kill()))
  })
  while (processes.length < size.servers) {
    processes.push(createProcess(serverFile, await freePort(), { HOST: '127.0.0.1', ...env }))
  }
  await Promise.all(processes.map((server) => server.start()))
  const balancer = await startBalancer(processes)
  onTestFinished(() => balancer.close())
  const receivers = await startReceivers(seed)
  onTestFinished(() => receivers.close())
  const shopPort = await freePort()
  const shopUrl = `http://localhost:${shopPort}`
  const { request: sendRequest, sell } = openShop({ apiUrl: balancer.url, apiKey, shopUrl, chain })
  const { secret: webhookSecret } = await sendRequest('POST', '/v1/webhook_endpoints', {
    url: `${shopUrl}/webhooks`,
  })
  const folder = newFolder()
  const shop = createProcess(shopFile, shopPort, {
    ...{ DATA_DIR: folder, PAYMENT_INTENTS_BASE_URL: balancer.url },
    ...{ PAYMENT_INTENTS_API_KEY: apiKey, PAYMENT_INTENTS_WEBHOOK_SECRET: webhookSecret },
  })
  onTestFinished(() => shop.kill())
  await shop.start()

  const registered = new Map<string, Registered>()
  for (const [name, mood] of Object.entries(moods)) {
    receivers.setMood(name, mood)
    const { id, secret } = await sendRequest('POST', '/v1/webhook_endpoints', {
      url: receivers.urlOf(name),
      ...(name === 'canceled' ? { enabled_events: ['payment_intent.canceled'] } : {}),
    })
    registered.set(name, {
      id,
      secrets: [{ secret, rotations: 0, since: 0, isRepeated: false }],
      ended: null,
    })
  }
  const endpoint = (name: string) => registered.get(name) as Registered
  const pathOf = (name: string) => `/v1/webhook_endpoints/${endpoint(name).id}`
  const started = new Date()
  const { address: anyPayer } = chain.accounts[0] ?? expect.fail('The chain has no accounts.')

  /** The faults of endpoints, spread evenly over the rounds. */
  const changes = [rotate, remove, rotate, goAway, mute, rotate]
  const change = async (round: number) => {
    const first = (changes.length / size.rounds) * round
    for (const next of changes.slice(first, first + changes.length / size.rounds)) await next()
  }
  const sales: Sale[] = []
  const removed: Promise<void>[] = []
  for (const [index, round] of drawRounds(seed, size).entries()) {
    const restarts: Promise<void>[] = []
    const restart = async (restarted: Process | undefined) => {
      await restarted?.kill()
      if (restarted) restarts.push(restarted.start())
    }
    const selling = serve(round, async (sold) => {
      if (sold === round.shopKilledAfter) await restart(shop)
      if (sold !== round.after) return
      const { happens } = round
      if (happens.type === 'database_crashes') await crash(db)
      else await restart(processes[happens.server])
    })
    await Promise.all([selling, change(index)])
    await Promise.all(restarts)
    await Promise.all([...processes, shop].map((child) => child.expectRunning()))
    await hurry(db, 6)
  }
  await Promise.all(removed)

  async function serve(round: Round, onSold: (sold: number) => Promise<void>): Promise<void> {
    const queue = round.outcomes.values()
    let sold = 0
    const till = async (payer: Address) => {
      for (const saleOutcome of queue) {
        sales.push(await sell(saleOutcome, payer))
        sold += 1
        await onSold(sold)
      }
    }
    await Promise.all(chain.accounts.slice(0, 6).map(({ address }) => till(address)))
  }

  async function rotate(): Promise<void> {
    const path = `${pathOf('rotating')}/rotate_secret`
    const requestedAt = Date.now()
    const { secret, tries } = await sendRequest('POST', path, { overlap_hours: 1 })
    // Until the shop uses the new secret, what was on its way arrives, and an event that is signed with both.
    sales.push(await sell('left', anyPayer))
    await delivered(db, endpoint('rotating').id)
    const since = Date.now()
    endpoint('rotating').secrets.push({
      secret,
      rotations: requestedAt,
      since,
      isRepeated: tries > 1,
    })
  }

  /** May wait for the claims of a killed server to end, while everything else goes on. */
  async function remove(): Promise<void> {
    removed.push(
      sendRequest('DELETE', pathOf('doomed')).then(() => {
        endpoint('doomed').ended = { type: 'deleted', at: Date.now() }
      }),
    )
  }

  async function mute(): Promise<void> {
    await sendRequest('PATCH', pathOf('muted'), { status: 'disabled' })
    endpoint('muted').ended = { type: 'disabled', at: await clockOf(db) }
  }

  async function goAway(): Promise<void> {
    receivers.setMood('closed', 'gone')
    await until(async () => {
      expect(await sendRequest('GET', pathOf('closed'))).toMatchObject({ disabled_reason: 'gone' })
    })
    endpoint('closed').ended = { type: 'disabled', at: await clockOf(db) }
  }

  // Five days pass for the endpoint that never succeeded.
  await until(() =>
    db.pool.query(
      "update webhook_endpoints set failing_since = now() - interval '6 days' where id = $1",
      [endpoint('dead').id],
    ),
  )
  await until(async () => {
    await hurry(db, 6)
    expect(await sendRequest('GET', pathOf('dead'))).toMatchObject({ disabled_reason: 'failing' })
  })
  for (const name of Object.keys(moods)) if (name !== 'closed') receivers.setMood(name, 'well')
  await sendRequest('PATCH', pathOf('dead'), { status: 'enabled' })
  await sendRequest('POST', `${pathOf('dead')}/recover`, { since: started.toISOString() })
  expect(new Set(sales.map(({ saleOutcome }) => saleOutcome)).size).toBe(4)
  const paid = sales.filter(
    ({ saleOutcome }) => saleOutcome === 'paid' || saleOutcome === 'paid_by_hand',
  )
  await until(async () => expect(await succeededOf(db)).toBe(paid.length))
  await until(async () => {
    await hurry(db, 10)
    expect(await waitingAt(db)).toBe(0)
  })

  const tally = await checkArrivals({ db, sales, registered, arrivals: receivers.arrivals })
  await shop.kill()
  const books = await checkShop({ db, sales, folder, printed: shop.output() })
  console.info(`webhook faults: seed ${seed}`, tally, books)
})

/** A PostgreSQL of its own: it crashes, and its URL stays. */
async function startCluster(): Promise<{ db: Db; databaseUrl: string }> {
  const dataDir = newFolder()
  await copyCluster(dataDir)
  const cluster = await startEmbedded(dataDir)
  const db = connect({ url: cluster.url, poolSize: 4 })
  onTestFinished(async () => {
    await db.pool.end()
    await cluster.stop()
  })
  await migrate(db)
  return { db, databaseUrl: cluster.url }
}

/** PostgreSQL treats the death of one of its processes as a crash: it ends all others, and recovers from its log. */
async function crash(db: Db): Promise<void> {
  const { rows } = await db.pool.query<{ pid: number }>('select pg_backend_pid() as pid')
  process.kill(rows[0]?.pid ?? 0, 'SIGKILL')
}

/** Makes waiting deliveries due now, as if hours had passed, unless they were tried too often already. */
async function hurry(db: Db, mostTries: number): Promise<void> {
  await until(() =>
    db.pool.query(
      `with due as (
         update webhook_deliveries set due_at = now()
         where due_at > now() and claimed_until is null and attempts < $1 returning 1
       ) select pg_notify('webhook_due', '') from due limit 1`,
      [mostTries],
    ),
  )
}

/** Waits until an endpoint has everything that is on its way there now. */
async function delivered(db: Db, endpointId: string): Promise<void> {
  const waiting = async (among: readonly string[] | null) => {
    const { rows } = await db.pool.query<{ id: string }>(
      `select event_id as id from webhook_deliveries
       where endpoint_id = $1 and delivered_at is null and ($2::text[] is null or event_id = any($2))`,
      [endpointId, among],
    )
    return rows.map(({ id }) => id)
  }
  const now = await until(() => waiting(null))
  await until(async () => expect(await waiting(now)).toEqual([]))
}

async function succeededOf(db: Db): Promise<number> {
  const { rows } = await db.pool.query<{ count: number }>(
    "select count(*)::int as count from payment_intents where status = 'succeeded'",
  )
  return rows[0]?.count ?? Number.NaN
}

/** Deliveries on their way to endpoints that are enabled. */
async function waitingAt(db: Db): Promise<number> {
  const { rows } = await db.pool.query<{ count: number }>(`
    select count(*)::int as count from webhook_deliveries d
    join webhook_endpoints e on e.id = d.endpoint_id
    where e.disabled_reason is null and d.due_at is not null`)
  return rows[0]?.count ?? Number.NaN
}

/** By which tries are dated, in Unix milliseconds. */
async function clockOf(db: Db): Promise<number> {
  const { rows } = await until(() => db.pool.query<{ now: Date }>('select now()'))
  return rows[0]?.now.getTime() ?? Number.NaN
}
