import { limits } from '@payment-intents/contract'
import type { DevAccount } from '@payment-intents/testing'
import { describe, expect, test } from 'vitest'
import { allowReturnOrigin } from '../../../../../tests/support/allowReturnOrigin.ts'
import { isFull } from '../../../../../tests/support/tier.ts'
import { until } from '../../../../../tests/support/until.ts'
import { countWaiting, lock } from '../../../test/support/database/locks.ts'
import { authorizingOfTest } from '../../../test/support/server/authorizing.ts'
import { merchantApi } from '../../../test/support/server/merchantApi.ts'
import { createTestMerchant, type Json, post } from '../../../test/support/server/testServer.ts'

const { reader, chain, signed, submitAuthorization, submit, funded } = authorizingOfTest({
  trustProxy: 1,
})

const run = (text: string, values: unknown[] = []) => reader.db.pool.query(text, values)
const api = () => merchantApi(reader.server, reader.merchant.apiKey)
const visitorOf = (n: number) => `visitor-${String(n).padStart(20, '0')}`
/** A header with a different client address for each number. */
const from = (n: number) => ({ 'x-forwarded-for': `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}` })

async function createLink(body: object = {}): Promise<Json> {
  const terms = { amount_units: 25_000_000, description: 'Concert', ...body }
  return (await api().post('/v1/payment_links', terms)).json()
}

async function send(path: string, link: Json, body: object, headers = {}) {
  const url = `/v1/payment_links/${path}`
  const response = await post(reader.server, url, { id: link.id, ...body }, headers)
  return { status: response.status, headers: response.headers, body: await response.json() }
}

const resolve = async (link: Json, body: object = {}) => (await send('resolve', link, body)).body
const pay = (link: Json, n: number, body: object = {}, headers: object = from(n)) =>
  send('pay', link, { chain: 'base', visitor: visitorOf(n), ...body }, headers)
const change = (link: Json, body: object) =>
  api().send('PATCH', `/v1/payment_links/${link.id}`, body)
const read = (id: string) => api().read(`/v1/payment_intents/${id}`)
const count = async (link: Json) =>
  (await api().read(`/v1/payment_links/${link.id}`)).payments_count as number

/** Creates intents of visitors, as the merchant reads them, with their secrets. */
async function opened(link: Json, count: number): Promise<Json[]> {
  const all = await Promise.all(Array.from({ length: count }, (_, n) => pay(link, n)))
  return Promise.all(
    all.map(async ({ body }) => ({ ...(await read(body.payment_intent)), ...body })),
  )
}

const statusesOf = async (intents: readonly Json[]) => {
  const all = await Promise.all(intents.map(({ id }) => read(id)))
  return all.map(({ status, exceptions }) => [status, ...exceptions].join(' ')).sort()
}

/** Inserts copies of an intent. */
const robots = (id: string, count: number) =>
  run(
    `insert into payment_intents select (json_populate_record(p, json_build_object(
        'id', 'pi_robot' || n, 'payment_reference', 'reference ' || n))).*
     from payment_intents p, generate_series(1, $2) n where p.id = $1`,
    [id, count],
  )

const visitors = 50

describe('50 visitors of a link with one place', () => {
  test('who sign at the same time: one is accepted, and the others are refused before they pay', async () => {
    const link = await createLink({ max_payments: 1 })
    const intents = await opened(link, visitors)
    const payers: DevAccount[] = []
    for (const _ of intents) payers.push(await funded(25_000_000))
    const signatures = await Promise.all(intents.map((intent, n) => signed(intent, payers[n])))
    const outcomes = await Promise.all(
      intents.map((intent, n) => submitAuthorization(intent, signatures[n] as object)),
    )
    const statuses = outcomes.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(visitors - 1)
    expect(await resolve(link)).toMatchObject({ status: 'used_up' })
    const winner = statuses.indexOf(200)
    await submit(signatures[winner] as never)
    await reader.settle()
    const expected = [...Array(visitors - 1).fill('canceled'), 'succeeded']
    expect(await statusesOf(intents)).toEqual(expected)
    expect(await count(link)).toBe(1)
    expect((await pay(link, visitors)).body).toMatchObject({ reason: 'payment_link_closed' })
  })

  test('whose transfers are in the same block: the first pays, and the others are late and can be refunded', async () => {
    const link = await createLink({ max_payments: 1 })
    const intents = await opened(link, visitors)
    await chain.rpc('evm_setAutomine', [false])
    for (const intent of intents) await reader.pay(intent, 'reference', 25_000_000)
    await chain.mine()
    await chain.rpc('evm_setAutomine', [true])
    await reader.settle()
    const expected = [...Array(visitors - 1).fill('canceled late'), 'succeeded']
    expect(await statusesOf(intents)).toEqual(expected)
    expect(await count(link)).toBe(1)
    const { data } = await api().read('/v1/payment_intents', {
      payment_link: link.id,
      ...{ status: 'canceled', limit: '1' },
    })
    const refund = { payment_intent: data[0].id, destination: reader.payer }
    expect((await api().post('/v1/refunds', refund)).status).toBe(200)
  })

  test('who create while the last place is taken are stopped, and leave nothing open', async () => {
    const link = await createLink({ max_payments: 1 })
    const [firstIntent] = (await opened(link, 1)) as [Json]
    await reader.pay(firstIntent, 'reference', 25_000_000)
    // Creations wait after they have read the link.
    const release = await lock(reader.db, 'lock table link_visits in exclusive mode')
    const creating = Promise.all(Array.from({ length: 3 }, (_, n) => pay(link, n + 1)))
    await until(async () => expect(await countWaiting(reader.db)).toBeGreaterThan(0))
    await reader.read()
    await release()
    for (const { status, body } of await creating) {
      expect([status, body.reason]).toEqual([409, 'payment_link_closed'])
    }
    const { rows } = await run('select distinct status from payment_intents where id <> $1', [
      firstIntent.id,
    ])
    expect(rows).toEqual([{ status: 'canceled' }])
  })
})

describe('a place', () => {
  test('is freed by a reorg, and taken by the next visitor', async () => {
    const link = await createLink({ max_payments: 1 })
    const [firstIntent] = (await opened(link, 1)) as [Json]
    await reader.pay(firstIntent, 'reference', 25_000_000)
    await reader.read()
    expect(await resolve(link)).toMatchObject({ status: 'used_up' })
    await chain.reorg(1)
    await reader.read()
    expect([await count(link), (await resolve(link)).status]).toEqual([0, 'open'])
    const { body } = await pay(link, 7)
    await reader.pay(await read(body.payment_intent), 'reference', 25_000_000)
    await reader.settle()
    expect(await statusesOf([firstIntent, { id: body.payment_intent }])).toEqual([
      'canceled reorged',
      'succeeded',
    ])
  })

  test('is freed by an authorization that is never used', async () => {
    const link = await createLink({ max_payments: 1 })
    const [firstIntent, secondIntent] = (await opened(link, 2)) as [Json, Json]
    const signature = await signed(firstIntent)
    expect((await submitAuthorization(firstIntent, signature)).status).toBe(200)
    expect(
      (await submitAuthorization(secondIntent, await signed(secondIntent))).body,
    ).toMatchObject({
      error: 'conflict',
      reason: 'illegal_state',
    })
    await chain.setNextBlockTime(Date.parse(firstIntent.expires_at) / 1_000 + 1)
    await chain.mine()
    await reader.read()
    expect([await count(link), (await resolve(link)).status]).toEqual([0, 'open'])
  })

  test('is not taken by a part payment that is completed when none is left', async () => {
    const link = await createLink({ max_payments: 1 })
    const [slow, quick] = (await opened(link, 2)) as [Json, Json]
    await reader.pay(slow, 'reference', 20_000_000)
    await reader.read()
    await reader.pay(quick, 'reference', 25_000_000)
    await reader.read()
    await reader.pay(slow, 'reference', 5_000_000)
    await reader.settle()
    expect(await statusesOf([slow, quick])).toEqual(['canceled late', 'succeeded'])
    expect(await count(link)).toBe(1)
    // An accepted late payment also takes a place.
    await api().post(`/v1/payment_intents/${slow.id}/accept`)
    expect(await count(link)).toBe(2)
  })

  test('no longer exists if the merchant lowers the limit', async () => {
    const link = await createLink({ max_payments: 2 })
    const [firstIntent, secondIntent] = (await opened(link, 2)) as [Json, Json]
    await reader.pay(firstIntent, 'reference', 25_000_000)
    await reader.settle()
    await change(link, { max_payments: 1 })
    await reader.read()
    expect(await statusesOf([firstIntent, secondIntent])).toEqual(['canceled', 'succeeded'])
  })
})

describe('robots', () => {
  test('have a limited number of open payments from an address, and others still pay', async () => {
    const link = await createLink()
    const flood = async (n: number) => (await pay(link, n, {}, from(1))).status
    const statuses = await Promise.all(Array.from({ length: 60 }, (_, n) => flood(n)))
    const made = statuses.filter((status) => status === 200)
    expect(made).toHaveLength(limits.openAddressPayments)
    const refused = await pay(link, 99, {}, from(1))
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    expect((await pay(link, 99)).status).toBe(200)
    // A canceled payment frees a place.
    await run(`update payment_intents set status = 'canceled'`)
    expect((await pay(link, 98, {}, from(1))).status).toBe(200)
  })

  test('have a limited number of open payments of a link, and no payment of another link is refused', async () => {
    const [link, otherLink] = [await createLink(), await createLink()]
    const { body } = await pay(link, 1)
    await robots(body.payment_intent, limits.openLinkPayments - 1)
    expect((await pay(link, 2)).status).toBe(429)
    // A visitor who already has a payment continues.
    expect((await pay(link, 1)).body).toEqual(body)
    expect((await pay(otherLink, 2)).status).toBe(200)
  })

  test('use no amounts of the shop unless they pay by hand, and then only few', async () => {
    const link = await createLink()
    const reservations = async () =>
      (await run('select count(*)::int from payable_reservations')).rows[0].count
    const intents = await opened(link, 20)
    expect(await reservations()).toBe(0)
    const [firstIntent, lastIntent] = intents as [Json, Json]
    const reserve = async ({ client_secret }: Json) => {
      const body = { client_secret, reserve_amount: true }
      return (await post(reader.server, '/v1/payment_intents/resolve', body)).json()
    }
    const [reserved, secondReservation] = [await reserve(firstIntent), await reserve(firstIntent)]
    expect(reserved).toMatchObject({
      ...{ manual_available: false, price_units: 25_000_000 },
      manual: { payable_amount_units: reserved.amount_units },
    })
    expect(reserved.amount_units).toBeGreaterThan(25_000_000)
    expect(secondReservation.manual).toEqual(reserved.manual)
    expect(await reservations()).toBe(1)
    // Reach the maximum of a link.
    await robots(firstIntent.id, limits.linkReservations - 1)
    await run(
      `insert into link_visits (intent_id, link_id, visitor, client, expires_at, reserved_until)
       select id, $1, '', '', now(), now() + interval '1 day' from payment_intents
       where id like 'pi_robot%'`,
      [link.id],
    )
    expect(await reserve(lastIntent)).toMatchObject({ manual: null, manual_available: true })
    expect(await reservations()).toBe(1)
  })
})

test('a visit creates no payment intent', async () => {
  const link = await createLink()
  const visits = isFull ? 10_000 : 200
  const visit = (n: number) => send('resolve', link, { visitor: visitorOf(n) }, from(n))
  for (let n = 0; n < visits; n += 50) {
    const responses = await Promise.all(Array.from({ length: 50 }, (_, k) => visit(n + k)))
    for (const { status } of responses) expect(status).toBe(200)
  }
  const { rows } = await run('select count(*)::int from payment_intents')
  expect(rows[0].count).toBe(0)
})

describe('a visitor', () => {
  test('opens only intents that their own key created', async () => {
    const [link, otherLink] = [await createLink(), await createLink()]
    const { body } = await pay(link, 1)
    expect((await resolve(link, { visitor: visitorOf(1) })).payment.client_secret).toBe(
      body.client_secret,
    )
    expect((await resolve(link, { visitor: visitorOf(2) })).payment).toBeNull()
    expect((await resolve(otherLink, { visitor: visitorOf(1) })).payment).toBeNull()
    expect((await pay(otherLink, 1)).body.payment_intent).not.toBe(body.payment_intent)
  })

  test('who presses twice has one payment', async () => {
    for (let n = 0; n < 10; n += 1) {
      const link = await createLink()
      const twice = await Promise.all(Array.from({ length: 5 }, () => pay(link, n)))
      expect(twice.map(({ status }) => status)).toEqual(Array(5).fill(200))
      expect(new Set(twice.map(({ body }) => body.payment_intent)).size).toBe(1)
    }
  })

  test('can only open a link of the named merchant', async () => {
    const link = await createLink()
    const { id: merchant } = await createTestMerchant(reader.db)
    expect((await send('resolve', link, { merchant })).status).toBe(404)
    expect((await pay(link, 1, { merchant })).status).toBe(404)
    expect((await pay(link, 1, { merchant: reader.merchant.id })).status).toBe(200)
  })

  test('gets texts unchanged, and no return URL that is no longer registered', async () => {
    const markup = '<img src=x onerror=alert(1)>{{7*7}}'
    await allowReturnOrigin(reader.db, reader.merchant.id, 'https://shop.example')
    const link = await createLink({ description: markup, return_url: 'https://shop.example/ok' })
    expect(await resolve(link)).toMatchObject({
      description: markup,
      return_url: 'https://shop.example/ok',
    })
    await run('delete from return_origins')
    expect(await resolve(link)).toMatchObject({ return_url: null })
  })

  test('cannot open a link of a closed merchant', async () => {
    const link = await createLink()
    await run('update merchants set closed_at = now() where id = $1', [reader.merchant.id])
    expect((await send('resolve', link, {})).status).toBe(404)
    expect((await pay(link, 1)).status).toBe(404)
  })
})

test('concurrent signatures, transfers and changes of the limit take only the free places', async () => {
  const link = await createLink({ max_payments: 5 })
  const intents = await opened(link, 12)
  const payers: DevAccount[] = []
  for (const _ of intents) payers.push(await funded(25_000_000))
  const signatures = await Promise.all(intents.map((intent, n) => signed(intent, payers[n])))
  await chain.rpc('evm_setAutomine', [false])
  for (const intent of intents.slice(6)) await reader.pay(intent, 'reference', 25_000_000)
  await chain.mine()
  await chain.rpc('evm_setAutomine', [true])
  const [submitted] = await Promise.all([
    Promise.all(
      intents.slice(0, 6).map((intent, n) => submitAuthorization(intent, signatures[n] as object)),
    ),
    reader.read(),
    ...Array.from({ length: 5 }, (_, n) => change(link, { description: `Concert ${n}` })),
  ])
  const accepted = submitted.filter(({ status }) => status === 200).length
  await until(async () => {
    await reader.read()
    const { rows } = await run(
      `select count(*) filter (where holds_place)::int as held,
         count(*) filter (where status = 'pending_confirmations')::int as paid
       from payment_intents where payment_link = $1`,
      [link.id],
    )
    expect(rows[0].held).toBe(5)
    expect(rows[0].paid + accepted).toBe(5)
  })
  expect(await count(link)).toBe(5)
})
