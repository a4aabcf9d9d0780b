import { createPaymentIntentSchema, limits, paymentIntentSchema } from '@payment-intents/contract'
import fc from 'fast-check'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../../../../../tests/support/until.ts'
import { anotherServer, serverOfFile } from '../../../test/support/database/fixtures.ts'
import { lock } from '../../../test/support/database/locks.ts'
import { testTimeouts } from '../../../test/support/database/testDb.ts'
import {
  expectConflict,
  expectError,
  expectIssue,
  merchantApi,
} from '../../../test/support/server/merchantApi.ts'
import {
  createTestKey,
  createTestMerchant,
  post,
  randomWallet,
  resolveIntent,
} from '../../../test/support/server/testServer.ts'
import { connect } from '../../store/connection/connect.ts'
import { allowWallet, closeMerchant, setMerchantWallet } from '../../store/merchants/merchants.ts'

const server = serverOfFile()
let merchant: { id: string; apiKey: string }

beforeAll(async () => {
  merchant = await createTestMerchant(server.db)
})

const path = '/v1/payment_intents'

const sendAs = (apiKey: string, body: unknown, headers: Record<string, string> = {}) =>
  merchantApi(server, apiKey).post(path, body, headers)
const send = (body: unknown, headers?: Record<string, string>) =>
  sendAs(merchant.apiKey, body, headers)

async function count(table: string): Promise<number> {
  const { rows } = await server.db.pool.query(`select count(*)::int as count from ${table}`)
  return rows[0].count
}

describe('a valid request', () => {
  test('returns every published field and is stored with its event', async () => {
    const response = await send({
      amount_units: 12_345,
      chain: 'polygon',
      wallet_address: '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720',
      expires_in_minutes: 7,
      lane: 'manual',
      token: 'USDC',
      metadata: { order_id: '1' },
    })
    const intent = await response.json()
    expect(response.status).toBe(200)
    expect(paymentIntentSchema.safeParse(intent).error).toBeUndefined()
    expect(intent).toMatchObject({
      status: 'requires_payment',
      mode: 'testnet',
      chain: 'polygon',
      chain_id: 80002,
      confirmations_required: 20,
      amount_units: 12_345,
      decimals: 6,
      token_symbol: 'USDC',
      expected_wallet: '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720',
      expires_in_minutes: 7,
      lane: 'manual',
      metadata: { order_id: '1' },
    })
    // The tag is at most 1 % of the price.
    expect(intent.payable_amount_units - 12_345).toBeGreaterThan(0)
    expect(intent.payable_amount_units - 12_345).toBeLessThanOrEqual(123)
    expect(intent.id).toMatch(/^pi_[0-9a-z]{30}$/)
    expect(intent.client_secret).toMatch(new RegExp(`^${intent.id}_secret_[0-9A-Za-z]{43}$`))
    expect(Date.parse(intent.expires_at) - Date.parse(intent.created_at)).toBeLessThanOrEqual(
      7 * 60_000,
    )
    const { rows } = await server.db.pool.query(
      'select type, sequence, object from events where intent_id = $1',
      [intent.id],
    )
    expect(rows).toMatchObject([{ type: 'payment_intent.created', sequence: 1 }])
    expect(JSON.parse(rows[0].object)).toMatchObject({ id: intent.id, metadata: { order_id: '1' } })
  })

  test('uses the merchant’s default chain', async () => {
    const polygon = { chain: 'polygon', defaultChain: 'polygon' } as const
    const { apiKey } = await createTestMerchant(server.db, polygon)
    const response = await sendAs(apiKey, { amount_units: 1 })
    expect(await response.json()).toMatchObject({ chain: 'polygon', confirmations_required: 20 })
  })

  test('has the mode that is stored with the key, even if the prefix differs', async () => {
    const { apiKey } = await createTestMerchant(server.db, { mode: 'mainnet' })
    expect(apiKey).toMatch(/^sk_live_/)
    await server.db.pool.query(
      `update api_keys set mode = 'testnet' where hint like '%' || $1 and mode = 'mainnet'`,
      [apiKey.slice(-4)],
    )
    const body = { amount_units: 1, wallet_address: randomWallet() }
    const intent = await (await sendAs(apiKey, body)).json()
    expect(intent.mode).toBe('testnet')
  })

  test('gets its metadata back byte for byte', async () => {
    const metadata = `{ "__proto__":{"a":1.0}, "n":12345678901234567890,"s":"\\u0000 é \\ud800" }`
    const response = await send(`{"amount_units":1,"metadata":${metadata}}`)
    expect(await response.text()).toContain(`"metadata":${metadata}`)
  })

  test('never stores or logs a key or a client secret', async () => {
    const { client_secret } = await (await send({ amount_units: 5 })).json()
    const tables = ['payment_intents', 'idempotency_keys', 'events', 'api_keys']
    const dumps = await Promise.all(
      tables.map((table) => server.db.pool.query(`select t::text from ${table} t`)),
    )
    const written = JSON.stringify(dumps.map(({ rows }) => rows)) + server.logs.join('\n')
    expect(written).not.toContain(client_secret)
    expect(written).not.toContain(merchant.apiKey)
    expect(written).toContain('payment_intent.created')
  })

  test('can be for the greatest amount', async () => {
    const responses = await Promise.all(
      [1, 2].map(() => send({ amount_units: Number.MAX_SAFE_INTEGER }).then((r) => r.json())),
    )
    for (const response of responses) {
      expect(response.payable_amount_units).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER)
    }
  })
})

describe('the published error table', () => {
  test('401 api_key_missing: an empty bearer', async () => {
    const headers = { authorization: 'Bearer ' }
    await expectError(await post(server, path, 'not json', headers), 401, 'api_key_missing')
  })

  test('401 api_key_invalid: a typo, an unknown and a revoked key have one response, and the log has the cause', async () => {
    const revoked = await createTestKey(server.db, merchant.id, 'testnet')
    await server.db.pool.query(
      `update api_keys set revoked_at = now() where hint like '%' || $1 and merchant_id = $2`,
      [revoked.slice(-4), merchant.id],
    )
    const otherServer = await anotherServer()
    const unknown = (await createTestMerchant(otherServer.db)).apiKey
    const typo = merchant.apiKey.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
    const bodies = []
    for (const [key, why] of [
      [typo, 'malformed'],
      [unknown, 'unknown'],
      [revoked, 'revoked'],
    ] as const) {
      server.logs.length = 0
      const response = await sendAs(key, {})
      const { request_id: _, ...body } = await expectError(response, 401, 'api_key_invalid')
      bodies.push(body)
      expect(server.logs.join()).toContain(`"api_key":"${why}"`)
    }
    expect(bodies[1]).toEqual(bodies[0])
    expect(bodies[2]).toEqual(bodies[0])
  })

  test('404 merchant_not_found: the merchant has been closed, before the body is read', async () => {
    const closed = await createTestMerchant(server.db)
    await closeMerchant(server.db.pool, closed.id)
    const response = await sendAs(closed.apiKey, 'x')
    await expectError(response, 404, 'merchant_not_found')
  })

  test.each([
    ['amount negative', { amount_units: -1 }, 'amount_units'],
    ['amount infinite', '{"amount_units":1e999}', 'amount_units'],
    ['amount not a number', '{"amount_units":NaN}', ''],
    ['metadata null', { amount_units: 1, metadata: null }, 'metadata'],
    ['property twice', '{"amount_units":1,"amount_units":1}', 'amount_units'],
    ['prototype property', '{"amount_units":1,"__proto__":{}}', '__proto__'],
    ['empty', '', ''],
    ['64 KiB of brackets', `{"amount_units":1,"metadata":${'['.repeat(65_000)}`, ''],
  ])('400 invalid_body: %s', async (_name, body, issuePath) => {
    const before = await count('payment_intents')
    await expectIssue(await send(body), issuePath)
    expect(await count('payment_intents')).toBe(before)
  })

  test('400 invalid_body: another content type', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx']) {
      const response = await send('{"amount_units":1}', { 'content-type': type })
      await expectError(response, 400, 'invalid_body')
    }
  })

  test('400 wallet_invalid: another merchant’s wallet', async () => {
    const [wallet, both] = [randomWallet(), randomWallet()]
    const owner = await createTestMerchant(server.db, { wallet })
    const partner = await createTestMerchant(server.db, { wallet: both })
    const create = (apiKey: string, wallet_address: string) =>
      sendAs(apiKey, { amount_units: 1, wallet_address })
    for (const named of [wallet, wallet.toUpperCase().replace('0X', '0x')]) {
      await expectError(await create(partner.apiKey, named), 400, 'wallet_invalid')
    }
    expect((await create(owner.apiKey, wallet)).status).toBe(200)
    // A wallet that both merchants list belongs to both.
    await setMerchantWallet(server.db.pool, {
      ...{ merchantId: owner.id, mode: 'testnet', chain: 'base', address: both },
    })
    expect((await create(partner.apiKey, both)).status).toBe(200)
    expect((await create(owner.apiKey, both)).status).toBe(200)
    // Nobody lists the wallet in the other mode.
    const live = await createTestKey(server.db, partner.id, 'mainnet')
    expect((await create(live, wallet)).status).toBe(200)
  })

  test('400 invalid_body: a chain that this server does not follow', async () => {
    const live = await createTestMerchant(server.db, { mode: 'mainnet', chain: 'polygon' })
    const response = await sendAs(live.apiKey, { amount_units: 1, chain: 'polygon' })
    await expectIssue(response, 'chain')
  })

  test('500 internal_error: the response does not tell the cause, which is logged', async () => {
    const broken = await anotherServer()
    const { apiKey } = await createTestMerchant(broken.db)
    await broken.db.pool.query('drop table events cascade')
    const response = await merchantApi(broken, apiKey).post(path, { amount_units: 1 })
    const body = await expectError(response, 500, 'internal_error')
    expect(JSON.stringify(body)).not.toMatch(/events|relation|at /)
    expect(broken.logs.join()).toContain('relation')
    const { rows } = await broken.db.pool.query('select 1 from payment_intents')
    expect(rows).toEqual([])
  })

  test('404 not_found and 405 method_not_allowed', async () => {
    await expectError(await server.request('/v2/nothing'), 404, 'not_found')
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const response = await server.request(path, { method })
      await expectError(response, 405, 'method_not_allowed')
      expect(response.headers.get('allow')).toBe('GET, HEAD, POST')
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  test('any body gets 200, or a 400 that changes nothing', async () => {
    const anything = fc.oneof(
      fc.record(
        {
          amount_units: fc.oneof(fc.integer({ min: -2, max: 1_000 }), fc.double(), fc.string()),
          chain: fc.oneof(fc.constantFrom('base', 'polygon'), fc.string()),
          wallet_address: fc.oneof(fc.constant(randomWallet()), fc.string()),
          expires_in_minutes: fc.oneof(fc.integer(), fc.double()),
          lane: fc.oneof(fc.constantFrom('sdk', 'manual'), fc.string()),
          metadata: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
          token: fc.oneof(fc.constant('USDC'), fc.string()),
          other: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
      fc.jsonValue(),
    )
    await fc.assert(
      fc.asyncProperty(anything, async (body) => {
        const sent = JSON.stringify(body)
        const before = await count('payment_intents')
        const response = await send(sent)
        expect([200, 400]).toContain(response.status)
        const grown = (await count('payment_intents')) - before
        expect(grown).toBe(response.status === 200 ? 1 : 0)
        // The schema of the document must accept the body that the server accepted.
        const valid = createPaymentIntentSchema.safeParse(JSON.parse(sent)).success
        if (!valid) expect(response.status).toBe(400)
      }),
      { numRuns: 150 },
    )
  })
})

describe('Idempotency-Key', () => {
  test('a replay says that its intent has ended since, and how', async () => {
    const headers = { 'idempotency-key': 'order-ended' }
    const firstResponse = await send({ amount_units: 9 }, headers)
    const text = await firstResponse.text()
    const { id } = JSON.parse(text)
    expect(firstResponse.headers.get('payment-intent-status')).toBeNull()
    for (const [status, shown] of [
      ['requires_payment', null],
      ['pending_confirmations', null],
      ['expired', 'expired'],
      ['canceled', 'canceled'],
      ['succeeded', 'succeeded'],
    ]) {
      await server.db.pool.query('update payment_intents set status = $2 where id = $1', [
        id,
        status,
      ])
      const secondResponse = await send({ amount_units: 9 }, headers)
      expect(secondResponse.headers.get('payment-intent-status')).toBe(shown)
      expect(await secondResponse.text()).toBe(text)
    }
  })

  test('is scoped to the merchant and the mode', async () => {
    const headers = { 'idempotency-key': 'order-3' }
    const otherMerchant = await createTestMerchant(server.db)
    const live = await createTestMerchant(server.db, { mode: 'mainnet' })
    const responses = await Promise.all(
      [merchant, otherMerchant, live].map(({ apiKey }) =>
        sendAs(apiKey, { amount_units: 9 }, headers),
      ),
    )
    const ids = await Promise.all(responses.map(async (response) => (await response.json()).id))
    expect(new Set(ids).size).toBe(3)
  })

  test('replays a request that is no longer allowed', async () => {
    const { id, apiKey } = await createTestMerchant(server.db)
    const create = (wallet_address: string) =>
      sendAs(apiKey, { amount_units: 3, wallet_address }, { 'idempotency-key': 'before the list' })
    const wallet = randomWallet()
    const firstIntent = await (await create(wallet)).json()
    await allowWallet(server.db.pool, { merchantId: id, address: randomWallet() })
    const secondResponse = await create(wallet)
    expect(secondResponse.headers.get('idempotent-replayed')).toBe('true')
    expect(await secondResponse.json()).toEqual(firstIntent)
    // Wait until the server has received the change.
    await until(async () => expectError(await create(randomWallet()), 400, 'wallet_invalid'))
  })

  test('replays for any API key of the merchant, so that keys can be rolled', async () => {
    const headers = { 'idempotency-key': 'order-4' }
    const next = await createTestKey(server.db, merchant.id, 'testnet')
    const firstResponse = await send({ amount_units: 9 }, headers)
    const secondResponse = await sendAs(next, { amount_units: 9 }, headers)
    expect(await secondResponse.text()).toBe(await firstResponse.text())
  })

  test('409 conflict: the request waits for a request in flight, and must then be sent again', async () => {
    const release = await lock(
      server.db,
      `insert into idempotency_keys (merchant_id, mode, route, key, request_hash, response, secret_key)
       values ($1, 'testnet', 'POST /v1/payment_intents', 'order-6', '', '{}', '')`,
      [merchant.id],
    )
    const headers = { 'idempotency-key': 'order-6' }
    const url = server.db.pool.options.connectionString ?? ''
    const db = connect({ url, poolSize: 2, timeouts: { ...testTimeouts, lock: 200 } })
    onTestFinished(() => db.pool.end())
    const impatient = merchantApi(await anotherServer({ db }), merchant.apiKey)
    const response = await impatient.post(path, { amount_units: 9 }, headers)
    await expectConflict(response, 'idempotency_key_in_flight')
    expect(response.headers.get('retry-after')).toBe('1')
    expect(response.headers.get('x-should-retry')).toBe('true')
    await release()
    expect((await send({ amount_units: 9 }, headers)).status).toBe(200)
  })

  test('is free again after a day', async () => {
    const headers = { 'idempotency-key': 'order-8' }
    const { id } = await (await send({ amount_units: 9 }, headers)).json()
    await server.db.pool.query(
      `update idempotency_keys set created_at = now() - interval '24 hours 1 second' where key = 'order-8'`,
    )
    const secondResponse = await send({ amount_units: 10 }, headers)
    expect(secondResponse.status).toBe(200)
    expect((await secondResponse.json()).id).not.toBe(id)
  })

  test('400 invalid_body: not 1 to 255 printable characters', async () => {
    for (const key of ['', 'x'.repeat(256), 'tab\there', 'é']) {
      const response = await send({ amount_units: 9 }, { 'idempotency-key': key })
      await expectIssue(response, 'Idempotency-Key')
    }
    const longest = { 'idempotency-key': 'x'.repeat(limits.idempotencyKeyLength) }
    expect((await send({ amount_units: 9 }, longest)).status).toBe(200)
  })
})

describe('the payable amount', () => {
  test('is distinct at a wallet, never the price, and has the plainest free shape', async () => {
    const wallet_address = randomWallet()
    const tags: number[] = []
    for (let index = 0; index < 60; index += 1) {
      const response = await send({ amount_units: 1_000_000, wallet_address })
      tags.push((await response.json()).payable_amount_units - 1_000_000)
    }
    expect(new Set(tags).size).toBe(60)
    expect(tags.slice(0, 50).every((tag) => tag % 200 === 100 && tag < 10_000)).toBe(true)
    expect(tags.slice(50).every((tag) => tag % 100 !== 0 && tag > 0 && tag < 10_000)).toBe(true)
  })

  test('is not the price of an open intent', async () => {
    const wallet_address = randomWallet()
    // Make all amounts of the first shape above 1 USDC prices.
    for (let tag = 100; tag < 10_000; tag += 200) {
      await send({ amount_units: 1_000_000 + tag, wallet_address })
    }
    const response = await send({ amount_units: 1_000_000, wallet_address })
    expect((await response.json()).payable_amount_units % 100).not.toBe(0)
  })

  test('is distinct even if many are created at once', async () => {
    const wallet_address = randomWallet()
    async function payable(): Promise<number> {
      const response = await send({ amount_units: 5, wallet_address })
      // A busy machine may not process all requests within a merchant's wait.
      if (response.status === 429) return payable()
      expect(response.status).toBe(200)
      return (await response.json()).payable_amount_units
    }
    const payables = await Promise.all(Array.from({ length: 50 }, payable))
    expect(new Set(payables).size).toBe(50)
  })

  test('if none is left, manual gets 409 conflict, and sdk uses the reference alone', async () => {
    const wallet_address = randomWallet()
    await server.db.pool.query(
      `insert into payable_reservations (chain_id, wallet, payable_amount_units, intent_id, since, until)
       select 84532, $1, n, 'pi_other', now(), now() + interval '1 day' from generate_series(8, 7 + 99) n`,
      [wallet_address],
    )
    const headers = { 'idempotency-key': 'full' }
    const refused = await send({ amount_units: 7, wallet_address, lane: 'manual' }, headers)
    await expectConflict(refused, 'no_payable_amount_left')

    const intent = await (await send({ amount_units: 7, wallet_address }, headers)).json()
    expect(intent.payable_amount_units).toBe(7)
    const resolved = await resolveIntent(server, intent.client_secret)
    expect(resolved).toMatchObject({ manual: null, amount_units: 7 })
  })
})
