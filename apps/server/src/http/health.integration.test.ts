import { expect, test } from 'vitest'
import { ofTest } from '../../test/fixtures.ts'
import { startTestServer, unfollowedChainId } from '../../test/testServer.ts'

const server = ofTest(startTestServer, (server) => server.close())

/** Somebody has waited on a chain for two minutes. */
async function watch(chainId: number): Promise<void> {
  await server.db.pool.query(
    `insert into watched_wallets (chain_id, wallet, since, until)
     values ($1, '0x', now() - interval '2 minutes', now() + interval '1 day')`,
    [chainId],
  )
}

async function ready(): Promise<[number, unknown]> {
  const response = await server.request('/readyz')
  return [response.status, await response.json()]
}

test('a server is ready while nobody waits', async () => {
  expect(await ready()).toEqual([200, { status: 'ok', database: 'ok', chains: [] }])
})

test('it is not while a chain that it follows is not read', async () => {
  await watch(84532)
  expect(await ready()).toEqual([
    503,
    {
      status: 'not_ready',
      database: 'ok',
      chains: [
        {
          chain_id: 84532,
          lag_seconds: expect.toSatisfy((lag) => lag >= 120),
          clock_skew_seconds: 0,
        },
      ],
    },
  ])
})

test('it is though nobody follows a chain any more', async () => {
  await watch(unfollowedChainId)
  expect(await ready()).toEqual([200, { status: 'ok', database: 'ok', chains: [] }])
})

test('it is not while the database does not answer', async () => {
  await server.db.pool.query('alter table watched_wallets rename to gone')
  expect(await ready()).toEqual([503, { status: 'not_ready', database: 'unreachable', chains: [] }])
})
