import { describe, expect, test } from 'vitest'
import { serverOfFile } from '../../../test/support/database/fixtures.ts'
import { countWaiting, lock } from '../../../test/support/database/locks.ts'
import { storeTransfer } from '../../../test/support/database/storeTransfer.ts'
import { expectError, expectIssue, openShop } from '../../../test/support/server/merchantApi.ts'
import {
  createIntent,
  type Json,
  type TestResponse,
} from '../../../test/support/server/testServer.ts'

const server = serverOfFile()

const shop = () => openShop(server)
const store = (merchantId: string, intentId: string | null, amount: number) =>
  storeTransfer(server.db, { merchantId, intentId, amount })

async function events(intentId: string): Promise<string[]> {
  const { rows } = await server.db.pool.query(
    'select type from events where intent_id = $1 order by sequence',
    [intentId],
  )
  return rows.map((row) => row.type)
}

/** Makes actions on an intent wait for its lock, in this order, and then releases the lock. */
async function concurrently(intentId: string, ...requests: (() => Promise<TestResponse>)[]) {
  const release = await lock(server.db, 'select from payment_intents where id = $1 for update', [
    intentId,
  ])
  const responses: Promise<TestResponse>[] = []
  for (const send of requests) {
    responses.push(send())
    await expect.poll(() => countWaiting(server.db)).toBe(responses.length)
  }
  await release()
  return Promise.all(responses)
}

describe('POST /v1/payment_intents/:id/cancel', () => {
  const cancel = (id: string) => `/v1/payment_intents/${id}/cancel`

  test('accepts an empty object as a body, and any Idempotency-Key', async () => {
    const { api, apiKey } = await shop()
    const { id } = await createIntent(server, apiKey)
    const headers = { 'idempotency-key': 'same for both' }
    expect((await api.post(cancel(id), {}, headers)).status).toBe(200)
    expect((await api.post(cancel(id), '', headers)).status).toBe(200)
    const otherIntent = await createIntent(server, apiKey)
    const response = await api.post(cancel(otherIntent.id), undefined, headers)
    expect(await response.json()).toMatchObject({ id: otherIntent.id, status: 'canceled' })
  })

  test('409 conflict: a transfer was assigned while the request waited', async () => {
    const { api, apiKey, merchantId } = await shop()
    const { id } = await createIntent(server, apiKey, { amount_units: 100 })
    const transfer = await store(merchantId, null, 60)
    const assign = `/v1/transfers/${transfer}/assign`
    const responses = await concurrently(
      id,
      () => api.post(assign, { payment_intent: id }),
      () => api.post(cancel(id)),
    )
    expect(responses.map(({ status }) => status)).toEqual([200, 409])
    expect(await events(id)).toEqual(['payment_intent.created', 'payment_intent.underpaid'])
  })

  test.each([
    [{ reason: 'changed my mind' }, 'reason'],
    [[], ''],
    ['nope', ''],
  ])('400 invalid_body: %j', async (body, issuePath) => {
    const { api, apiKey } = await shop()
    const { id } = await createIntent(server, apiKey)
    await expectIssue(await api.post(cancel(id), body), issuePath)
    expect((await api.read(`/v1/payment_intents/${id}`)).status).toBe('requires_payment')
  })
})

describe('POST /v1/transfers/:id/assign', () => {
  test('counts both of two concurrent assignments', async () => {
    const { api, apiKey, merchantId } = await shop()
    const { id } = await createIntent(server, apiKey, { amount_units: 100 })
    const transfers = [await store(merchantId, null, 60), await store(merchantId, null, 60)]
    const responses = await concurrently(
      id,
      ...transfers.map(
        (transfer) => () => api.post(`/v1/transfers/${transfer}/assign`, { payment_intent: id }),
      ),
    )
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    expect(await api.read(`/v1/payment_intents/${id}`)).toMatchObject({
      status: 'pending_confirmations',
      amount_received_units: 120,
    })
  })

  const assign = (id: string) => `/v1/transfers/${id}/assign`

  test.each<[unknown, string]>([
    [undefined, ''],
    [{}, 'payment_intent'],
    [{ payment_intent: 7 }, 'payment_intent'],
    [{ payment_intent: 'pi_\u0000' }, 'payment_intent'],
    [{ payment_intent: '' }, 'payment_intent'],
    [{ payment_intent: 'pi_1', amount: 1 }, 'amount'],
  ])('400 invalid_body: %j', async (body, issuePath) => {
    const { api, merchantId } = await shop()
    const transfer = await store(merchantId, null, 5)
    await expectIssue(await api.post(assign(transfer), body), issuePath)
  })
})

test('another merchant’s and another mode’s objects are not found, and unchanged', async () => {
  const merchant = await shop()
  const stranger = await shop()
  const { id } = await createIntent(server, merchant.apiKey)
  const transfer = await store(merchant.merchantId, null, 5)
  const theirs = await createIntent(server, stranger.apiKey)
  const missingId = 'pi_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz'
  const groups: Json[][] = ['cancel', 'accept'].map((verb) => [
    [stranger.api, `/v1/payment_intents/${id}/${verb}`],
    [merchant.live, `/v1/payment_intents/${id}/${verb}`],
    [merchant.api, `/v1/payment_intents/${missingId}/${verb}`],
    [merchant.api, `/v1/payment_intents/%00/${verb}`],
  ])
  groups.push([
    [stranger.api, `/v1/transfers/${transfer}/assign`, { payment_intent: theirs.id }],
    [merchant.live, `/v1/transfers/${transfer}/assign`, { payment_intent: id }],
    [merchant.api, `/v1/transfers/${transfer}/assign`, { payment_intent: theirs.id }],
    [merchant.api, `/v1/transfers/${transfer}/assign`, { payment_intent: missingId }],
    [merchant.api, '/v1/transfers/tr_never/assign', { payment_intent: id }],
  ])
  for (const requests of groups) {
    const bodies = []
    for (const [api, path, body] of requests) {
      const response = await api.post(path, body)
      const { request_id: _, ...error } = await expectError(response, 404, 'not_found')
      bodies.push(error)
    }
    for (const body of bodies) expect(body).toEqual(bodies[0])
  }
  expect(await merchant.api.read(`/v1/payment_intents/${id}`)).toMatchObject({ version: 1 })
  expect((await merchant.api.read('/v1/transfers')).data).toMatchObject([{ payment_intent: null }])
})
