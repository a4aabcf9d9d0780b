import { expect, onTestFinished, test } from 'vitest'
import { holdTimers } from '../../../../tests/support/holdTimers.ts'
import { until } from '../../../../tests/support/until.ts'
import { connect } from '../../src/store/connection/connect.ts'
import { anotherServer, dbOfFile } from '../support/database/fixtures.ts'
import { idsOf, openShop } from '../support/server/merchantApi.ts'
import { createIntent, type Json, resolveIntent } from '../support/server/testServer.ts'
import { startReceiver } from '../support/server/webhookReceiver.ts'

const database = dbOfFile()

test('a server works even if every statement and transaction uses another connection', async () => {
  const db = connect({ url: database.url, poolSize: 10, pooled: true })
  // This is the worst case of a pooler in transaction mode.
  db.pool.options.maxUses = 1
  const receiver = await startReceiver()
  onTestFinished(async () => {
    await receiver.close()
    await db.pool.end()
  })
  const server = await anotherServer({ db, webhooks: 'delivering' })
  const { api, apiKey } = await openShop(server)
  await api.post('/v1/webhook_endpoints', { url: receiver.url })

  const headers = { 'idempotency-key': 'order-1' }
  const create = async () => {
    const made = await api.post('/v1/payment_intents', { amount_units: 5_000_000 }, headers)
    return made.text()
  }
  const [response, ...replays] = await Promise.all([create(), create(), create()])
  expect(replays).toEqual([response, response])

  const waiting = await createIntent(server, apiKey)
  const wait = { after_version: 1, wait_seconds: 25 }
  // Only a change ends the held resolve.
  holdTimers(wait.wait_seconds * 1_000)
  const pending = resolveIntent(server, waiting.client_secret, wait)
  await api.post(`/v1/payment_intents/${waiting.id}/cancel`)
  expect(await pending).toMatchObject({ version: 2, status: 'canceled' })

  const { data } = await api.read('/v1/payment_intents')
  expect(idsOf(data)).toEqual([waiting.id, JSON.parse(response ?? '').id])
  const types = (await api.read('/v1/events')).data.map(({ type }: Json) => type)
  expect(types.filter((type: string) => type.startsWith('payment_intent.'))).toEqual([
    ...['payment_intent.created', 'payment_intent.created', 'payment_intent.canceled'],
  ])
  await until(() => {
    const delivered = receiver.received.map(({ body }): string => JSON.parse(body).type)
    expect(delivered).toEqual(expect.arrayContaining(types))
  })
})
