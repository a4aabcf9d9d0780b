import { eventSchema } from '@payment-intents/contract'
import { intentEvents } from '@payment-intents/core'
import { describe, expect, test } from 'vitest'
import { isFull } from '../../../../../tests/support/tier.ts'
import { until } from '../../../../../tests/support/until.ts'
import { anotherServer, serverOfFile } from '../../../test/support/database/fixtures.ts'
import { countWaiting } from '../../../test/support/database/locks.ts'
import {
  expectError,
  expectIssue,
  idsOf,
  type MerchantApi,
  merchantApi,
  openShop,
} from '../../../test/support/server/merchantApi.ts'
import {
  createIntent,
  type Json,
  type TestServer,
} from '../../../test/support/server/testServer.ts'
import { type Db, transaction } from '../../store/connection/connect.ts'
import { insertEvents, rowsOf } from '../../store/events/events.ts'
import { numberEvents } from '../../store/events/numberEvents.ts'
import { lockIntents, saveProgress } from '../../store/payment-intents/paymentIntents.ts'

const server = serverOfFile()

const path = '/v1/events'

const shop = () => openShop(server)

/** Writes another event of an intent, as a transition would, and commits once `last` has ended. */
function advance(intentId: string, last: () => Promise<void> = async () => {}): Promise<void> {
  return transaction(server.db, async (client) => {
    await client.query('set local idle_in_transaction_session_timeout = 0')
    const [intent] = await lockIntents(client, [intentId])
    if (!intent) throw new Error(`no intent ${intentId}`)
    const next = { ...intent, version: intent.version + 1, sequence: intent.sequence + 1 }
    const events = rowsOf(next, intentEvents(next, ['payment_intent.underpaid']))
    await insertEvents(client, events, Date.now())
    await saveProgress(client, [next])
    await last()
  })
}

/** The database, except that a transaction commits only once `last` has ended. */
function committingAfter(last: () => Promise<void>): Db {
  const { pool } = server.db
  const connect = async () => {
    const client = await pool.connect()
    const query = async (statement: string, values?: unknown[]) => {
      if (statement === 'commit') {
        await client.query('set local idle_in_transaction_session_timeout = 0')
        await last()
      }
      return client.query(statement, values)
    }
    return { query, release: client.release.bind(client) }
  }
  return { pool: { query: pool.query.bind(pool), connect } as unknown as Db['pool'] }
}

async function readAfter(api: MerchantApi, cursor: string | undefined, limit = 100) {
  const query = { limit: String(limit), ...(cursor ? { starting_after: cursor } : {}) }
  return (await api.read(path, query)).data as Json[]
}

describe('GET /v1/events', () => {
  test('returns the oldest first, with the content of each', async () => {
    const { api, apiKey } = await shop()
    expect(await api.read(path)).toEqual({ data: [], has_more: false })
    const { id } = await createIntent(server, apiKey, { metadata: { order_id: '1' } })
    await advance(id)
    const { data, has_more } = await api.read(path)
    expect(has_more).toBe(false)
    for (const event of data) expect(eventSchema.safeParse(event).error).toBeUndefined()
    expect(data).toMatchObject([
      { type: 'payment_intent.created', sequence: 1, mode: 'testnet', data: { object: { id } } },
      {
        type: 'payment_intent.underpaid',
        sequence: 2,
        data: { object: { version: 2, metadata: { order_id: '1' } } },
      },
    ])
    expect(Object.keys(data[0])).toEqual(['id', 'type', 'created_at', 'mode', 'sequence', 'data'])
  })

  test('has an intent’s events in the order of their sequence, even within an instant', async () => {
    const { api, apiKey } = await shop()
    const { id } = await createIntent(server, apiKey)
    await transaction(server.db, async (client) => {
      const [intent] = await lockIntents(client, [id])
      if (!intent) throw new Error('no intent')
      const types = Array.from({ length: 20 }, () => 'payment_intent.overpaid' as const)
      const next = { ...intent, sequence: 21 }
      await insertEvents(client, rowsOf(next, intentEvents(next, types)), Date.now() - 60_000)
    })
    const sequences = (await readAfter(api, undefined)).map((event) => event.sequence)
    expect(sequences).toEqual(Array.from({ length: 21 }, (_, index) => index + 1))
  })

  test('starts 30 days ago, but continues from any event that still exists', async () => {
    const { api, apiKey } = await shop()
    for (let index = 0; index < 3; index += 1) await createIntent(server, apiKey)
    const [firstId, secondId, thirdId] = idsOf(await readAfter(api, undefined))
    const age = (id: string | undefined, days: number) =>
      server.db.pool.query(
        `update events set created_at = now() - interval '1 day' * $2 where id = $1`,
        [id, days],
      )
    await age(firstId, 31)
    await age(secondId, 30.01)
    expect(idsOf(await readAfter(api, undefined))).toEqual([thirdId])
    expect(idsOf(await readAfter(api, firstId))).toEqual([secondId, thirdId])
    await age(secondId, 29.99)
    expect(idsOf(await readAfter(api, undefined))).toEqual([secondId, thirdId])
  })

  test('holds nothing of another merchant or mode', async () => {
    const { api, live, apiKey } = await shop()
    const otherShop = await shop()
    const { id } = await createIntent(server, apiKey)
    const [event] = await readAfter(api, undefined)
    for (const stranger of [otherShop.api, live]) {
      expect(await readAfter(stranger, undefined)).toEqual([])
      expect((await stranger.read(path, { payment_intent: id })).data).toEqual([])
      const cursor = { starting_after: event.id }
      await expectIssue(await stranger.get(path, cursor), 'starting_after')
    }
    const never = { starting_after: event.id.replace(/.{4}$/, 'zzzz') }
    await expectError(await api.get(path, never), 400, 'invalid_body')
  })

  test.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=ten', 'limit'],
    ['type=payment_intent.paid', 'type'],
    ['type=payment_intent.created&type=payment_intent.created', 'type'],
    ['payment_intent=', 'payment_intent'],
    ['payment_intent=%00', 'payment_intent'],
    ['starting_after=pi_000000000000000000000000000000', 'starting_after'],
    ['ending_before=evt_1', 'ending_before'],
    ['matched=true', 'matched'],
  ])('400 invalid_body: %s', async (query, issuePath) => {
    const { api } = await shop()
    await expectIssue(await api.get(`${path}?${query}`), issuePath)
  })
})

describe('GET /v1/events/:id', () => {
  test('returns the event, to its merchant and mode alone', async () => {
    const { api, live, apiKey } = await shop()
    await createIntent(server, apiKey)
    const [event] = await readAfter(api, undefined)
    expect(await api.read(`${path}/${event.id}`)).toEqual(event)
    const bodies = []
    for (const response of [
      await (await shop()).api.get(`${path}/${event.id}`),
      await live.get(`${path}/${event.id}`),
      await api.get(`${path}/${event.id.replace(/.{4}$/, 'zzzz')}`),
      await api.get(`${path}/%00`),
    ]) {
      const { request_id: _, ...body } = await expectError(response, 404, 'not_found')
      bodies.push(body)
    }
    for (const body of bodies) expect(body).toEqual(bodies[0])
  })

  test('can be read, and continued from, before any list has numbered it', async () => {
    const { api, apiKey } = await shop()
    const { id } = await createIntent(server, apiKey)
    const { rows } = await server.db.pool.query('select id from events where intent_id = $1', [id])
    expect((await api.read(`${path}/${rows[0].id}`)).sequence).toBe(1)
    expect(await readAfter(api, rows[0].id)).toEqual([])
    const later = await createIntent(server, apiKey)
    const [event] = await readAfter(api, rows[0].id)
    expect(event.data.object.id).toBe(later.id)
  })
})

describe('a reader that continues from the last event misses none', () => {
  test('if an event that was written earlier is committed later', async () => {
    const { api, apiKey } = await shop()
    const slow = await createIntent(server, apiKey)
    const quick = await createIntent(server, apiKey)
    const [, last] = await readAfter(api, undefined)

    const written = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    const slowWriter = advance(slow.id, () => {
      written.resolve()
      return commit.promise
    })
    await written.promise
    await advance(quick.id)
    const before = await readAfter(api, last.id)
    expect(before.map((event) => event.data.object.id)).toEqual([quick.id])
    commit.resolve()
    await slowWriter

    const after = await readAfter(api, before.at(-1)?.id)
    expect(after.map((event) => event.data.object.id)).toEqual([slow.id])
    const secondRead = await readAfter(api, last.id)
    expect(idsOf(secondRead)).toEqual(idsOf([...before, ...after]))
  })

  test('if two reads number events at once, and one of them sees more', async () => {
    const { api, apiKey, merchantId } = await shop()
    const slow = await createIntent(server, apiKey)
    const quick = await createIntent(server, apiKey)
    const [, last] = await readAfter(api, undefined)

    const input = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    const pending = committingAfter(() => {
      input.resolve()
      return commit.promise
    })
    let first = Promise.resolve()
    await advance(slow.id, async () => {
      await advance(quick.id)
      // This read sees only the quick transaction.
      first = numberEvents(pending, { merchantId, mode: 'testnet' })
      await input.promise
    })
    const secondRead = readAfter(api, last.id)
    await until(async () => expect(await countWaiting(server.db)).toBe(1))
    commit.resolve()
    await first

    const ids = (await secondRead).map((event) => event.data.object.id)
    expect(ids).toEqual([quick.id, slow.id])
  })

  test('although a reader does not wait for writers, nor a writer for anybody', async () => {
    const { api, apiKey } = await shop()
    const { id } = await createIntent(server, apiKey)
    await advance(id, async () => {
      await createIntent(server, apiKey)
      expect(await readAfter(api, undefined)).toHaveLength(2)
    })
    expect(await readAfter(api, undefined)).toHaveLength(3)
  })

  test('under concurrent writers and rollbacks on two servers, with any page size', async () => {
    const { apiKey } = await shop()
    const secondServer = await anotherServer({ db: server.db })
    const servers = [server, secondServer]
    const apis = servers.map((each) => merchantApi(each, apiKey))
    const intents = await Promise.all(Array.from({ length: 8 }, () => createIntent(server, apiKey)))
    const rounds = isFull ? 40 : 15
    const unlucky = new Error('rolled back')
    let writing = true
    const write = async (index: number) => {
      for (let round = 0; round < rounds; round += 1) {
        const { id } = intents[(index + round) % intents.length]
        if (round % 4 === 0) await createIntent(servers[index % 2] as TestServer, apiKey)
        await advance(id, async () => {
          if (round % 7 === 3) throw unlucky
        }).catch((error) => {
          if (error !== unlucky) throw error
        })
      }
    }
    const read = async (limit: number) => {
      const ids: Json[] = []
      for (let last = false; ; ) {
        const api = apis[ids.length % 2] as MerchantApi
        const page = await readAfter(api, ids.at(-1)?.id, limit)
        ids.push(...page)
        if (ids.length > 1_000) throw new Error('events are given again and again')
        if (page.length > 0) continue
        // Read once more after the last write.
        if (last) return ids
        last = !writing
      }
    }
    const readers = [1, 7, 100].map(read)
    await Promise.all([0, 1, 2, 3, 4, 5].map(write)).finally(() => {
      writing = false
    })
    const { rows } = await server.db.pool.query(
      `select e.id from events e join api_keys k using (merchant_id) where k.hint like '%' || $1`,
      [apiKey.slice(-4)],
    )
    const ids = await Promise.all(readers)
    expect(rows.length).toBeGreaterThan(6 * rounds)
    for (const events of ids) {
      expect(idsOf(events)).toHaveLength(rows.length)
      expect(idsOf(events).sort()).toEqual(idsOf(rows).sort())
      expect(idsOf(events)).toEqual(idsOf(ids[0] ?? []))
      for (const { id } of intents) {
        const eventsOfIntent = events.filter((event) => event.data.object.id === id)
        expect(eventsOfIntent.map((event) => event.sequence)).toEqual(
          eventsOfIntent.map((_, index) => index + 1),
        )
      }
    }
  })

  test('even if the other mode is read meanwhile', async () => {
    const { api, live, apiKey } = await shop()
    await createIntent(server, apiKey)
    const [firstEvent] = await readAfter(api, undefined)
    const secondIntent = await createIntent(server, apiKey)
    expect(await readAfter(live, undefined)).toEqual([])
    const after = await readAfter(api, firstEvent.id)
    expect(after.map((event) => event.data.object.id)).toEqual([secondIntent.id])
  })

  test('even if more events than a batch were never read', async () => {
    const { api, apiKey, merchantId } = await shop()
    const { id } = await createIntent(server, apiKey)
    await server.db.pool.query(
      `insert into events (id, merchant_id, mode, type, intent_id, sequence, object)
       select 'evt_' || lpad(n::text, 30, '0'), $1, 'testnet', 'payment_intent.overpaid', $2, n, '{}'
       from generate_series(2, 11000) n`,
      [merchantId, id],
    )
    const last = { starting_after: 'evt_000000000000000000000000010999' }
    expect((await api.read(path, last)).data).toMatchObject([{ sequence: 11_000 }])
    const firstPage = await api.read(path, { limit: '100' })
    expect(firstPage.data.map((event: Json) => event.sequence)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 1),
    )
  })
})
