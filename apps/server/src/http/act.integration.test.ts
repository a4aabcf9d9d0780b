import { retrievedPaymentIntentSchema } from '@payment-intents/contract'
import { describe, expect, test } from 'vitest'
import { serverOfFile } from '../../test/fixtures.ts'
import { countWaiting, lock } from '../../test/locks.ts'
import { expectConflict, expectError, expectIssue, openShop } from '../../test/merchantApi.ts'
import { storeTransfer } from '../../test/storeTransfer.ts'
import { createIntent, type Json, randomWallet, type TestResponse } from '../../test/testServer.ts'

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

/** Has what is done to an intent wait for its lock, in this order, and then go on. */
async function atOnce(intentId: string, ...acts: (() => Promise<TestResponse>)[]) {
  const release = await lock(server.db, 'select from payment_intents where id = $1 for update', [
    intentId,
  ])
  const answers: Promise<TestResponse>[] = []
  for (const act of acts) {
    answers.push(act())
    await expect.poll(() => countWaiting(server.db)).toBe(answers.length)
  }
  await release()
  return Promise.all(answers)
}

describe('POST /v1/payment_intents/:id/cancel', () => {
  const cancel = (id: string) => `/v1/payment_intents/${id}/cancel`

  test('cancels one that nothing was received for, once, however often it is asked', async () => {
    const { api, apiKey } = await shop()
    const { id } = await createIntent(server, apiKey)
    const response = await api.post(cancel(id))
    expect(response.status).toBe(200)
    const intent = await response.json()
    expect(retrievedPaymentIntentSchema.safeParse(intent).error).toBeUndefined()
    expect(intent).toMatchObject({ id, status: 'canceled', version: 2 })
    expect(await (await api.post(cancel(id))).json()).toEqual(intent)
    expect(await api.read(`/v1/payment_intents/${id}`)).toEqual(intent)
    expect(await events(id)).toEqual(['payment_intent.created', 'payment_intent.canceled'])
  })

  test('takes an empty object for a body too, and any Idempotency-Key', async () => {
    const { api, apiKey } = await shop()
    const { id } = await createIntent(server, apiKey)
    const headers = { 'idempotency-key': 'same for both' }
    expect((await api.post(cancel(id), {}, headers)).status).toBe(200)
    expect((await api.post(cancel(id), '', headers)).status).toBe(200)
    const other = await createIntent(server, apiKey)
    const response = await api.post(cancel(other.id), undefined, headers)
    expect(await response.json()).toMatchObject({ id: other.id, status: 'canceled' })
  })

  test('409 conflict: something was received, or it is settled', async () => {
    const { api, apiKey, merchantId } = await shop()
    const partly = await createIntent(server, apiKey)
    await store(merchantId, partly.id, 5_000_000)
    const settled = await createIntent(server, apiKey)
    await server.db.pool.query(`update payment_intents set status = 'succeeded' where id = $1`, [
      settled.id,
    ])
    for (const { id } of [partly, settled]) {
      await expectConflict(await api.post(cancel(id)), 'illegal_state')
      expect(await events(id)).toEqual(['payment_intent.created'])
    }
  })

  test('409 conflict: something was assigned while it waited', async () => {
    const { api, apiKey, merchantId } = await shop()
    const { id } = await createIntent(server, apiKey, { amount_units: 100 })
    const transfer = await store(merchantId, null, 60)
    const assign = `/v1/transfers/${transfer}/assign`
    const answers = await atOnce(
      id,
      () => api.post(assign, { payment_intent: id }),
      () => api.post(cancel(id)),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 409])
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

describe('POST /v1/payment_intents/:id/accept', () => {
  const accept = (id: string) => `/v1/payment_intents/${id}/accept`

  test('settles an expired intent for what was received', async () => {
    const { api, apiKey, merchantId } = await shop()
    const { id } = await createIntent(server, apiKey)
    await store(merchantId, id, 5_000_000)
    await server.db.pool.query(
      `update payment_intents set status = 'expired', exceptions = '{underpaid}' where id = $1`,
      [id],
    )
    const response = await api.post(accept(id))
    const intent = await response.json()
    expect({ status: response.status, intent }).toMatchObject({ status: 200, intent: { id } })
    expect(['pending_confirmations', 'succeeded']).toContain(intent.status)
    expect(retrievedPaymentIntentSchema.safeParse(intent).error).toBeUndefined()
    expect(await (await api.post(accept(id))).json()).toEqual(intent)
  })

  test('409 conflict: nothing was received', async () => {
    const { api, apiKey } = await shop()
    const { id } = await createIntent(server, apiKey)
    await expectConflict(await api.post(accept(id)), 'illegal_state')
  })
})

describe('POST /v1/transfers/:id/assign', () => {
  test('counts each of two that are assigned at once', async () => {
    const { api, apiKey, merchantId } = await shop()
    const { id } = await createIntent(server, apiKey, { amount_units: 100 })
    const transfers = [await store(merchantId, null, 60), await store(merchantId, null, 60)]
    const answers = await atOnce(
      id,
      ...transfers.map(
        (transfer) => () => api.post(`/v1/transfers/${transfer}/assign`, { payment_intent: id }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await api.read(`/v1/payment_intents/${id}`)).toMatchObject({
      status: 'pending_confirmations',
      amount_received_units: 120,
    })
  })

  test('moves what no state rests on, and nothing else', async () => {
    const { api, apiKey, merchantId } = await shop()
    const [source, target] = [
      await createIntent(server, apiKey),
      await createIntent(server, apiKey),
    ]
    const elsewhere = await createIntent(server, apiKey, { wallet_address: randomWallet() })
    const transfers = [
      await store(merchantId, null, source.amount_units),
      await store(merchantId, null, source.amount_units),
    ]
    const move = (transfer: string | undefined, to: Json) =>
      api.post(`/v1/transfers/${transfer}/assign`, { payment_intent: to.id })
    for (const transfer of transfers) expect((await move(transfer, source)).status).toBe(200)
    // The first in the order of the chain is what paid; both are of one block, and were stored in this order.
    const [paying, surplus] = transfers
    for (const [transfer, to] of [
      [paying, target],
      [surplus, elsewhere],
    ] as const) {
      await expectConflict(await move(transfer, to), 'illegal_state')
    }
    const version = (await api.read(`/v1/payment_intents/${source.id}`)).version
    const moved = [await move(surplus, target), await move(surplus, target)]
    for (const response of moved) expect(response.status).toBe(200)
    expect(await api.read(`/v1/payment_intents/${source.id}`)).toMatchObject({
      ...{ status: 'pending_confirmations', exceptions: [], version: version + 1 },
      amount_received_units: source.amount_units,
    })
    expect(await api.read(`/v1/payment_intents/${target.id}`)).toMatchObject({
      ...{ status: 'pending_confirmations', exceptions: [] },
      amount_received_units: target.amount_units,
    })
    expect((await events(source.id)).at(-1)).toBe('payment_intent.transfer_moved')
    const { data } = await api.read(`/v1/transfers?payment_intent=${target.id}`)
    expect(data).toMatchObject([{ id: surplus, bound_by: 'assignment' }])
  })

  const assign = (id: string) => `/v1/transfers/${id}/assign`

  test('credits an unmatched transfer, once, however often it is asked', async () => {
    const { api, apiKey, merchantId } = await shop()
    const { id, amount_units } = await createIntent(server, apiKey)
    const transfer = await store(merchantId, null, amount_units)
    const response = await api.post(assign(transfer), { payment_intent: id })
    const intent = await response.json()
    expect({ status: response.status, intent }).toMatchObject({
      status: 200,
      intent: { id, amount_received_units: amount_units },
    })
    expect(retrievedPaymentIntentSchema.safeParse(intent).error).toBeUndefined()
    expect(await (await api.post(assign(transfer), { payment_intent: id })).json()).toEqual(intent)
    const { data } = await api.read('/v1/transfers', { payment_intent: id })
    expect(data).toMatchObject([{ id: transfer, bound_by: 'assignment', reason: null }])

    const other = await createIntent(server, apiKey)
    const again = await api.post(assign(transfer), { payment_intent: other.id })
    expect((await expectError(again, 409, 'conflict')).reason).toBe('illegal_state')
  })

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

test('another merchant’s and another mode’s objects are answered as ones that never were, and stay', async () => {
  const own = await shop()
  const stranger = await shop()
  const { id } = await createIntent(server, own.apiKey)
  const transfer = await store(own.merchantId, null, 5)
  const theirs = await createIntent(server, stranger.apiKey)
  const never = 'pi_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz'
  const groups: Json[][] = ['cancel', 'accept'].map((verb) => [
    [stranger.api, `/v1/payment_intents/${id}/${verb}`],
    [own.live, `/v1/payment_intents/${id}/${verb}`],
    [own.api, `/v1/payment_intents/${never}/${verb}`],
    [own.api, `/v1/payment_intents/%00/${verb}`],
  ])
  groups.push([
    [stranger.api, `/v1/transfers/${transfer}/assign`, { payment_intent: theirs.id }],
    [own.live, `/v1/transfers/${transfer}/assign`, { payment_intent: id }],
    [own.api, `/v1/transfers/${transfer}/assign`, { payment_intent: theirs.id }],
    [own.api, `/v1/transfers/${transfer}/assign`, { payment_intent: never }],
    [own.api, '/v1/transfers/tr_never/assign', { payment_intent: id }],
  ])
  for (const requests of groups) {
    const bodies = []
    for (const [api, path, body] of requests) {
      const response = await api.post(path, body)
      const { request_id: _, ...answer } = await expectError(response, 404, 'not_found')
      bodies.push(answer)
    }
    for (const body of bodies) expect(body).toEqual(bodies[0])
  }
  expect(await own.api.read(`/v1/payment_intents/${id}`)).toMatchObject({ version: 1 })
  expect((await own.api.read('/v1/transfers')).data).toMatchObject([{ payment_intent: null }])
})
