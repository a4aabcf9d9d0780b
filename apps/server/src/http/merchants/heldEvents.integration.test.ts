import { limits } from '@payment-intents/contract'
import { describe, expect, test } from 'vitest'
import { until } from '../../../../../tests/support/until.ts'
import { anotherServer, serverOfFile } from '../../../test/support/database/fixtures.ts'
import { statementsOf } from '../../../test/support/database/statementsOf.ts'
import {
  expectError,
  idsOf,
  merchantApi,
  openShop,
} from '../../../test/support/server/merchantApi.ts'
import {
  createIntent,
  type Json,
  startTestServer,
  type TestServer,
} from '../../../test/support/server/testServer.ts'

const server = serverOfFile()
const path = '/v1/events'

/** Opens a shop with an intent, and returns a function that holds a list after the event of the intent. */
async function shop(on: TestServer = server) {
  const { api, apiKey } = await openShop(on)
  const { id } = await createIntent(on, apiKey)
  const { data } = await api.read(path)
  const starting_after: string = data[0].id
  const hold = (query: Record<string, string> = {}, at: Pick<TestServer, 'request'> = on) =>
    merchantApi(at, apiKey).read(path, { starting_after, wait: '25', ...query }) as Promise<Json>
  const cancel = () => api.post(`/v1/payment_intents/${id}/cancel`)
  return { api, apiKey, id, hold, cancel, starting_after }
}

/** Starts lists that wait. Resolves once the server holds all of them. */
async function begin(on: TestServer, start: () => Promise<Json>[]): Promise<Promise<Json>[]> {
  const isRequestLine = (line: string) => line.includes('incoming request') && line.includes(path)
  const requestCount = () => on.logs.filter(isRequestLine).length
  const before = requestCount()
  const pending = start()
  await until(() => expect(requestCount()).toBe(before + pending.length))
  return pending
}

/**
 * Waits for the first response of some lists and of an earlier list that is held for the longest time. It is empty if
 * nothing wakes the lists.
 */
async function beginTimed(on: TestServer, start: () => Promise<Json>[]) {
  const { hold } = await shop()
  const [unchanged] = await begin(server, () => [hold()])
  const pending = await begin(on, start)
  return pending.map((response) => Promise.race([response, unchanged]) as Promise<Json>)
}

describe('a list of events that waits', () => {
  test('responds at once if an event exists', async () => {
    const { hold, cancel } = await shop()
    await cancel()
    expect((await hold()).data).toMatchObject([{ type: 'payment_intent.canceled' }])
  })

  test('responds with the next event, which another server process wrote', async () => {
    const { hold, cancel, apiKey } = await shop()
    const secondServer = await anotherServer({ db: server.db })
    const [canceled, created] = await beginTimed(secondServer, () => [
      hold({}, secondServer),
      hold({ type: 'payment_intent.created' }, secondServer),
    ])
    await cancel()
    expect((await canceled)?.data).toMatchObject([{ type: 'payment_intent.canceled' }])
    const { id } = await createIntent(server, apiKey)
    expect((await created)?.data).toMatchObject([{ data: { object: { id } } }])
  })

  test('wakes even if LISTEN does not work', async () => {
    const deaf = await anotherServer({ db: { ...server.db, pooler: { begin: 'begin' } } })
    const { hold, cancel } = await shop()
    const [pending] = await beginTimed(deaf, () => [hold({}, deaf)])
    await cancel()
    expect((await pending)?.data).toMatchObject([{ type: 'payment_intent.canceled' }])
  })

  test('is empty once its time is over', async () => {
    const { hold } = await shop()
    expect(await hold({ wait: '1' })).toEqual({ data: [], has_more: false })
  })

  test('is refused beyond the limit of a key, and delays no other request', async () => {
    const { api, hold, cancel, starting_after } = await shop()
    const limit = limits.longPollLists.key
    const pending = await begin(server, () => Array.from({ length: limit }, () => hold()))
    const refused = await api.get(path, { starting_after, wait: '25' })
    await expectError(refused, 429, 'rate_limited')
    expect(refused.headers.get('retry-after')).toBe('1')
    await api.read(path, { starting_after })
    await cancel()
    const pages = await Promise.all(pending)
    expect(new Set(pages.flatMap(({ data }) => idsOf(data))).size).toBe(1)
    expect(pages.every(({ data }) => data.length === 1)).toBe(true)
    // A request that got its response no longer counts.
    expect((await hold()).data).toHaveLength(1)
  })

  test('shares a read with all lists of the same query that an event wakes', async () => {
    const statementsOfWaking = async (count: number) => {
      const { api, hold, cancel, starting_after } = await shop()
      const pending = await begin(server, () => Array.from({ length: count }, () => hold()))
      // A merchant's reads run in turn, so the first reads of all lists have ended.
      await api.read(path, { starting_after })
      const statements = await statementsOf(async () => {
        await cancel()
        const pages = await Promise.all(pending)
        expect(pages.every(({ data }) => data.length === 1)).toBe(true)
      })
      return statements.length
    }
    const statementsOfSingle = await statementsOfWaking(1)
    const limit = limits.longPollLists.key
    expect(await statementsOfWaking(limit)).toBeLessThan(statementsOfSingle + 1.5 * limit)
  })

  test('ends when the server stops', async () => {
    const stopping = await startTestServer()
    const { hold } = await shop(stopping)
    const [pending] = await begin(stopping, () => [hold()])
    await stopping.close()
    expect(await pending).toEqual({ data: [], has_more: false })
  })

  test('is refused at once for an invalid cursor', async () => {
    const { api } = await shop()
    const query = { starting_after: `evt_${'0'.repeat(30)}`, wait: '25' }
    await expectError(await api.get(path, query), 400, 'invalid_body')
    await expectError(await api.get(path, { wait: '26' }), 400, 'invalid_body')
  })
})
