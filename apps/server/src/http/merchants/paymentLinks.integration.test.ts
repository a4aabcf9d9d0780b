import { limits } from '@payment-intents/contract'
import { newTerms } from '@payment-intents/core'
import { beforeEach, describe, expect, test } from 'vitest'
import { allowReturnOrigin } from '../../../../../tests/support/allowReturnOrigin.ts'
import { serverOfFile } from '../../../test/support/database/fixtures.ts'
import {
  expectConflict,
  expectError,
  expectIssue,
  idsOf,
  type MerchantApi,
  openShop,
  readPages,
} from '../../../test/support/server/merchantApi.ts'
import { type Json, randomWallet } from '../../../test/support/server/testServer.ts'
import { randomBytes } from '../../lib/crypto/randomBytes.ts'
import { newId } from '../../store/lists/ids.ts'
import { createCreationStore } from '../../store/payment-intents/storeCreations.ts'

const server = serverOfFile()
const path = '/v1/payment_links'
const terms = { amount_units: 40_000_000, description: 'Term 2' }
let shop: Awaited<ReturnType<typeof openShop>>

beforeEach(async () => {
  shop = await openShop(server)
})

async function create(body: object = {}, api: MerchantApi = shop.api): Promise<Json> {
  const response = await api.post(path, { ...terms, ...body })
  expect(response.status).toBe(200)
  return response.json()
}

const change = (id: string, body: object, api: MerchantApi = shop.api) =>
  api.send('PATCH', `${path}/${id}`, body)

describe('a merchant', () => {
  test('sees only its own links, in the mode of the key', async () => {
    const link = await create()
    const stranger = await openShop(server)
    for (const api of [stranger.api, stranger.live, shop.live]) {
      await expectError(await api.get(`${path}/${link.id}`), 404, 'not_found')
      await expectError(await change(link.id, { active: false }, api), 404, 'not_found')
      expect(await api.read(path)).toEqual({ data: [], has_more: false })
    }
    expect(await shop.api.read(`${path}/${link.id}`)).toEqual(link)
  })

  test('pages through its links, newest first', async () => {
    const ids: string[] = []
    for (let made = 0; made < 5; made += 1) ids.unshift((await create()).id)
    const [second = '', fourth = ''] = [ids[1], ids[3]]
    await change(second, { active: false })
    await change(fourth, { active: false })
    const pages = await readPages(shop.api, path, { limit: '2' })
    expect(pages.flatMap(idsOf).sort()).toEqual([...ids].sort())
    const inactive = await readPages(shop.api, path, { limit: '1', active: 'false' })
    expect(inactive.map(idsOf)).toEqual([[second], [fourth]].sort().reverse())
  })

  test('may only name return URLs of registered origins, in live mode with TLS', async () => {
    const { merchantId } = shop
    for (const origin of ['https://shop.example', 'http://localhost:3000']) {
      await allowReturnOrigin(server.db, merchantId, origin)
    }
    const return_url = 'https://shop.example/thanks?a=1#b'
    const link = await create({ return_url })
    expect(link).toMatchObject({ return_url })
    expect(await create({ return_url: 'http://localhost:3000/a' })).toBeTruthy()
    await addLiveWallet()
    expect(await create({ return_url }, shop.live)).toMatchObject({ return_url, mode: 'mainnet' })
    const local = { ...terms, return_url: 'http://localhost:3000/a' }
    await expectIssue(await shop.live.post(path, local), 'return_url')
    await expectIssue(await change(link.id, { return_url: 'https://a.example' }), 'return_url')
    const stranger = await openShop(server)
    await expectIssue(await stranger.api.post(path, { ...terms, return_url }), 'return_url')
  })

  test('needs a live wallet for a live link', async () => {
    const poor = await openShop(server)
    await expectError(await poor.live.post(path, terms), 400, 'wallet_invalid')
    await addLiveWallet()
    expect(await create({}, shop.live)).toMatchObject({ mode: 'mainnet', chains: ['base'] })
  })
})

/** Call it before the first request with the live key, since the server then caches the merchant. */
async function addLiveWallet() {
  await server.db.pool.query(
    `insert into merchant_wallets (merchant_id, mode, chain, address) values ($1, 'mainnet', 'base', $2)`,
    [shop.merchantId, randomWallet()],
  )
}

describe('at the same time', () => {
  test('changes of different fields are all stored', async () => {
    const { id } = await create()
    const changes = [
      { active: false },
      { description: 'B' },
      { metadata: { a: 1 } },
      { max_payments: 7 },
      { expires_at: '2999-01-01T00:00:00.000Z' },
    ]
    const responses = await Promise.all(changes.map((body) => change(id, body)))
    expect(responses.map(({ status }) => status)).toEqual(changes.map(() => 200))
    expect(await shop.api.read(`${path}/${id}`)).toMatchObject(Object.assign({}, ...changes))
  })

  test('creations with one idempotency key create one link', async () => {
    const headers = { 'idempotency-key': 'link of invoice 7' }
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => shop.api.post(path, terms, headers)),
    )
    const bodies = await Promise.all(responses.map((response) => response.text()))
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
    expect(new Set(bodies).size).toBe(1)
    const replayed = responses.filter(({ headers }) => headers.get('idempotent-replayed'))
    expect(replayed).toHaveLength(19)
    expect((await shop.api.read(path)).data).toHaveLength(1)
    const other = { ...terms, amount_units: 1 }
    await expectConflict(await shop.api.post(path, other, headers), 'idempotency_key_reused')
  })

  test('no more links than the limit become active', async () => {
    const inactive = await Promise.all([create(), create()])
    for (const { id } of inactive) await change(id, { active: false })
    await server.db.pool.query(
      `insert into payment_links (id, merchant_id, mode, chains, active, description, metadata,
         payments_count, created_at)
       select $1 || lpad(n::text, 22, '0'), $2, 'testnet', '{base}', true, 'A', '{}', 0, now()
       from generate_series(1, $3::integer) n`,
      [`plink_${randomBytes(4).toString('hex')}`, shop.merchantId, limits.activeLinks - 1],
    )
    const responses = await Promise.all([
      ...inactive.map(({ id }) => change(id, { active: true })),
      ...inactive.map(() => shop.api.post(path, terms)),
    ])
    const statuses = responses.map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 409, 409, 409])
    await expectConflict(await shop.api.post(path, terms), 'illegal_state')
    expect(await create({}, (await openShop(server)).api)).toBeTruthy()
    const [{ id }] = (await shop.api.read(path, { active: 'true' })).data
    expect((await change(id, { description: 'Still' })).status).toBe(200)
    expect((await change(id, { active: false })).status).toBe(200)
    expect(await create()).toMatchObject({ active: true })
  })
})

test('a limit below the used places is refused', async () => {
  const { id } = await create({ max_payments: 5 })
  await server.db.pool.query('update payment_links set payments_count = 3 where id = $1', [id])
  await expectConflict(await change(id, { max_payments: 2, description: 'B' }), 'illegal_state')
  const link = await (await change(id, { max_payments: 3 })).json()
  expect(link).toMatchObject({ max_payments: 3, payments_count: 3, description: 'Term 2' })
})

test('a creation is replayed even if its terms have become impossible', async () => {
  const { merchantId } = shop
  const origin = 'https://shop.example'
  await allowReturnOrigin(server.db, merchantId, origin)
  const headers = { 'idempotency-key': 'link-1' }
  const body = { ...terms, return_url: `${origin}/` }
  const firstResponse = await shop.api.post(path, body, headers)
  await server.db.pool.query('delete from return_origins where merchant_id = $1', [merchantId])
  const secondResponse = await shop.api.post(path, body, headers)
  expect(await secondResponse.text()).toBe(await firstResponse.text())
  await expectIssue(await shop.api.post(path, body), 'return_url')
})

describe('an intent that pays a link', () => {
  async function pay(link: Json): Promise<string> {
    const wallet = randomWallet()
    const { mode } = link
    const intent = newTerms(
      { amount_units: link.amount_units, chain: 'base' },
      JSON.stringify(link.metadata),
      {
        ...{ id: shop.merchantId, mode, defaultChain: null, wallets: { base: wallet } },
        ...{ allowedWallets: [], confirmations: {} },
      },
      {
        newId: (now) => newId('pi', now),
        salt: `0x${randomBytes(32).toString('hex')}`,
        clock: Date.now,
        confirmations: { base: 5 },
        paymentLink: link.id,
      },
    )
    const store = createCreationStore(server.db, Math.random)
    const creation = { namesWallet: false, reservesAmount: true, since: Date.now(), secretKey: '' }
    expect(
      await store({
        terms: intent,
        operation: 'createPaymentIntent',
        idempotency: null,
        ...creation,
      }),
    ).toMatchObject({
      type: 'created',
    })
    return intent.id
  }

  test('names the link in every response and event, and is found by the link', async () => {
    const [link, otherLink] = [await create({ metadata: { a: 1 } }), await create()]
    const id = await pay(link)
    await pay(otherLink)
    const { id: single } = await (
      await shop.api.post('/v1/payment_intents', { amount_units: 1 })
    ).json()
    const named = { id, payment_link: link.id, metadata: { a: 1 } }
    expect(await shop.api.read(`/v1/payment_intents/${id}`)).toMatchObject(named)
    expect(await shop.api.read(`/v1/payment_intents/${single}`)).toMatchObject({
      payment_link: null,
    })
    const ofLink = { payment_link: link.id }
    for (const more of [{}, { status: 'requires_payment' }, { chain: 'base' }]) {
      const { data } = await shop.api.read('/v1/payment_intents', { ...ofLink, ...more })
      expect(data).toMatchObject([named])
    }
    expect((await shop.api.post(`/v1/payment_intents/${id}/cancel`)).status).toBe(200)
    const { data: events } = await shop.api.read('/v1/events', ofLink)
    expect(events.map(({ type }: Json) => type)).toEqual([
      'payment_intent.created',
      'payment_intent.canceled',
    ])
    for (const event of events) expect(event.data.object).toMatchObject(named)
    const [{ id: created }] = events
    for (const [query, count] of [
      [{ type: 'payment_intent.canceled' }, 1],
      [{ type: 'payment_intent.succeeded' }, 0],
      [{ starting_after: created }, 1],
      [{ payment_intent: id }, 2],
      [{ payment_intent: single }, 0],
    ] as const) {
      const { data } = await shop.api.read('/v1/events', { ...ofLink, ...query })
      expect(data, JSON.stringify(query)).toHaveLength(count)
    }
    const stranger = await openShop(server)
    for (const api of [stranger.api, shop.live]) {
      for (const list of ['/v1/events', '/v1/payment_intents']) {
        expect((await api.read(list, ofLink)).data).toEqual([])
      }
    }
  })
})
