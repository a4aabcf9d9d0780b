import { once } from 'node:events'
import { resolvedPaymentIntentSchema } from '@payment-intents/contract'
import pg from 'pg'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { until } from '../../../../../tests/support/until.ts'
import { anotherServer, serverOfFile } from '../../../test/support/database/fixtures.ts'
import { storeTransfer } from '../../../test/support/database/storeTransfer.ts'
import { expectIssue } from '../../../test/support/server/merchantApi.ts'
import {
  createIntent,
  createTestMerchant,
  type Json,
  post,
  randomWallet,
  resolveIntent,
  serverKeys,
  startTestServer,
  type TestResponse,
  type TestServer,
} from '../../../test/support/server/testServer.ts'
import type { ServerKey } from '../../lib/crypto/serverKey.ts'
import { transaction } from '../../store/connection/connect.ts'
import { updateSettings } from '../../store/merchants/settings.ts'
import { lockIntents, saveProgress } from '../../store/payment-intents/paymentIntents.ts'

const server = serverOfFile()
let apiKey: string

beforeAll(async () => {
  apiKey = (await createTestMerchant(server.db)).apiKey
})

const path = '/v1/payment_intents/resolve'

function change(id: string, on: TestServer = server): Promise<void> {
  return transaction(on.db, async (client) => {
    const [intent] = await lockIntents(client, [id])
    if (!intent) throw new Error(`no intent ${id}`)
    await saveProgress(client, [{ ...intent, version: intent.version + 1 }])
  })
}

describe('the response', () => {
  test('repeats the fields of the creation, adds the current state, and never contains the secret', async () => {
    const {
      client_secret,
      expires_in_minutes,
      payable_amount_units,
      created_at,
      links,
      ...created
    } = await createIntent(server, apiKey, { metadata: { order_id: '7' } })
    const before = Date.now()
    const resolved = await resolveIntent(server, client_secret)
    const serverTime = Date.parse(resolved.server_time)
    expect(serverTime).toBeGreaterThanOrEqual(before)
    expect(serverTime).toBeLessThanOrEqual(Date.now())
    expect(resolvedPaymentIntentSchema.safeParse(resolved).error).toBeUndefined()
    expect(resolved).toMatchObject({
      ...created,
      amount_units: payable_amount_units,
      price_units: created.amount_units,
      version: 1,
      amount_received_units: 0,
      confirmations: 0,
      tx_hash: null,
      exceptions: [],
      merchant_name: 'Test',
      support: null,
      guide: null,
      manual: {
        payable_amount_units,
        payment_uri: `ethereum:${created.token_address}@84532/transfer?address=${created.expected_wallet}&uint256=${payable_amount_units}`,
      },
      near_misses: [],
    })
    expect(JSON.stringify(resolved)).not.toContain(client_secret)
    expect(server.logs.join()).not.toContain(client_secret)
  })

  test('has the merchant’s support contact and guide', async () => {
    const merchant = await createTestMerchant(server.db)
    const { client_secret } = await createIntent(server, merchant.apiKey)
    const help = { support: 'help@shop.example', guide: 'none' }
    await updateSettings(server.db, merchant.id, help)
    expect(await resolveIntent(server, client_secret)).toMatchObject({
      support: 'help@shop.example',
      guide: 'none',
    })
  })

  test.each(['expired', 'canceled'])('of an intent that is %s is a 200', async (status) => {
    const { id, client_secret } = await createIntent(server, apiKey)
    await server.db.pool.query('update payment_intents set status = $2 where id = $1', [id, status])
    expect(await resolveIntent(server, client_secret)).toMatchObject({ status })
  })
})

describe('errors', () => {
  async function expectError(response: TestResponse, status: number, error: string): Promise<Json> {
    const body = await response.json()
    expect({ status: response.status, error: body.error }).toEqual({ status, error })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    return body
  }

  test('404 intent_not_found: a wrong secret and an unknown intent have the same response', async () => {
    const { client_secret } = await createIntent(server, apiKey)
    const invalid = client_secret.replace(/.$/, (last: string) => (last === 'a' ? 'b' : 'a'))
    const bodies = []
    for (const secret of [invalid, 'pi_x_secret_y', 'x', client_secret.replace('pi_0', 'pi_1')]) {
      const response = await post(server, path, { client_secret: secret })
      const { request_id: _, ...body } = await expectError(response, 404, 'intent_not_found')
      bodies.push(JSON.stringify(body))
    }
    expect(new Set(bodies).size).toBe(1)
  })

  test.each([
    ['secret missing', {}, 'client_secret'],
    ['secret not a string', { client_secret: 1 }, 'client_secret'],
    ['unknown property', { client_secret: 'x', status: 'paid' }, 'status'],
    ['wait too long', { client_secret: 'x', wait_seconds: 26 }, 'wait_seconds'],
    ['wait negative', { client_secret: 'x', wait_seconds: -1 }, 'wait_seconds'],
    ['version a fraction', { client_secret: 'x', after_version: 0.5 }, 'after_version'],
    ['payer malformed', { client_secret: 'x', payer: '0x' }, 'payer'],
    ['not JSON', 'client_secret=x', ''],
  ])('400 invalid_body: %s', async (_name, body, issuePath) => {
    await expectIssue(await post(server, path, body), issuePath)
  })

  test('429 rate_limited: too many requests for an intent, while other intents continue', async () => {
    const windowMs = 3_600_000
    const limited = await anotherServer({ resolveLimit: { max: 3, windowMs } })
    const key = (await createTestMerchant(limited.db)).apiKey
    const [limitedIntent, newIntent] = [
      await createIntent(limited, key),
      await createIntent(limited, key),
    ]
    for (let sent = 0; sent < 3; sent += 1)
      await resolveIntent(limited, limitedIntent.client_secret)
    const response = await post(limited, path, { client_secret: limitedIntent.client_secret })
    await expectError(response, 429, 'rate_limited')
    const seconds = Number(response.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(windowMs / 1_000)
    expect((await resolveIntent(limited, newIntent.client_secret)).id).toBe(newIntent.id)
  })
})

describe('CORS', () => {
  test('any origin may send requests without credentials, and caches the preflight for a day', async () => {
    const preflight = await server.request(path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://shop.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    })
    expect(preflight.status).toBe(204)
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': expect.stringContaining('content-type'),
      'access-control-max-age': '86400',
    })
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull()
  })

  test('a request in plain text has the same response, without a preflight', async () => {
    const { client_secret } = await createIntent(server, apiKey)
    for (const type of ['text/plain', 'text/plain;charset=UTF-8', 'application/json']) {
      const response = await server.request(path, {
        method: 'POST',
        headers: { 'content-type': type, origin: 'https://shop.example' },
        body: JSON.stringify({ client_secret }),
      })
      expect(response.status).toBe(200)
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
    }
    const broken = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'hello' }
    const refused = await server.request(path, broken)
    expect([refused.status, (await refused.json()).error]).toEqual([400, 'invalid_body'])
  })

  test('creation has no CORS headers', async () => {
    const response = await post(
      server,
      '/v1/payment_intents',
      { amount_units: 1 },
      { authorization: `Bearer ${apiKey}`, origin: 'https://shop.example' },
    )
    expect(response.status).toBe(200)
    const names = [...response.headers.keys()]
    expect(names.filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})

describe('a held resolve', () => {
  test('returns as soon as the version is greater, whichever process changed it', async () => {
    const otherServer = await anotherServer({ db: server.db })
    const { unchanged } = await holdUnchanged()
    const { id, client_secret } = await createIntent(server, apiKey)
    const pending = resolveIntent(otherServer, client_secret, {
      after_version: 1,
      wait_seconds: 25,
    })
    await untilPolling(otherServer)
    await change(id)
    expect(await Promise.race([pending, unchanged])).toMatchObject({ id, version: 2 })
  })

  test('returns at once if the version is already greater', async () => {
    const { unchanged } = await holdUnchanged()
    const { id, client_secret } = await createIntent(server, apiKey)
    await change(id)
    const requested = resolveIntent(server, client_secret, { after_version: 1, wait_seconds: 25 })
    expect(await Promise.race([requested, unchanged])).toMatchObject({ id, version: 2 })
  })

  test('returns the unchanged intent when the time is over', async () => {
    const { client_secret } = await createIntent(server, apiKey)
    const wait_seconds = 1
    const started = performance.now()
    const response = await resolveIntent(server, client_secret, { after_version: 1, wait_seconds })
    expect(response.version).toBe(1)
    expect(performance.now() - started).toBeGreaterThanOrEqual(wait_seconds * 1_000 - 10)
  })

  test('does not miss a change between reading and waiting', async () => {
    const { unchanged } = await holdUnchanged()
    const { id, client_secret } = await createIntent(server, apiKey)
    const listening = new pg.Client(server.db.pool.options)
    await listening.connect()
    await listening.query('listen payment_intent_changed')
    const query = server.db.pool.query.bind(server.db.pool)
    const spy = vi.spyOn(server.db.pool, 'query')
    // The first read returns only after a change was committed and announced.
    spy.mockImplementation(async (...args: unknown[]) => {
      const result = await (query as (...all: unknown[]) => Promise<unknown>)(...args)
      if ((args[0] as { name?: string }).name !== 'read-versions') return result
      spy.mockRestore()
      const notified = once(listening, 'notification')
      await change(id)
      await notified
      await server.db.pool.query('select 1')
      return result
    })
    const pending = resolveIntent(server, client_secret, { after_version: 1, wait_seconds: 25 })
    expect(await Promise.race([pending, unchanged])).toMatchObject({ id, version: 2 })
    await listening.end()
  })

  test('shares its read with all others that wait for the same change', async () => {
    const { id, client_secret } = await createIntent(server, apiKey)
    const { reads, arrived } = watchReads(server)
    const waiting = 30
    const wait = { after_version: 1, wait_seconds: 25 }
    const pending = Promise.all(
      Array.from({ length: waiting }, () => resolveIntent(server, client_secret, wait)),
    )
    await until(() => expect(arrived()).toBe(waiting))
    // This request reads after all others, and waits for nothing.
    await resolveIntent(server, client_secret, { ...wait, after_version: 0 })
    const looks = reads()
    await change(id)
    const versions = (await pending).map(({ version }) => version)
    expect(versions).toEqual(Array(waiting).fill(2))
    expect(reads()).toBe(looks + 1)
  })

  test('returns when the server stops', async () => {
    const stopping = await startTestServer()
    const key = (await createTestMerchant(stopping.db)).apiKey
    const { client_secret } = await createIntent(stopping, key)
    const pending = resolveIntent(stopping, client_secret, { after_version: 1, wait_seconds: 25 })
    await untilPolling(stopping)
    await stopping.close()
    expect(await pending).toMatchObject({ version: 1 })
  })

  /** Holds a resolve for the longest time, since nothing changes. A response that arrives earlier was woken. */
  async function holdUnchanged(): Promise<{ unchanged: Promise<Json> }> {
    const elsewhere = await startTestServer()
    const key = (await createTestMerchant(elsewhere.db)).apiKey
    const { client_secret } = await createIntent(elsewhere, key)
    const wait = { after_version: 1, wait_seconds: 25 }
    const unchanged = resolveIntent(elsewhere, client_secret, wait)
    await untilPolling(elsewhere)
    onTestFinished(async () => {
      await elsewhere.close()
      await unchanged
    })
    return { unchanged }
  }

  /** Waits until the server has started to process a resolve. */
  async function untilPolling(on: TestServer): Promise<void> {
    await until(() => expect(on.logs.filter((line) => line.includes(path))).not.toEqual([]))
  }
})

test('a hundred simultaneous resolves share a statement', async () => {
  const intents = await Promise.all(Array.from({ length: 5 }, () => createIntent(server, apiKey)))
  const secretOf = (index: number) => intents[index % intents.length]?.client_secret
  const { reads, arrived } = watchReads(server, async () => {
    // The first statement takes until all other requests have arrived.
    if (reads() === 1) await until(() => expect(arrived()).toBe(101))
  })
  const first = resolveIntent(server, secretOf(0))
  await until(() => expect(reads()).toBe(1))
  const others = Array.from({ length: 100 }, (_, index) => resolveIntent(server, secretOf(index)))
  const ids = (await Promise.all([first, ...others])).map(({ id }) => id)
  const expected = Array.from({ length: 100 }, (_, index) => intents[index % intents.length]?.id)
  expect(ids).toEqual([intents[0]?.id, ...expected])
  expect(reads()).toBe(2)
})

/** Counts the statements of resolves, and the resolves that wait for a statement, since their secret was read. */
function watchReads({ db: { pool } }: TestServer, before = async () => {}) {
  onTestFinished(() => void vi.restoreAllMocks())
  const query = pool.query.bind(pool) as (...args: unknown[]) => unknown
  const secretsRead = vi.spyOn(serverKeys.all as ServerKey[], 'some')
  let reads = 0
  vi.spyOn(pool, 'query').mockImplementation(async (...args: unknown[]) => {
    if (Object(args[0]).name === 'find-for-checkouts') {
      reads += 1
      await before()
    }
    return query(...args)
  })
  return { reads: () => reads, arrived: () => secretsRead.mock.calls.length }
}

test('the first five accounts that a checkout names as its payer are stored', async () => {
  const { id, client_secret } = await createIntent(server, apiKey)
  const payers = Array.from({ length: 7 }, randomWallet)
  for (const payer of [...payers, ...payers]) await resolveIntent(server, client_secret, { payer })
  const { rows } = await server.db.pool.query(
    'select payer from announced_payers where intent_id = $1',
    [id],
  )
  expect(new Set(rows.map(({ payer }) => payer))).toEqual(new Set(payers.slice(0, 5)))
})

describe('the remainder of a part payment can be paid by hand', () => {
  async function partlyPaid(body: Record<string, unknown>): Promise<Json> {
    const intent = await createIntent(server, apiKey, body)
    const to = intent.expected_wallet
    await storeTransfer(server.db, { merchantId: null, intentId: intent.id, to })
    await server.db.pool.query(
      'update payment_intents set amount_received_units = 1000000 where id = $1',
      [intent.id],
    )
    return resolveIntent(server, intent.client_secret)
  }

  test('if the address is of this intent alone', async () => {
    const intent = await partlyPaid({ wallet_address: randomWallet() })
    const payable_amount_units = intent.amount_units - 1_000_000
    expect(intent.manual).toMatchObject({ payable_amount_units })
    expect(intent.manual.payment_uri).toMatch(new RegExp(`&uint256=${payable_amount_units}$`))
  })

  test('unless other intents also use the wallet', async () => {
    const wallet_address = randomWallet()
    await createIntent(server, apiKey, { wallet_address })
    expect(await partlyPaid({ wallet_address })).toMatchObject({ manual: null })
    expect(await partlyPaid({})).toMatchObject({ manual: null })
  })
})

describe('opened_at', () => {
  const retrieve = async (id: string): Promise<Json> => {
    const headers = { authorization: `Bearer ${apiKey}` }
    return (await server.request(`/v1/payment_intents/${id}`, { headers })).json()
  }

  test('is the time of the first resolve, and changes nothing else', async () => {
    const { id, client_secret } = await createIntent(server, apiKey)
    const before = await retrieve(id)
    expect(before.opened_at).toBeNull()
    const resolved = await Promise.all([1, 2, 3].map(() => resolveIntent(server, client_secret)))
    const opened = await retrieve(id)
    expect(opened).toEqual({ ...before, opened_at: expect.any(String) })
    expect(Date.parse(opened.opened_at)).toBeGreaterThanOrEqual(Date.parse(before.created_at))
    for (const response of [...resolved, await resolveIntent(server, client_secret)]) {
      expect(response).not.toHaveProperty('opened_at')
      expect(response.version).toBe(before.version)
    }
    await server.db.pool.query(
      `update payment_intents set opened_at = opened_at - interval '1 hour' where id = $1`,
      [id],
    )
    await resolveIntent(server, client_secret)
    const hourEarlier = new Date(Date.parse(opened.opened_at) - 3_600_000).toISOString()
    expect((await retrieve(id)).opened_at).toBe(hourEarlier)
    const { rowCount } = await server.db.pool.query('select from events where intent_id = $1', [id])
    expect(rowCount).toBe(1)
  })

  test('is recorded for a locked intent once its change has ended', async () => {
    const { id, client_secret } = await createIntent(server, apiKey)
    let response: Promise<Json> | undefined
    await transaction(server.db, async (client) => {
      await lockIntents(client, [id])
      response = resolveIntent(server, client_secret)
      await until(async () => {
        const waiting = await server.db.pool.query(
          "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%opened_at%'",
        )
        expect(waiting.rowCount).toBeGreaterThan(0)
      })
    })
    await response
    expect((await retrieve(id)).opened_at).not.toBeNull()
  })
})
