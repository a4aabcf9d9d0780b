import { type Client, createClient, type Event, verifyWebhook } from '@payment-intents/node'
import { beforeEach, expect, test } from 'vitest'
import { until } from '../../../../tests/support/until.ts'
import { ofTest, serverOfFile } from '../../test/support/database/fixtures.ts'
import { createTestMerchant } from '../../test/support/server/testServer.ts'
import { startReceiver } from '../../test/support/server/webhookReceiver.ts'

const server = serverOfFile({ webhooks: 'delivering' })
const receiver = ofTest(startReceiver, (receiver) => receiver.close())
let client: Client

beforeEach(async () => {
  const { apiKey } = await createTestMerchant(server.db)
  client = createClient({ apiKey, baseUrl: server.url })
})

/** Waits for this many events, and verifies them. */
async function arrived(count: number, secret: string | string[]): Promise<Event[]> {
  await until(() => expect(receiver.received.length).toBeGreaterThanOrEqual(count))
  expect(receiver.received).toHaveLength(count)
  return Promise.all(
    receiver.received.map(({ body, headers }) => verifyWebhook(body, headers, secret)),
  )
}
const pay = () => client.createPaymentIntent({ amount_units: 1 })

test('an endpoint gets its events, again on request, and verifies them', async () => {
  const { secret, ...endpoint } = await client.webhookEndpoints.create({
    url: receiver.url,
    enabled_events: ['payment_intent.created'],
    description: 'Orders',
  })
  expect(await client.webhookEndpoints.retrieve(endpoint.id)).toEqual(endpoint)
  expect(await client.webhookEndpoints.list()).toEqual({ data: [endpoint], has_more: false })

  const { id } = await pay()
  const [event] = await arrived(1, secret)
  expect(event).toMatchObject({ type: 'payment_intent.created', data: { object: { id } } })
  expect(await client.events.retrieve(event?.id ?? '')).toEqual(event)
  const only = { webhook_endpoint: endpoint.id }
  expect(await client.events.redeliver(event?.id ?? '', only)).toEqual({ deliveries: 1 })
  expect(await arrived(2, secret)).toEqual([event, event])
})

test('a disabled endpoint gets the events that it missed', async () => {
  const { id, secret } = await client.webhookEndpoints.create({ url: receiver.url })
  const { update, recover } = client.webhookEndpoints
  expect(await update(id, { status: 'disabled' })).toMatchObject({ disabled_reason: 'merchant' })
  const since = new Date().toISOString()
  const missed = [await pay(), await pay()]
  await expect(recover(id, { since })).rejects.toMatchObject({
    ...{ code: 'conflict', reason: 'illegal_state' },
  })
  expect(await update(id, { status: 'enabled' })).toMatchObject({ disabled_reason: null })
  expect(await recover(id, { since })).toEqual({ deliveries: 2 })
  const events = await arrived(2, secret)
  const received = events.map(({ data }) => data.object.id)
  expect(received.sort()).toEqual(missed.map((intent) => intent.id).sort())
})

test.each([
  ['which gets through', 200],
  ['which fails', 500],
])('a redelivery that is requested during an attempt %s is sent', async (_, status) => {
  receiver.replyWith('hang')
  const { secret } = await client.webhookEndpoints.create({ url: receiver.url })
  await pay()
  const [event] = await arrived(1, secret)
  expect(await client.events.redeliver(event?.id ?? '')).toEqual({ deliveries: 1 })
  receiver.replyWith(200)
  receiver.release(status)
  expect(await arrived(2, secret)).toEqual([event, event])
})

test('both secrets verify during a rotation, and the new secret after it', async () => {
  const { id, secret } = await client.webhookEndpoints.create({ url: receiver.url })
  const rotated = await client.webhookEndpoints.rotateSecret(id, { overlap_hours: 1 })
  expect(rotated).toMatchObject({ id, secret: expect.stringMatching(/^whsec_/) })
  await pay()
  await arrived(1, secret)
  const [event] = await arrived(1, rotated.secret)
  const last = await client.webhookEndpoints.rotateSecret(id, { overlap_hours: 0 })
  await client.events.redeliver(event?.id ?? '')
  await arrived(2, [rotated.secret, last.secret])
  const [, { body, headers } = { body: '', headers: {} }] = receiver.received
  await expect(verifyWebhook(body, headers, rotated.secret)).rejects.toMatchObject({
    code: 'signature_mismatch',
  })
  await verifyWebhook(body, headers, last.secret)
})

test('the outcomes of deliveries can be listed, newest first, until the endpoint is deleted', async () => {
  receiver.replyWith(500)
  const { id } = await client.webhookEndpoints.create({ url: receiver.url })
  for (let index = 0; index < 5; index += 1) await pay()
  const { webhookEndpoints } = client
  const delivered = await until(async () => {
    const rows = []
    for await (const row of webhookEndpoints.listDeliveries(id, { limit: 2 })) rows.push(row)
    expect(rows).toHaveLength(5)
    for (const row of rows) expect(row).toMatchObject({ status: 'pending', response_status: 500 })
    return rows
  })
  const events = delivered.map(({ event }) => event)
  expect(events).toEqual([...new Set(events)].sort().reverse())
  expect(await webhookEndpoints.delete(id)).toEqual({ id, deleted: true })
  for (const method of ['retrieve', 'delete', 'listDeliveries'] as const) {
    await expect(webhookEndpoints[method](id), method).rejects.toMatchObject({
      ...{ code: 'not_found', attempts: 1 },
    })
  }
})
