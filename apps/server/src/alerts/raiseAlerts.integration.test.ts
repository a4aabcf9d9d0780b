import { type Alert, type AlertCause, alertCauseSchema, type Mode } from '@payment-intents/contract'
import { verifyWebhook } from '@payment-intents/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../../../../tests/support/until.ts'
import { explaining } from '../../test/support/database/explaining.ts'
import { serverOfFile } from '../../test/support/database/fixtures.ts'
import { storeRefund } from '../../test/support/database/storeRefund.ts'
import { storeTransfer } from '../../test/support/database/storeTransfer.ts'
import { openShop } from '../../test/support/server/merchantApi.ts'
import { createIntent, type Json, randomWallet } from '../../test/support/server/testServer.ts'
import { startReceiver } from '../../test/support/server/webhookReceiver.ts'
import { createLog } from '../lib/createLog.ts'
import { createMetrics } from '../lib/metrics/metrics.ts'
import { findDueAlerts, storeFailingEndpoints } from '../store/alerts/alertObjects.ts'
import { clearAttention, writeAttention } from '../store/attention/attention.ts'
import { transaction } from '../store/connection/connect.ts'
import { insertEvents, type NewEvent } from '../store/events/events.ts'
import { raiseDueAlerts } from './raiseAlerts.ts'

const server = serverOfFile({ webhooks: 'delivering' })
const second = 1_000
const hour = 3_600 * second
const day = 24 * hour
const start = Date.UTC(2030, 0, 1)
const metrics = createMetrics([])

/** One check for alerts, as every server runs it. */
function look(now: number, dashboardUrl: string | null = null): Promise<void> {
  const context = { db: server.db, database: { report() {} }, log: createLog('silent'), metrics }
  return raiseDueAlerts({ ...context, dashboardUrl, now: () => now })
}

type Shop = Awaited<ReturnType<typeof openShop>>

let sequence = 100

/** Writes an event as a change of its subject does. */
function write(
  { merchantId }: Pick<Shop, 'merchantId'>,
  type: NewEvent['type'],
  object: Json,
  now: number,
  mode: Mode = 'testnet',
): Promise<void> {
  sequence += 1
  const subject = { intentId: null, transferId: null, refundId: null, paymentLink: null }
  const about = { ...subject, ...aboutOf(type, object.id) }
  const event = { ...about, merchantId, mode, type, sequence, object: JSON.stringify(object) }
  return transaction(server.db, (client) => insertEvents(client, [event], now))
}

function aboutOf(type: string, id: string) {
  if (type.startsWith('transfer.')) return { transferId: id }
  return type.startsWith('refund.') ? { refundId: id } : { intentId: id }
}

/** Stores that an object needs attention, as its change does. */
function attend({ merchantId }: Pick<Shop, 'merchantId'>, id: string, type: AlertCause) {
  return writeAttention(server.db.pool, [{ merchantId, mode: 'testnet', id, type, since: start }])
}

const dealWith = (id: string) => clearAttention(server.db.pool, [id])

async function unmatched(shop: Pick<Shop, 'merchantId'>, now: number): Promise<string> {
  const id = await storeTransfer(server.db, { merchantId: shop.merchantId, to: randomWallet() })
  await write(shop, 'transfer.unmatched', { id, amount_units: 1_000_000 }, now)
  return id
}

async function alertsOf({ merchantId }: Pick<Shop, 'merchantId'>): Promise<Alert[]> {
  const { rows } = await server.db.pool.query<{ object: string }>(
    `select object from events where merchant_id = $1 and type = 'alert.raised' order by written`,
    [merchantId],
  )
  return rows.map(({ object }) => JSON.parse(object))
}

async function mailsOf({ merchantId }: Pick<Shop, 'merchantId'>) {
  const { rows } = await server.db.pool.query<{ recipient: string; subject: string; text: string }>(
    'select recipient, subject, text from mails where merchant_id = $1 order by recipient',
    [merchantId],
  )
  return rows
}

async function addPerson(
  { merchantId }: Pick<Shop, 'merchantId'>,
  email: string | null,
  { role = 'owner', removed = false } = {},
): Promise<void> {
  await server.db.pool.query(
    `insert into people (id, merchant_id, name, email, role, created_at, removed_at)
     values (gen_random_uuid(), $1, 'Ada', $2, $3, now(), case when $4 then now() end)`,
    [merchantId, email, role, removed],
  )
}

test('fifty unmatched transfers are one alert with a count, and one mail for each owner', async () => {
  const shop = await openShop(server)
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const { secret } = await (
    await shop.api.post('/v1/webhook_endpoints', {
      url: `${receiver.url}/hooks`,
      enabled_events: ['alert.raised'],
    })
  ).json()
  await addPerson(shop, 'ada@example.com')
  await addPerson(shop, 'bob@example.com')
  await addPerson(shop, 'support@example.com', { role: 'support' })
  await addPerson(shop, 'gone@example.com', { removed: true })
  await addPerson(shop, null)
  const ids: string[] = []
  for (let at = 0; at < 50; at += 1) ids.push(await unmatched(shop, start + at))
  await look(start + second, 'https://dashboard.example.com')

  const [alert, ...others] = await alertsOf(shop)
  expect(others).toEqual([])
  expect(alert).toEqual({
    ...{ id: expect.stringMatching(/^alert_\w{30}$/), cause: 'transfer_unmatched', count: 50 },
    ...{ since: '2030-01-01T00:00:00.000Z', objects: ids.slice(0, 10), mode: 'testnet' },
  })
  const mails = await mailsOf(shop)
  expect(mails.map(({ recipient }) => recipient)).toEqual(['ada@example.com', 'bob@example.com'])
  expect(mails[0]?.subject).toBe('Test: 50 transfers match no payment (test mode)')
  expect(mails[0]?.text).toContain(`  ${ids[9]}\n  and 40 more\n`)
  expect(mails[0]?.text).toContain('Your dashboard: https://dashboard.example.com\n')

  // Like any event: delivered, signed, listed and retrievable.
  const delivered = await until(() => {
    const [first] = receiver.received
    if (!first) throw new Error('Nothing has arrived.')
    return first
  })
  const event = await verifyWebhook(delivered.body, delivered.headers as Json, secret)
  expect(event).toMatchObject({ type: 'alert.raised', sequence: 1, data: { object: alert } })
  const listed = await (await shop.api.get('/v1/events?type=alert.raised')).json()
  expect(listed.data).toEqual([JSON.parse(delivered.body)])
})

describe('once a day', () => {
  test('objects of the same day are named by the next alert, unless they are resolved by then', async () => {
    const shop = await openShop(server)
    await unmatched(shop, start)
    await look(start)
    const assigned = await unmatched(shop, start + hour)
    const second = await unmatched(shop, start + 2 * hour)
    await look(start + 2 * hour)
    await dealWith(assigned)
    await look(start + day - 1)
    expect(await alertsOf(shop)).toHaveLength(1)
    await look(start + day)
    expect((await alertsOf(shop)).slice(1)).toMatchObject([{ count: 1, objects: [second] }])
    await look(start + 3 * day)
    expect(await alertsOf(shop)).toHaveLength(2)
  })

  test('an object that needs nothing any longer raises no alert, and uses none up', async () => {
    const shop = await openShop(server)
    const id = await unmatched(shop, start)
    await dealWith(id)
    await look(start)
    expect(await alertsOf(shop)).toEqual([])
    await unmatched(shop, start + second)
    await look(start + second)
    expect(await alertsOf(shop)).toHaveLength(1)
  })

  test('for each merchant, mode and cause separately', async () => {
    const [shop, otherShop] = [await openShop(server), await openShop(server)]
    await unmatched(shop, start)
    await look(start)
    await unmatched(otherShop, start)
    const id = await storeTransfer(server.db, { merchantId: shop.merchantId, chainId: 8453 })
    await write(shop, 'transfer.unmatched', { id, amount_units: 1_000_000 }, start, 'mainnet')
    await look(start)
    expect(await alertsOf(otherShop)).toHaveLength(1)
    expect((await alertsOf(shop)).map(({ mode }) => mode)).toEqual(['testnet', 'mainnet'])
  })

  test('however many processes check at the same time', async () => {
    const shop = await openShop(server)
    for (let round = 0; round < 5; round += 1) {
      const now = start + round * 2 * day
      await unmatched(shop, now)
      const looks = Array.from({ length: 8 }, async (_, at) => {
        await look(now)
        await unmatched(shop, now + at)
        await look(now + at)
      })
      await Promise.all(looks)
      expect(await alertsOf(shop)).toHaveLength(round + 1)
    }
  })

  test('by one process while another is about to raise it', async () => {
    const shop = await openShop(server)
    await unmatched(shop, start)
    await look(start)
    const second = await unmatched(shop, start + day)
    await transaction(server.db, async (other) => {
      await other.query('update alerts set raised_at = $2 where merchant_id = $1', [
        ...[shop.merchantId, new Date(start + day)],
      ])
      await look(start + day)
      expect(await alertsOf(shop)).toHaveLength(1)
    })
    await look(start + day)
    expect(await alertsOf(shop)).toHaveLength(1)
    await look(start + 2 * day)
    expect((await alertsOf(shop)).slice(1)).toMatchObject([{ objects: [second] }])
  })

  test('dust raises none', async () => {
    const shop = await openShop(server)
    const id = await storeTransfer(server.db, { merchantId: shop.merchantId, to: randomWallet() })
    await write(shop, 'transfer.unmatched', { id, amount_units: 9_999 }, start)
    await look(start)
    expect(await alertsOf(shop)).toEqual([])
  })
})

/** How each cause arises: its object, when it is due, and how it is resolved. */
type Story = (shop: Shop) => Promise<{ id: string; due: number; end?: () => Promise<unknown> }>

const stories: Record<AlertCause, Story> = {
  transfer_unmatched: async (shop) => ({ id: await unmatched(shop, start), due: start }),
  payment_intent_underpaid: async (shop) => {
    const { id } = await createIntent(server, shop.apiKey)
    await attend(shop, id, 'payment_intent_underpaid')
    const object = { id, status: 'expired', exceptions: ['underpaid'] }
    await write(shop, 'payment_intent.expired', object, start)
    return { id, due: start }
  },
  payment_intent_reversed: async (shop) => {
    const { id } = await createIntent(server, shop.apiKey)
    await attend(shop, id, 'payment_intent_reversed')
    const object = { id, status: 'succeeded', exceptions: ['reorged'] }
    await write(shop, 'payment_intent.reversed', object, start)
    return { id, due: start }
  },
  webhook_endpoint_failing: async (shop) => {
    const url = 'http://localhost/hooks'
    const { id } = await (await shop.api.post('/v1/webhook_endpoints', { url })).json()
    await failSince(id, '61 minutes')
    return {
      id,
      due: start,
      end: () =>
        server.db.pool.query('update webhook_endpoints set failing_since = null where id = $1', [
          id,
        ]),
    }
  },
  refund_waiting: async (shop) => {
    const { id: intentId } = await createIntent(server, shop.apiKey)
    const id = await storeRefund(server.db, { merchantId: shop.merchantId, intentId })
    await attend(shop, id, 'refund_waiting')
    await write(shop, 'refund.created', { id, status: 'requires_destination' }, start)
    return { id, due: start + day }
  },
}

async function failSince(endpointId: string, ago: string): Promise<void> {
  await server.db.pool.query(
    'update webhook_endpoints set failing_since = now() - $2::interval where id = $1',
    [endpointId, ago],
  )
}

describe.each(alertCauseSchema.options)('%s', (cause) => {
  test('raises an alert when it is due', async () => {
    const shop = await openShop(server)
    const { id, due } = await stories[cause](shop)
    await look(due - 1)
    if (due > start) expect(await alertsOf(shop)).toEqual([])
    await look(due)
    expect(await alertsOf(shop)).toMatchObject([{ cause, count: 1, objects: [id] }])
    // Each object once.
    await look(due + 2 * day)
    expect(await alertsOf(shop)).toHaveLength(1)
  })

  test('raises none once it is resolved', async () => {
    const shop = await openShop(server)
    const { id, due, end = () => dealWith(id) } = await stories[cause](shop)
    await end()
    await look(due)
    expect(await alertsOf(shop)).toEqual([])
  })
})

test('an endpoint is named again each time it starts to fail, after an hour of failures', async () => {
  const shop = await openShop(server)
  const { id } = await stories.webhook_endpoint_failing(shop)
  await look(start)
  await failSince(id, '59 minutes')
  await look(start + 2 * day)
  expect(await alertsOf(shop)).toHaveLength(1)
  await failSince(id, '62 minutes')
  await look(start + 3 * day)
  expect(await alertsOf(shop)).toHaveLength(2)
})

test.each([
  ['works again', 'failing_since = null'],
  ['is disabled', `disabled_reason = 'failing'`],
])('an endpoint that %s within the day of an alert is not named by the next', async (_, change) => {
  const shop = await openShop(server)
  await stories.webhook_endpoint_failing(shop)
  await look(start)
  const { id } = await stories.webhook_endpoint_failing(shop)
  await look(start + hour)
  await server.db.pool.query(`update webhook_endpoints set ${change} where id = $1`, [id])
  await look(start + 2 * day)
  expect(await alertsOf(shop)).toHaveLength(1)
})

test('a refund with a new reason to wait waits a day for that', async () => {
  const shop = await openShop(server)
  const { id } = await stories.refund_waiting(shop)
  await write(shop, 'refund.updated', { id, status: 'requires_signature' }, start + hour)
  await look(start + day)
  expect(await alertsOf(shop)).toEqual([])
  await look(start + day + hour)
  expect(await alertsOf(shop)).toMatchObject([{ since: '2030-01-01T01:00:00.000Z' }])
})

test('an alert that cannot be raised delays no other', async () => {
  const [broken, shop] = [await openShop(server), await openShop(server)]
  await unmatched(broken, start)
  await server.db.pool.query('update alert_objects set mode = $2 where merchant_id = $1', [
    ...[broken.merchantId, 'nonsense'],
  ])
  await unmatched(shop, start + second)
  await look(start + second)
  expect(await alertsOf(shop)).toHaveLength(1)
  expect(await findDueAlerts(server.db.pool, start + second)).toEqual([])
})

test('a check reads the same pages among a hundred thousand waiting refunds', async () => {
  const { merchantId } = await openShop(server)
  const isLarge = /^(alert_objects|webhook_endpoints|transfers|mails)$/
  const pages = async () => {
    const explained = explaining(server.db, isLarge)
    await storeFailingEndpoints(explained.db.pool, start)
    await findDueAlerts(explained.db.pool, start + 40 * day)
    return explained
  }
  const fill = async (from: number, to: number) => {
    await server.db.pool.query(
      `insert into alert_objects (cause, object_id, merchant_id, mode, since, due_at)
       select 'refund_waiting', 're_filled' || n, $1, 'testnet', '2031-01-01', '2031-01-02'
       from generate_series($2::int, $3::int) n`,
      [merchantId, from, to],
    )
    await server.db.pool.query(
      `insert into webhook_endpoints (id, merchant_id, mode, url, description, secret_key, created_at)
       select 'we_filled' || n, $1, 'testnet', 'https://shop.example.com', '', '', now()
       from generate_series($2::int, $3::int) n`,
      [merchantId, from, to],
    )
    await server.db.pool.query('vacuum analyze alert_objects, webhook_endpoints')
  }
  await fill(1, 1_000)
  const few = (await pages()).pages
  await fill(1_001, 100_000)
  const many = await pages()
  expect([...many.scanned]).toEqual([])
  expect(many.pages).toBeLessThan(few + 20)
})

test('each alert is counted by its cause', async () => {
  const printed = await metrics.registry.getSingleMetricAsString(
    'payment_intents_alerts_raised_total',
  )
  for (const cause of alertCauseSchema.options) {
    expect(printed).toMatch(new RegExp(`cause="${cause}"} [1-9]`))
  }
})
