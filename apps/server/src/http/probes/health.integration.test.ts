import { chainFacts } from '@payment-intents/contract'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { patience } from '../../../../../tests/support/patience.ts'
import { until } from '../../../../../tests/support/until.ts'
import { chainOfFile } from '../../../test/support/chain/chainServer.ts'
import { startFaultProxy } from '../../../test/support/chain/faultProxy.ts'
import { anotherServer, ofTest } from '../../../test/support/database/fixtures.ts'
import { lock } from '../../../test/support/database/locks.ts'
import {
  type Json,
  startTestServer,
  type TestServer,
  unfollowedChainId,
} from '../../../test/support/server/testServer.ts'
import { openProviders } from '../../chain/providers/openProviders.ts'
import { readLags } from '../../store/chains/cursors.ts'
import { version } from '../../version.ts'

const facts = chainFacts('testnet', 'base')
const chain = chainOfFile()
const server = ofTest(startTestServer, (server) => server.close())

/** Makes somebody wait on a chain since this time. */
async function watch(chainId: number, since = '2 minutes'): Promise<void> {
  await server.db.pool.query(
    `insert into watched_topics (chain_id, topic, since, until)
     values ($1, '0x', now() - $2::interval, now() + interval '1 day')`,
    [chainId, since],
  )
}

async function ready(of: Pick<TestServer, 'request'> = server): Promise<[number, Json]> {
  const response = await of.request('/readyz')
  return [response.status, await response.json()]
}

/** Waits for the response, since a busy machine may not reach its database within a second. */
function becomes(expected: [number, Json], of?: Pick<TestServer, 'request'>): Promise<void> {
  return until(async () => expect(await ready(of)).toEqual(expected))
}

/** Waits for a response with these fields. */
function comesToHave(expected: [number, Json], of?: Pick<TestServer, 'request'>): Promise<void> {
  return until(async () => expect(await ready(of)).toMatchObject(expected))
}

const base = {
  chain_id: facts.chainId,
  lag_seconds: null,
  quarantined: 0,
  clock_skew_seconds: 0,
  providers: { ready: 1, configured: 1 },
}
const well = {
  version,
  status: 'ok',
  database: 'ok',
  stopping: false,
  degraded: [],
  chains: [base],
}

test('a server is ready while nobody waits, and its log says nothing of probes', async () => {
  await becomes([200, well])
  await server.request('/livez')
  await server.request('/metrics')
  const said = server.logs.map((line) => JSON.parse(line).msg)
  expect(said).toEqual([expect.stringMatching(/^Server listening at /)])
})

test('it is ready but degraded while a chain that it follows is not read', async () => {
  await watch(facts.chainId)
  const late = /^Base Sepolia: was read (1[2-9]|[2-9]\d)\d seconds ago; payments are seen late$/
  const degraded = [expect.stringMatching(late)]
  const chains = [{ chain_id: facts.chainId, lag_seconds: expect.any(Number) }]
  await comesToHave([200, { status: 'degraded', degraded, chains }])
})

test('a transaction that no provider returns for long degrades it, but a recent failure does not', async () => {
  await watch(facts.chainId, '0')
  const defer = (quarantinedAt: string) =>
    server.db.pool.query(
      `insert into deferred_transactions (chain_id, tx_hash, block_number, block_hash, reason, quarantined_at)
       values ($1, $2, 1, '0x01', 'unknown', ${quarantinedAt})`,
      [facts.chainId, quarantinedAt],
    )
  await defer('null')
  await comesToHave([200, { status: 'ok', chains: [{ quarantined: 0 }] }])
  await defer('now()')
  const degraded = [expect.stringContaining('no RPC provider shows 1 transactions')]
  await comesToHave([200, { status: 'degraded', degraded, chains: [{ quarantined: 1 }] }])
  const response = await server.request('/metrics')
  expect(await response.text()).toMatch(/payment_intents_quarantined_transactions\{[^}]*\} 1/)
})

test('a chain that is no longer followed does not degrade it', async () => {
  await watch(unfollowedChainId)
  await becomes([200, well])
})

test('a relayer that cannot pay for gas degrades it, and payments continue', async () => {
  const money = { balance: 0n, spent: 0n, remainingPayments: 0n }
  const load = { ...money, inFlight: 0, oldestSeconds: 0, retrying: 0, pendingReplacements: 0 }
  let reason: string | null = 'the relayer’s balance covers fewer than 5 payments'
  const relayer = { report: () => ({ reason, ...load }) }
  const providers = {
    probe: async () => {},
    report: () => [
      { host: 'rpc.example', isReady: true, reason: null, failures: 0, disagreements: 0 },
    ],
  }
  const followed = [{ chainId: facts.chainId, providers, relayer }]
  const poor = await anotherServer({ followed })
  const degraded = [`Base Sepolia: payments without gas are not offered: ${reason}`]
  await comesToHave([200, { degraded, chains: [{ relayer: { offered: false, reason } }] }], poor)
  reason = null
  const offered = { ...base, relayer: { offered: true, reason } }
  await becomes([200, { ...well, chains: [offered] }], poor)
})

test('an inaccurate clock degrades it', async () => {
  const now = Date.now()
  const skewed = await anotherServer({
    clock: () => ({ now, earliest: now, skewMs: 600_000, databaseSkewMs: 0 }),
  })
  const fault = 'this machine’s clock is 600 seconds behind the chain’s; have NTP set it'
  const degraded = [`Base Sepolia: ${fault}`]
  await comesToHave([200, { status: 'degraded', degraded }], skewed)
})

describe('with an RPC', () => {
  let now = Date.now()
  beforeAll(() => {
    now = Date.now()
  })

  /** Starts a server that follows the development chain by these providers. */
  async function following(urls: readonly string[]): Promise<TestServer> {
    const log = { warn: () => {} }
    const timeoutMs = Math.ceil(patience / 30)
    const clock = { now: () => now, databaseNow: () => now, random: () => 0 }
    const providers = openProviders({ ...clock, facts, urls, log, timeoutMs })
    onTestFinished(() => providers.close())
    await providers.start(patience)
    return anotherServer({ followed: [{ chainId: facts.chainId, providers }] })
  }

  test('that dies while nobody waits, the server is degraded until the RPC is back', async () => {
    const rpc = await startFaultProxy(chain.url)
    onTestFinished(rpc.shut)
    const server = await following([rpc.url])
    await becomes([200, well], server)
    await rpc.shut()
    // Not each probe calls the RPC, since calls cost money.
    await becomes([200, well], server)
    now += 60_000
    const fault = 'no RPC provider responds, so no payment is seen; the log says why'
    const degraded = [`Base Sepolia: ${fault}`]
    const chains = [{ providers: { ready: 0, configured: 1 } }]
    await comesToHave([200, { status: 'degraded', database: 'ok', degraded, chains }], server)
    await rpc.open()
    await until(async () => {
      now += 60_000
      await becomes([200, well], server)
    })
  })

  test('that is one of two and silent, the server is degraded, and no response waits for the RPC', async () => {
    const silent = await startFaultProxy(chain.url, '/?key=k3yThatNobodyMayRead')
    onTestFinished(silent.shut)
    const server = await following([chain.url, silent.url])
    silent.faults = { hang: true }
    now += 60_000
    // The request has not timed out yet.
    const chains = [{ ...base, providers: { ready: 2, configured: 2 } }]
    await becomes([200, { ...well, chains }], server)
    silent.faults = { reset: true }
    await until(async () => {
      now += 60_000
      const [status, { degraded }] = await ready(server)
      expect(status).toBe(200)
      expect(degraded).toEqual([
        'Base Sepolia: 1 of 2 RPC providers do not respond; the log says why',
      ])
    })
    const body = await (await server.request('/readyz')).text()
    expect(body).not.toContain(silent.host)
  })
})

test('it is not ready while the tables are not those of this release', async () => {
  const other = { status: 'not_ready', database: 'other_schema' }
  await server.db.pool.query("delete from migrations where name like '0001%'")
  await comesToHave([503, other])
  await server.db.pool.query('alter table watched_topics rename to gone')
  await comesToHave([503, other])
})

test('it does not wait for a slow database as long as a request does', async () => {
  const release = await lock(server.db, 'lock table watched_topics', [])
  const request = readLags(server.db.pool).catch(() => 'request')
  const probe = ready()
  expect(await Promise.race([request, probe.then(() => 'probe')])).toBe('probe')
  expect(await probe).toMatchObject([503, { database: 'unreachable' }])
  await release()
  await request
})

test('it is ready on tables that a newer release has extended', async () => {
  await server.db.pool.query("insert into migrations (name, checksum) values ('9999_new.sql', '')")
  await becomes([200, well])
})

test('it is not ready while it stops', async () => {
  const stopping = new AbortController()
  const server = await anotherServer({ stopping })
  stopping.abort()
  await becomes([503, { ...well, status: 'not_ready', stopping: true }], server)
})
