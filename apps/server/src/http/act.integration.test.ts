import { retrievedPaymentIntentSchema } from '@payment-intents/contract'
import { describe, expect, test } from 'vitest'
import { expectError, merchantApi } from '../../test/merchantApi.ts'
import { serverOfFile } from '../../test/serverOf.ts'
import {
  createIntent,
  createTestKey,
  createTestMerchant,
  type Json,
  randomWallet,
  shopWallet,
  type TestResponse,
  testToken,
} from '../../test/testServer.ts'
import { newId } from '../db/ids.ts'

const server = serverOfFile()

async function shop() {
  const { id, apiKey } = await createTestMerchant(server.db)
  const live = merchantApi(server, await createTestKey(server.db, id, 'mainnet'))
  return { api: merchantApi(server, apiKey), live, apiKey, merchantId: id }
}

let transactions = 0

/** A canonical transfer to the merchant's wallet, as the follower stores it. */
async function store(merchantId: string, intentId: string | null, amount: number): Promise<string> {
  const id = newId('tr', Date.now())
  transactions += 1
  const hash = `0x${transactions.toString(16).padStart(64, '0')}`
  await server.db.pool.query(
    `insert into transfers (id, chain_id, block_number, block_hash, block_timestamp, tx_hash, log_index,
       sender, wallet, amount_units, intent_id, bound_by, reason, merchant_id, mode, token_address)
     values ($1, 84532, 17, $2, extract(epoch from now())::bigint, $2, 0, $3, $4, $5, $6, $7, $8, $9,
       'testnet', $10)`,
    [
      ...[id, hash, `0x${'ab'.repeat(20)}`, shopWallet.toLowerCase(), amount, intentId],
      ...[intentId && 'reference', intentId ? null : 'no_intent', merchantId],
      testToken.toLowerCase(),
    ],
  )
  return id
}

async function events(intentId: string): Promise<string[]> {
  const { rows } = await server.db.pool.query(
    'select type from events where intent_id = $1 order by sequence',
    [intentId],
  )
  return rows.map((row) => row.type)
}

/** Has what is done to an intent wait for its lock, in this order, and then go on. */
async function atOnce(intentId: string, ...acts: (() => Promise<TestResponse>)[]) {
  const client = await server.db.pool.connect()
  await client.query('begin; set local idle_in_transaction_session_timeout = 0')
  await client.query('select from payment_intents where id = $1 for update', [intentId])
  const waiting = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  const count = async () => (await server.db.pool.query(waiting)).rowCount
  const answers: Promise<TestResponse>[] = []
  for (const act of acts) {
    answers.push(act())
    await expect.poll(count).toBe(answers.length)
  }
  await client.query('commit')
  client.release()
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
      const body = await expectError(await api.post(cancel(id)), 409, 'conflict')
      expect(body.reason).toBe('illegal_state')
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
    const { issues } = await expectError(await api.post(cancel(id), body), 400, 'invalid_body')
    expect(issues[0].path).toBe(issuePath)
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
    const body = await expectError(await api.post(accept(id)), 409, 'conflict')
    expect(body.reason).toBe('illegal_state')
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
      const { reason } = await expectError(await move(transfer, to), 409, 'conflict')
      expect(reason).toBe('illegal_state')
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
    const { issues } = await expectError(
      await api.post(assign(transfer), body),
      400,
      'invalid_body',
    )
    expect(issues[0].path).toBe(issuePath)
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
