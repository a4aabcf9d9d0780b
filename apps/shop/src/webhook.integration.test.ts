import { join } from 'node:path'
import type { Event, EventType } from '@payment-intents/node'
import { webhookEvent, webhookRequest } from '@payment-intents/testing/webhooks'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newFolder } from '../../../tests/support/newFolder.ts'
import { startProcess, type TestProcess } from '../../../tests/support/startProcess.ts'
import { anOrder } from '../test/anOrder.ts'
import { type RequestOf, type ResponseOf, startStandInApi } from '../test/standInApi.ts'
import { openShopDatabase } from './db/openShopDatabase.ts'
import { insertOrder } from './db/orders.ts'
import type { ListedDelivery } from './db/receivedDeliveries.ts'
import type { DescribedOrder } from './http/describeOrder.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
let folder: string
let api: Awaited<ReturnType<typeof startStandInApi>>
let list: (requested: RequestOf) => ResponseOf
const shops: TestProcess[] = []

beforeEach(async () => {
  folder = newFolder()
  list = () => page([])
  api = await startStandInApi((requested) => list(requested))
  const db = openShopDatabase(folder)
  insertOrder(db, anOrder)
  db.close()
})

afterEach(async () => {
  for (const shop of shops.splice(0)) await shop.end('SIGKILL')
  await api.close()
})

function page(data: readonly Event[]): ResponseOf {
  return { status: 200, body: { data, has_more: false } }
}

async function openShop(env: Record<string, string> = {}) {
  const shop = startProcess(join(import.meta.dirname, 'main.ts'), {
    env: {
      PORT: '0',
      DATA_DIR: folder,
      PAYMENT_INTENTS_API_KEY: 'sk_test_1',
      PAYMENT_INTENTS_WEBHOOK_SECRET: secret,
      PAYMENT_INTENTS_BASE_URL: api.url,
      ...env,
    },
  })
  shops.push(shop)
  const [, url = ''] = await shop.prints(/open at (\S+)/)
  return { shop, url }
}

/** An event of the order's payment. */
function paymentEvent(type: EventType, version: number): Event {
  const object = { id: anOrder.payment_intent_id, metadata: { order_id: anOrder.id }, version }
  return webhookEvent(type, { object })
}

function deliver(url: string, event: Event, options: { key?: string; timestamp?: Date } = {}) {
  const { key = secret, ...signed } = options
  return fetch(`${url}/webhooks`, webhookRequest(event, key, signed))
}

async function readDeliveries(url: string, of = ''): Promise<ListedDelivery[]> {
  return (await (await fetch(`${url}/api${of}/deliveries`)).json()).data
}

async function readOrder(url: string): Promise<DescribedOrder> {
  return (await fetch(`${url}/api/orders/${anOrder.id}`)).json()
}

test('twenty concurrent deliveries of one event, to two processes, fulfil once and all return 200', async () => {
  const both = [await openShop(), await openShop()]
  const paid = paymentEvent('payment_intent.succeeded', 3)
  const responses = await Promise.all(
    Array.from({ length: 10 }, () => both.map(({ url }) => deliver(url, paid))).flat(),
  )
  expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200))
  const [{ url } = expect.fail()] = both
  expect((await readDeliveries(url)).map(({ outcome }) => outcome).sort()).toEqual([
    'fulfilled',
    ...Array(19).fill('repeat'),
  ])
  const { fulfilled_at } = await readOrder(url)
  expect((await deliver(url, paid)).status).toBe(200)
  expect((await readOrder(url)).fulfilled_at).toBe(fulfilled_at)
  for (const { shop } of both) await shop.end('SIGTERM')
  const said = both.flatMap(({ shop }) => shop.output().split('\n'))
  expect(said.filter((line) => /is paid/.test(line))).toEqual([`${anOrder.id} is paid: packing it`])
})

test.each([
  ['before it is stored', 'commit', null, 'fulfilled'],
  ['between storing and responding', 'respond', expect.any(String), 'repeat'],
] as const)(
  'a shop that is killed %s fulfils once when the delivery is repeated',
  async (_, moment, fulfilled_at, outcome) => {
    const dying = await openShop({ NODE_OPTIONS: `--import=${dyingAt[moment]}` })
    const paid = paymentEvent('payment_intent.succeeded', 3)
    await expect(deliver(dying.url, paid)).rejects.toThrow()
    const { url } = await openShop()
    const before = await readOrder(url)
    expect(before.fulfilled_at).toEqual(fulfilled_at)
    expect((await deliver(url, paid)).status).toBe(200)
    const [latest] = await readDeliveries(url)
    expect(latest).toMatchObject({ outcome })
    const after = await readOrder(url)
    expect(after.fulfilled_at).toEqual(before.fulfilled_at ?? expect.any(String))
  },
)

/** Modules that kill the process that loads them, named after the moment. */
const dyingAt = {
  commit: module(`
    import { DatabaseSync } from 'node:sqlite'
    const { exec } = DatabaseSync.prototype
    DatabaseSync.prototype.exec = function (sql) {
      if (sql === 'COMMIT') process.kill(process.pid, 'SIGKILL')
      return exec.call(this, sql)
    }`),
  respond: module(`
    import { ServerResponse } from 'node:http'
    ServerResponse.prototype.writeHead = () => process.kill(process.pid, 'SIGKILL')`),
}

function module(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`
}

test('a success that overtakes earlier events is kept', async () => {
  const { url } = await openShop()
  for (const [type, version] of [
    ['payment_intent.succeeded', 3],
    ['payment_intent.pending_confirmations', 2],
  ] as const)
    expect((await deliver(url, paymentEvent(type, version))).status).toBe(200)
  expect(await readOrder(url)).toMatchObject({
    status: 'succeeded',
    fulfilled_at: expect.any(String),
    transitions: [
      { status: 'requires_payment' },
      { status: 'pending_confirmations' },
      { status: 'succeeded' },
    ],
  })
})

test('forged and replayed deliveries are refused and recorded without their content', async () => {
  const { url, shop } = await openShop()
  const event = paymentEvent('payment_intent.succeeded', 3)
  const key = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
  expect((await deliver(url, event, { key })).status).toBe(400)
  const timestamp = new Date(Date.now() - 3_600_000)
  expect((await deliver(url, event, { timestamp })).status).toBe(400)
  expect(await readOrder(url)).toMatchObject({ status: 'requires_payment', fulfilled_at: null })
  const refused = {
    received_at: expect.any(String),
    via: 'webhook',
    type: null,
    outcome: 'refused',
  }
  expect(await readDeliveries(url)).toEqual([
    { ...refused, reason: 'timestamp_too_old' },
    { ...refused, reason: 'signature_mismatch' },
  ])
  await shop.end('SIGTERM')
  const said = shop.output()
  expect(said.match(/A webhook was refused/g)).toHaveLength(2)
  for (const word of [event.id, anOrder.id, secret]) expect(said).not.toContain(word)
})

test('no list contains an order or event id; an order’s deliveries need its id', async () => {
  const { url } = await openShop()
  const paid = paymentEvent('payment_intent.succeeded', 3)
  await deliver(url, paid)
  await deliver(url, webhookEvent('payment_intent.succeeded'))
  const all = await (await fetch(`${url}/api/deliveries`)).text()
  for (const id of [anOrder.id, anOrder.payment_intent_id, paid.id]) expect(all).not.toContain(id)
  expect(JSON.parse(all).data).toMatchObject([
    { outcome: 'unknown_order' },
    { outcome: 'fulfilled' },
  ])
  const deliveries = await readDeliveries(url, `/orders/${anOrder.id}`)
  expect(deliveries).toMatchObject([{ type: 'payment_intent.succeeded', outcome: 'fulfilled' }])
  expect(await readDeliveries(url, '/orders/ord_none')).toEqual([])
})

test('events missed while the shop was closed are fetched once when it opens', async () => {
  const requested: (string | undefined)[] = []
  const missed = [
    paymentEvent('payment_intent.pending_confirmations', 2),
    paymentEvent('payment_intent.succeeded', 3),
  ]
  list = ({ path }) => {
    requested.push(path)
    return page(path?.includes('starting_after') ? [] : missed)
  }
  const { url, shop } = await openShop()
  await expect.poll(() => readOrder(url)).toMatchObject({ fulfilled_at: expect.any(String) })
  expect(await readDeliveries(url)).toMatchObject([
    { via: 'catch_up', type: 'payment_intent.succeeded', outcome: 'fulfilled' },
    { via: 'catch_up', type: 'payment_intent.pending_confirmations', outcome: 'recorded' },
  ])
  for (const event of missed) await deliver(url, event)
  expect((await readDeliveries(url)).map(({ outcome }) => outcome)).toEqual([
    'repeat',
    'repeat',
    'fulfilled',
    'recorded',
  ])
  await shop.end('SIGTERM')

  const second = await openShop()
  await expect.poll(() => requested).toHaveLength(2)
  expect(requested[1]).toContain(`starting_after=${missed[1]?.id}`)
  await second.shop.end('SIGTERM')

  // An API that no longer knows the last event is read from the beginning.
  const late = page([paymentEvent('payment_intent.paid_late', 4)])
  list = ({ path }) =>
    path?.includes('starting_after')
      ? { status: 400, body: { error: 'invalid_body', message: 'is no event' } }
      : late
  const third = await openShop()
  await expect.poll(() => readDeliveries(third.url)).toHaveLength(5)
})

test('events of a service whose clock is ahead are fetched on opening; their webhooks are repeats', async () => {
  const young = {
    ...paymentEvent('payment_intent.succeeded', 3),
    created_at: '2999-01-01T00:00:00.000Z',
  }
  const events = page([paymentEvent('payment_intent.pending_confirmations', 2), young])
  list = () => events
  const { url } = await openShop()
  await expect.poll(() => readDeliveries(url)).toHaveLength(2)
  await deliver(url, young)
  expect(await readDeliveries(url)).toMatchObject([
    { via: 'webhook', outcome: 'repeat' },
    { via: 'catch_up', outcome: 'fulfilled' },
    { via: 'catch_up', outcome: 'recorded' },
  ])
})
