import pg from 'pg'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { until } from '../../../../../tests/support/until.ts'
import { anotherServer, serverOfFile } from '../../../test/support/database/fixtures.ts'
import { merchantApi } from '../../../test/support/server/merchantApi.ts'
import {
  createTestKey,
  createTestMerchant,
  randomWallet,
  type TestServer,
} from '../../../test/support/server/testServer.ts'
import { hashApiKey, newApiKey } from '../../lib/crypto/apiKey.ts'
import {
  labelApiKey,
  listApiKeys,
  revokeApiKey,
  storeApiKeyUse,
} from '../../store/merchants/apiKeys.ts'
import {
  allowWallet,
  closeMerchant,
  disallowWallet,
  setMerchantWallet,
} from '../../store/merchants/merchants.ts'
import { updateSettings } from '../../store/merchants/settings.ts'
import { createApiKeyCache } from './apiKeyCache.ts'

const server = serverOfFile()

/** The last use of the merchant's key, and a number that changes with each write. */
async function use(merchantId: string): Promise<{ at: Date | null; writes: string }> {
  const { rows } = await server.db.pool.query(
    'select last_used_at as at, xmin::text as writes from api_keys where merchant_id = $1',
    [merchantId],
  )
  return rows[0]
}
const request = async (of: TestServer, apiKey: string) =>
  expect((await merchantApi(of, apiKey).get('/v1/events')).status).toBe(200)

test('the last use of a key is written once a minute by all processes together', async () => {
  const { id, apiKey } = await createTestMerchant(server.db)
  expect((await use(id)).at).toBeNull()
  await Promise.all(Array.from({ length: 20 }, () => request(server, apiKey)))
  const first = await until(async () => {
    const noted = await use(id)
    expect(noted.at).not.toBeNull()
    return noted
  })
  const otherServer = await anotherServer({ db: server.db })
  await request(otherServer, apiKey)
  await request(server, apiKey)
  // Once the other process has recorded another key, it has also decided about this key.
  const later = await createTestMerchant(server.db)
  await request(otherServer, later.apiKey)
  await until(async () => expect((await use(later.id)).at).not.toBeNull())
  expect(await use(id)).toEqual(first)

  await server.db.pool.query(
    "update api_keys set last_used_at = now() - interval '61 seconds' where merchant_id = $1",
    [id],
  )
  const third = await anotherServer({ db: server.db })
  await request(third, apiKey)
  await until(async () => {
    expect((await use(id)).at?.getTime()).toBeGreaterThanOrEqual(first.at?.getTime() ?? Infinity)
  })
})

async function revoke(merchantId: string): Promise<void> {
  const { pool } = server.db
  for (const { id } of (await listApiKeys(pool, merchantId)) ?? []) await revokeApiKey(pool, id)
}

describe('keys are cached', () => {
  afterEach(() => vi.restoreAllMocks())

  /** A cache of keys whose clock and notifications the test controls. */
  function keyringOfTest() {
    let time = 0
    vi.spyOn(performance, 'now').mockImplementation(() => time)
    let announce = () => {}
    const apiKeyCache = createApiKeyCache({
      db: server.db,
      database: {
        ...{ isAway: () => false, writeFault: () => null, onAway() {}, report: expect.fail },
        async stop() {},
      },
      notifications: {
        onKeysChanged(listener) {
          announce = listener
        },
      },
      keyLimit: { max: 100, windowMs: 60_000 },
    })
    const query = vi.spyOn(server.db.pool, 'query')
    return {
      lookUp: async (apiKey: string) => (await apiKeyCache(apiKey, '127.0.0.1')).type,
      announce: () => announce(),
      advance(milliseconds: number) {
        time += milliseconds
      },
      /** Statements that have read keys so far. */
      reads: () =>
        query.mock.calls.filter(([requested]) => Object(requested).name === 'find-owners').length,
      query,
    }
  }

  test('for less than a second if no change is announced', async () => {
    const { id, apiKey } = await createTestMerchant(server.db)
    const { lookUp: result, advance: succeed, reads } = keyringOfTest()
    for (let requested = 0; requested < 10; requested += 1)
      expect(await result(apiKey)).toBe('found')
    expect(reads()).toBe(1)
    await revoke(id)
    succeed(999)
    expect(await result(apiKey)).toBe('found')
    succeed(1)
    expect(await result(apiKey)).toBe('refused')
    expect(reads()).toBe(2)
  })

  test('until a change is announced', async () => {
    const { id, apiKey } = await createTestMerchant(server.db)
    const { lookUp: result, announce } = keyringOfTest()
    expect(await result(apiKey)).toBe('found')
    await revoke(id)
    announce()
    expect(await result(apiKey)).toBe('refused')
  })

  test('no longer than until a change that is announced while they are read', async () => {
    const { id, apiKey } = await createTestMerchant(server.db)
    const { lookUp: result, announce, query } = keyringOfTest()
    const original = pg.Pool.prototype.query.bind(server.db.pool) as (requested: unknown) => unknown
    query.mockImplementationOnce(async (requested: unknown) => {
      const before = await original(requested)
      await revoke(id)
      announce()
      return before
    })
    expect(await result(apiKey)).toBe('found')
    expect(await result(apiKey)).toBe('refused')
  })

  test('and all keys that were used since are read again together', async () => {
    const { id } = await createTestMerchant(server.db)
    const keys = await Promise.all(
      Array.from({ length: 5 }, () => createTestKey(server.db, id, 'testnet')),
    )
    const { lookUp: result, advance: succeed, reads } = keyringOfTest()
    await Promise.all(keys.map(result))
    for (const key of keys) await result(key)
    const before = reads()
    succeed(1_000)
    for (const key of keys) expect(await result(key)).toBe('found')
    expect(reads()).toBe(before + 1)
    // A key that nobody used meanwhile is only read at its next use.
    const [busy, idle] = keys as [string, string]
    succeed(1_000)
    await result(busy)
    succeed(1_000)
    await result(busy)
    expect(reads()).toBe(before + 3)
    expect(await result(idle)).toBe('found')
    expect(reads()).toBe(before + 4)
  })

  test('and an invalid key among keys that are read together is refused alone', async () => {
    const { id, apiKey } = await createTestMerchant(server.db)
    const otherMerchant = await createTestMerchant(server.db)
    const { lookUp: result, announce, reads } = keyringOfTest()
    expect(await Promise.all([apiKey, otherMerchant.apiKey].map(result))).toEqual([
      'found',
      'found',
    ])
    await revoke(id)
    announce()
    const before = reads()
    const requested = [apiKey, otherMerchant.apiKey, newApiKey('testnet')]
    expect(await Promise.all(requested.map(result))).toEqual(['refused', 'found', 'refused'])
    expect(reads()).toBeLessThanOrEqual(before + 2)
  })
})

test('every process refuses a revoked key at once', async () => {
  const { id, apiKey } = await createTestMerchant(server.db)
  const otherServer = await anotherServer({ db: server.db })
  const servers = [server, otherServer]
  for (const server of servers) await request(server, apiKey)
  // The clock of the cache stands still, so that no key expires.
  const now = performance.now()
  vi.spyOn(performance, 'now').mockReturnValue(now)
  for (const server of servers) await request(server, apiKey)
  await revoke(id)
  for (const server of servers) {
    await until(async () => {
      expect((await merchantApi(server, apiKey).get('/v1/events')).status).toBe(401)
    })
  }
  vi.restoreAllMocks()
})

test('every change of cached data is announced, and nothing else is', async () => {
  const { pool } = server.db
  const { id, apiKey } = await createTestMerchant(server.db)
  const listening = new pg.Client(pool.options)
  const announced: string[] = []
  listening.on('notification', ({ channel }) => announced.push(channel))
  await listening.connect()
  await listening.query('listen keys_changed')
  const [key] = (await listApiKeys(pool, id)) ?? []
  const address = randomWallet()
  const base = { mode: 'testnet', chain: 'base' } as const
  const required = { confirmationsRequired: 12 }
  const changes = {
    'a wallet': () =>
      setMerchantWallet(pool, { merchantId: id, mode: 'testnet', chain: 'polygon', address }),
    'an allowed wallet': () => allowWallet(pool, { merchantId: id, address }),
    'one that is not allowed any more': () => disallowWallet(pool, { merchantId: id, address }),
    'a default chain': () => updateSettings(server.db, id, { defaultChain: 'polygon' }),
    confirmations: () => updateSettings(server.db, id, { chains: [{ ...base, ...required }] }),
    'the server’s confirmations again': () =>
      updateSettings(server.db, id, { chains: [{ ...base, confirmationsRequired: null }] }),
    'a price that is matched': () =>
      updateSettings(server.db, id, { chains: [{ ...base, matchPlainPrice: true }] }),
    'a revoked key': () => revokeApiKey(pool, key?.id ?? ''),
    'a closed merchant': () => closeMerchant(pool, id),
  }
  for (const [name, change] of Object.entries(changes)) {
    announced.length = 0
    await change()
    await until(() => expect(announced, name).toEqual(['keys_changed']))
  }
  announced.length = 0
  await storeApiKeyUse(pool, hashApiKey(apiKey))
  await labelApiKey(pool, key?.id ?? '', 'of the shop')
  await updateSettings(server.db, id, { name: 'Another name', accent: '#0f766e' })
  await createTestKey(server.db, id, 'testnet')
  // Notifications arrive before the response to the next statement.
  await listening.query('select 1')
  expect(announced).toEqual([])
  await listening.end()
})
