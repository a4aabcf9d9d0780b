import { eventSchema, limits, retrievedPaymentIntentSchema } from '@payment-intents/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anotherServer, serverOfFile } from '../../../test/support/database/fixtures.ts'
import { storeTransfer } from '../../../test/support/database/storeTransfer.ts'
import {
  expectError,
  expectIssue,
  idsOf,
  type MerchantApi,
  openShop,
  readPages,
} from '../../../test/support/server/merchantApi.ts'
import {
  createIntent,
  type Json,
  resolveIntent,
  shopWallet,
} from '../../../test/support/server/testServer.ts'

const server = serverOfFile()

const path = '/v1/payment_intents'

const shop = () => openShop(server)

/** Creates an intent with this JSON text as metadata. */
async function createWith(api: MerchantApi, metadata: string): Promise<string> {
  const response = await api.post(path, `{"amount_units":1,"metadata":${metadata}}`)
  expect(response.status).toBe(200)
  return (await response.json()).id
}

async function create(apiKey: string, count: number): Promise<Json[]> {
  const created: Json[] = []
  for (let index = 0; index < count; index += 1) created.push(await createIntent(server, apiKey))
  return created
}

describe('GET /v1/payment_intents/:id', () => {
  test('returns the fields of creation and resolve, with links, which no list has', async () => {
    const { api, apiKey } = await shop()
    const { client_secret, expires_in_minutes, ...created } = await createIntent(server, apiKey, {
      metadata: { order_id: '7' },
    })
    const response = await api.get(`${path}/${created.id}`)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const intent = await response.json()
    expect(retrievedPaymentIntentSchema.safeParse(intent).error).toBeUndefined()
    expect(intent).toMatchObject(created)
    const resolved = await resolveIntent(server, client_secret)
    for (const field of ['version', 'amount_received_units', 'confirmations', 'tx_hash']) {
      expect(intent[field]).toEqual(resolved[field])
    }
    expect(intent.links.page).toContain(client_secret)
    const listed = [await api.get(path), await api.get('/v1/events')]
    for (const list of listed) expect(await list.text()).not.toMatch(/secret|links/)
  })

  test('keeps metadata byte for byte', async () => {
    const { api } = await shop()
    const metadata = `{ "__proto__":{"a":1.0}, "n":12345678901234567890,"s":"\\u0000 é \\ud800" }`
    const id = await createWith(api, metadata)
    expect(await (await api.get(`${path}/${id}`)).text()).toContain(`"metadata":${metadata}`)
    expect(await (await api.get(path)).text()).toContain(`"metadata":${metadata}`)
    expect(await (await api.get('/v1/events')).text()).toContain(`"metadata":${metadata}`)
  })

  test("another merchant's and another mode's are not found", async () => {
    const { api, live, apiKey } = await shop()
    const [intent] = await create(apiKey, 1)
    const [foreign] = await create((await shop()).apiKey, 1)
    const never = intent.id.replace(/.{4}$/, 'zzzz')
    const responses = [
      await api.get(`${path}/${foreign.id}`),
      await live.get(`${path}/${intent.id}`),
      await api.get(`${path}/${never}`),
      await api.get(`${path}/pi_%00`),
      await api.get(`${path}/pi_'%20or%20''='`),
      await api.get(`${path}/resolve`),
    ]
    const bodies = []
    for (const response of responses) {
      const { request_id: _, ...body } = await expectError(response, 404, 'not_found')
      bodies.push({ ...body, headers: [...response.headers.keys()] })
    }
    for (const body of bodies) expect(body).toEqual(bodies[0])
  })
})

describe('GET /v1/payment_intents', () => {
  test('returns the newest first, ten by default, and says whether more follow', async () => {
    const { api, apiKey } = await shop()
    expect(await api.read(path)).toEqual({ data: [], has_more: false })
    const created = idsOf(await create(apiKey, 10))
      .sort()
      .reverse()
    const full = await api.read(path)
    expect(idsOf(full.data)).toEqual(created)
    expect(full.has_more).toBe(false)
    const [newest] = await create(apiKey, 1)
    const page = await api.read(path)
    expect(idsOf(page.data)).toEqual([newest.id, ...created.slice(0, 9)])
    expect(page.has_more).toBe(true)
    for (const intent of page.data) {
      expect(retrievedPaymentIntentSchema.safeParse(intent).error).toBeUndefined()
    }
  })

  test.each([1, 3, 7])('pages of %i together have each item once', async (limit) => {
    const { api, apiKey } = await shop()
    const created = idsOf(await create(apiKey, 6))
      .sort()
      .reverse()
    const pages = await readPages(api, path, { limit: String(limit) })
    expect(idsOf(pages.flat())).toEqual(created)
    expect(pages.map((page) => page.length)).toEqual(
      Array.from({ length: Math.ceil(6 / limit) }, (_, index) =>
        Math.min(limit, 6 - index * limit),
      ),
    )
  })

  test('holds nothing of another merchant or mode', async () => {
    const { api, live, apiKey } = await shop()
    const otherShop = await shop()
    const [intent] = await create(apiKey, 1)
    const [foreign] = await create(otherShop.apiKey, 1)
    const requested = { amount_units: 25_000_000, wallet_address: shopWallet }
    const inLive = await (await live.post(path, requested)).json()
    expect(idsOf((await api.read(path)).data)).toEqual([intent.id])
    expect(idsOf((await live.read(path)).data)).toEqual([inLive.id])
    expect(idsOf((await otherShop.api.read(path)).data)).toEqual([foreign.id])
    // Another merchant's cursor is only a position in time, and reveals nothing.
    const cursor = { starting_after: foreign.id }
    expect(idsOf((await api.read(path, cursor)).data)).toEqual([intent.id])
  })

  test.each([
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=', 'limit'],
    ['limit', 'limit'],
    ['starting_after=', 'starting_after'],
    ['starting_after=evt_000000000000000000000000000000', 'starting_after'],
    ['starting_after=pi_1', 'starting_after'],
    ['chain=ethereum', 'chain'],
    ['__proto__=1', '__proto__'],
    ['toString=1', 'toString'],
    ['status[a]=expired', 'status[a]'],
    ['metadata=1', 'metadata'],
    ['metadata=1&metadata[a]=1', 'metadata'],
    ['metadata[a]=1&metadata%5Ba%5D=2', 'metadata[a]'],
    ['status=%ff', '%ff'],
    ['status=%', '%'],
  ])('400 invalid_body: %s', async (query, issuePath) => {
    const { api } = await shop()
    await expectIssue(await api.get(`${path}?${query}`), issuePath)
  })

  test('limit goes up to a hundred', async () => {
    const { api } = await shop()
    expect(limits.pageSize).toEqual({ min: 1, max: 100, default: 10 })
    for (const limit of ['1', '100']) expect((await api.read(path, { limit })).data).toEqual([])
  })
})

describe('metadata[key]=value', () => {
  async function find(api: MerchantApi, metadata: Record<string, string>): Promise<string[]> {
    const query = Object.entries(metadata).map(([key, value]) => [`metadata[${key}]`, value])
    return idsOf((await api.read(path, Object.fromEntries(query))).data)
  }

  test('finds the intents that have the entry, or all of several entries', async () => {
    const { api } = await shop()
    const firstId = await createWith(api, '{"order_id":"1042","shop":"north"}')
    const secondId = await createWith(api, '{"order_id":"1043","shop":"north"}')
    await createWith(api, '{"shop":"south","nested":{"order_id":"1042"}}')
    expect(await find(api, { order_id: '1042' })).toEqual([firstId])
    expect(await find(api, { shop: 'north' })).toEqual([secondId, firstId].sort().reverse())
    expect(await find(api, { shop: 'north', order_id: '1043' })).toEqual([secondId])
    expect(await find(api, { shop: 'south', order_id: '1043' })).toEqual([])
    expect(await find(api, { order_id: '104' })).toEqual([])
    expect(await find(api, { '1042': 'order_id' })).toEqual([])
  })

  test('pages like any other list', async () => {
    const { api } = await shop()
    const marked: string[] = []
    for (let index = 0; index < 5; index += 1) {
      marked.push(await createWith(api, '{"a":"x"}'))
      await createWith(api, '{"a":"y"}')
    }
    const pages = await readPages(api, path, { 'metadata[a]': 'x', limit: '2' })
    expect(pages.map(idsOf)).toEqual(chunks(marked.sort().reverse(), 2))
  })

  test('is scoped to merchant and mode', async () => {
    const { api, live } = await shop()
    const otherShop = await shop()
    await createWith(api, '{"order_id":"1"}')
    expect(await find(otherShop.api, { order_id: '1' })).toEqual([])
    expect(await find(live, { order_id: '1' })).toEqual([])
    expect(await find(api, { order_id: '1' })).toHaveLength(1)
  })

  test('compares numbers and booleans as written', async () => {
    const { api } = await shop()
    const text = '{"n":12345678901234567890,"f":1.50,"b":true,"z":null,"l":["x"],"":"empty"}'
    const id = await createWith(api, text)
    expect(await find(api, { n: '12345678901234567890' })).toEqual([id])
    expect(await find(api, { n: '12345678901234567891' })).toEqual([])
    expect(await find(api, { f: '1.50' })).toEqual([id])
    expect(await find(api, { b: 'true' })).toEqual([id])
    expect(await find(api, { '': 'empty' })).toEqual([id])
    expect(await find(api, { z: 'null' })).toEqual([])
    expect(await find(api, { l: 'x' })).toEqual([])
  })

  test('finds hostile metadata, which is stored unchanged', async () => {
    const { api } = await shop()
    const id = await createWith(
      api,
      `{"nul":"a\\u0000b","half":"\\ud800","\\u0000":"key","__proto__":"p","constructor":"c","q'\\"]":"]","big":"${'x'.repeat(10_000)}","toJSON":"t"}`,
    )
    expect(await find(api, { nul: 'a\u0000b' })).toEqual([id])
    expect(await find(api, { '\u0000': 'key' })).toEqual([id])
    expect(await find(api, { __proto__x: 'p' })).toEqual([])
    expect(idsOf((await api.read(path, { 'metadata[__proto__]': 'p' })).data)).toEqual([id])
    expect(idsOf((await api.read(path, { 'metadata[__proto__]': 'q' })).data)).toEqual([])
    expect(await find(api, { constructor: 'c' })).toEqual([id])
    expect(await find(api, { 'q\'"]': ']' })).toEqual([id])
    expect(await find(api, { big: 'x'.repeat(10_000) })).toEqual([id])
    // A URL cannot contain half of a surrogate pair, and the replacement character does not match it.
    expect(await find(api, { half: '\ufffd' })).toEqual([])
    expect(await find(api, { nul: 'ab' })).toEqual([])
  })

  test('finds any top-level text', async () => {
    const { api } = await shop()
    const text = fc.string({ unit: 'grapheme', maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(text, text, text, async (key, value, other) => {
        fc.pre(value !== other && key !== 'n')
        const id = await createWith(api, JSON.stringify({ [key]: value, n: nextAmount() }))
        const all = async (filterValue: string) => {
          const query = { [`metadata[${key}]`]: filterValue, limit: '100' }
          return idsOf((await readPages(api, path, query)).flat())
        }
        expect(await all(value)).toContain(id)
        expect(await all(other)).not.toContain(id)
      }),
      { numRuns: 40 },
    )
  })

  test('finds each of thousands of entries of an intent', async () => {
    const { api } = await shop()
    const entries = Array.from({ length: 1_100 }, (_, index) => [`k${index}`, index])
    const id = await createWith(api, JSON.stringify(Object.fromEntries(entries)))
    for (const index of [0, 700, 1_099]) {
      expect(await find(api, { [`k${index}`]: String(index) })).toEqual([id])
    }
  })

  let calls = 0
  function nextAmount(): number {
    calls += 1
    return calls
  }
})

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

test('events hold the same object as a retrieval', async () => {
  const { api, apiKey } = await shop()
  const [created] = await create(apiKey, 1)
  const { data } = await api.read('/v1/events')
  expect(eventSchema.safeParse(data[0]).error).toBeUndefined()
  const { links: _, ...retrieved } = await api.read(`${path}/${created.id}`)
  expect(data[0].data.object).toEqual(retrieved)
})

describe('searching', () => {
  test.each(['payment_intents', 'transfers'])(
    '%s of another merchant are not found',
    async (list) => {
      const { apiKey, merchantId, api } = await shop()
      const intent = await createIntent(server, apiKey)
      await storeTransfer(server.db, { merchantId, intentId: intent.id })
      const [transfer] = (await api.read('/v1/transfers')).data
      const others = await shop()
      const amount_units = list === 'transfers' ? transfer.amount_units : intent.amount_units
      const searches: Record<string, string>[] = [
        { tx_hash: `0x${transfer.tx_hash.slice(2).toUpperCase()}` },
        { payer: transfer.from },
        { wallet: shopWallet },
        { reference: intent.payment_reference },
        { amount_units: String(amount_units) },
        { created_after: intent.created_at },
      ]
      for (const search of searches) {
        expect((await api.read(`/v1/${list}`, search)).data, JSON.stringify(search)).toHaveLength(1)
        expect((await others.api.read(`/v1/${list}`, search)).data).toEqual([])
        expect((await others.live.read(`/v1/${list}`, search)).data).toEqual([])
      }
    },
  )

  test('a payer and a status find the paid intents, by their current status and assignment', async () => {
    const { apiKey, merchantId, api } = await shop()
    const intent = await createIntent(server, apiKey, { metadata: { store: 'Bonn' } })
    const otherIntent = await createIntent(server, apiKey)
    const store = { merchantId, intentId: intent.id }
    const transfers = [
      await storeTransfer(server.db, store),
      await storeTransfer(server.db, { ...store, orphaned: true }),
    ]
    const [{ from: payer }] = (await api.read('/v1/transfers')).data
    const find = async (query: Record<string, string>) =>
      idsOf((await api.read(path, { payer, ...query })).data)
    for (const status of ['requires_payment', 'canceled', 'expired']) {
      await server.db.pool.query('update payment_intents set status = $2 where id = $1', [
        ...[intent.id, status],
      ])
      for (const requested of ['requires_payment', 'canceled', 'expired']) {
        const ids = status === requested ? [intent.id] : []
        expect(await find({ status: requested })).toEqual(ids)
        expect(await find({ status: requested, chain: 'base', 'metadata[store]': 'Bonn' })).toEqual(
          ids,
        )
        expect(await find({ status: requested, 'metadata[store]': 'Ulm' })).toEqual([])
        expect(await find({ status: requested, chain: 'polygon' })).toEqual([])
      }
    }
    const expired = () => find({ status: 'expired' })
    const open = () => find({ chain: 'base', status: 'requires_payment' })
    const move = (id: string | undefined) =>
      server.db.pool.query('update transfers set intent_id = $2 where id = $1', [
        id,
        otherIntent.id,
      ])
    await move(transfers[0])
    // Another transfer of the payer is still credited.
    expect([await expired(), await open()]).toEqual([[intent.id], [otherIntent.id]])
    await move(transfers[1])
    expect([await expired(), await open()]).toEqual([[], [otherIntent.id]])
    expect(await find({})).toEqual([otherIntent.id])
  })

  test('an assigned transfer is found by its payer and the resulting status', async () => {
    const { apiKey, merchantId, api } = await shop()
    const { id, amount_units: amount } = await createIntent(server, apiKey)
    const transfer = await storeTransfer(server.db, { merchantId, amount })
    const [{ from: payer }] = (await api.read('/v1/transfers')).data
    const assigned = await api.post(`/v1/transfers/${transfer}/assign`, { payment_intent: id })
    expect(assigned.status).toBe(200)
    const find = async (status: string) => idsOf((await api.read(path, { payer, status })).data)
    expect(await find('pending_confirmations')).toEqual([id])
    expect(await find('requires_payment')).toEqual([])
  })

  test('a period includes its start, and excludes its end', async () => {
    const skewMs = 45_000
    const now = () => Date.now() + skewMs
    const ahead = await anotherServer({
      db: server.db,
      clock: () => ({ now: now(), earliest: now(), skewMs, databaseSkewMs: 0 }),
    })
    const { api, apiKey } = await shop()
    const { id, created_at } = await createIntent(ahead, apiKey)
    const later = new Date(Date.parse(created_at) + 1).toISOString()
    const find = async (period: Record<string, string>) =>
      idsOf((await api.read(path, period)).data)
    expect(await find({ created_after: created_at, created_before: later })).toEqual([id])
    expect(await find({ created_before: created_at })).toEqual([])
    expect(await find({ created_after: later })).toEqual([])
  })

  test.each([
    ['tx_hash', '0x12'],
    ['payer', 'me'],
    ['reference', 'pi_1'],
    ['amount_units', '1.5'],
    ['created_after', '2026-01-31'],
    ['created_before', '1767225600'],
  ])('%s=%s is refused', async (name, value) => {
    const { api } = await shop()
    await expectIssue(await api.get(path, { [name]: value }), name)
  })
})
