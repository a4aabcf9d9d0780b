import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../../../../tests/support/until.ts'
import { developmentChain } from '../../src/chain/development/developmentChain.ts'
import { chainServerOfFile } from '../support/chain/chainServer.ts'
import { type FaultProxy, startFaultProxy } from '../support/chain/faultProxy.ts'
import { followChain, type Logged } from '../support/chain/followChain.ts'
import { payIntent } from '../support/chain/payments.ts'
import { anotherServer, standIn } from '../support/database/fixtures.ts'
import {
  createIntent,
  createTestMerchant,
  type Json,
  randomWallet,
  resolveIntent,
  type TestServer,
} from '../support/server/testServer.ts'

const shared = chainServerOfFile()
const chain = standIn(() => shared.chain)
const server = standIn(() => shared.server)
let apiKey: string
let firstProxy: FaultProxy
let secondProxy: FaultProxy
let logs: Logged[]
let stopFollowing: (() => Promise<void>) | undefined
let started: number

/** A clock for the providers that runs thirty times as fast. */
const clock = () => started + (Date.now() - started) * 30

beforeEach(async () => {
  await shared.reset()
  await chain.mine(30)
  apiKey = (await createTestMerchant(server.db, { wallet: randomWallet() })).apiKey
  firstProxy = await startFaultProxy(chain.url)
  secondProxy = await startFaultProxy(chain.url)
  logs = []
  started = Date.now()
})
afterEach(async () => {
  await stop()
  await firstProxy.shut()
  await secondProxy.shut()
})

function follow(urls: string[], blockSeconds?: () => Promise<number | null>): void {
  const blockTime = blockSeconds ? { blockSeconds } : {}
  stopFollowing = followChain({ db: server.db, urls, logs, backoffClock: clock, ...blockTime })
}

async function stop(): Promise<void> {
  await stopFollowing?.()
  stopFollowing = undefined
}

/** Makes somebody wait for a payment, since before the time that the fast clock simulates. */
async function watch(): Promise<void> {
  await createIntent(server, apiKey)
  await server.db.pool.query(`update watched_topics set since = since - interval '10 minutes'`)
}

const head = async () => Number(await chain.rpc<string>('eth_blockNumber'))

/** Mines a block at each check, until the condition holds. */
function untilWhileBlocksCome<T>(check: () => Promise<T>): Promise<T> {
  return until(async () => {
    await chain.mine(1)
    return check()
  })
}

/** Starts a server that does not follow the chain, and knows these providers. */
function startServerWith(proxies: readonly FaultProxy[]): Promise<TestServer> {
  const report = () =>
    proxies.map(({ host }) => ({
      ...{ host, isReady: true, reason: null, failures: 0, disagreements: 0 },
    }))
  const followed = [{ chainId: chain.chainId, providers: { probe: async () => {}, report } }]
  return anotherServer({ db: server.db, followed })
}

async function faults(of: TestServer): Promise<string[]> {
  const response = await of.request('/readyz')
  expect(response.status).toBe(200)
  return (await response.json()).degraded
}

async function metric(of: TestServer, sample: string): Promise<number> {
  const text = await (await of.request('/metrics')).text()
  const line = text.split('\n').find((name) => name.startsWith(`payment_intents_${sample} `))
  return Number(line?.split(' ').at(-1) ?? NaN)
}

async function expectStatus(intent: Json, status: string): Promise<void> {
  expect(await resolveIntent(server, intent.client_secret)).toMatchObject({ status })
}

const count = (message: RegExp) => logs.filter((log) => message.test(log.message)).length

const labels = 'chain="base",mode="testnet"'
const chainFault = /^Base Sepolia: no RPC provider shows a new block for \d+ seconds/

test('every server reports a head that stands still, logs it once, and withdraws the report', async () => {
  const concurrent = await startServerWith([firstProxy])
  await watch()
  follow([firstProxy.url])
  firstProxy.faults = { frozenAt: await head() }
  for (const testServer of [server, concurrent]) {
    await untilWhileBlocksCome(async () =>
      expect(await faults(testServer)).toEqual([expect.stringMatching(chainFault)]),
    )
  }
  expect(await metric(concurrent, `chain_standstill_seconds{${labels}}`)).toBeGreaterThanOrEqual(30)
  expect(await metric(concurrent, `chain_lag_seconds{${labels}}`)).toBeGreaterThanOrEqual(30)
  const provider = `provider_standstill_seconds{${labels},provider="${firstProxy.host}"}`
  expect(await metric(concurrent, provider)).toBeGreaterThanOrEqual(30)
  // The stored standstill grows meanwhile, but is logged once.
  await untilWhileBlocksCome(async () => {
    expect(await metric(concurrent, `chain_standstill_seconds{${labels}}`)).toBeGreaterThan(120)
  })
  expect(count(/no provider shows a new block/)).toBe(1)
  firstProxy.faults = {}
  await untilWhileBlocksCome(async () => expect(await faults(concurrent)).toEqual([]))
  expect(count(/no provider shows a new block/)).toBe(1)
  expect(count(/providers show new blocks again/)).toBe(1)
})

test('a standstill continues while processes start, stop and pass the lease on', async () => {
  await watch()
  firstProxy.faults = { frozenAt: await head() }
  const stored = async () => {
    const { rows } = await server.db.pool.query(
      `select seen_at::text, extract(epoch from seen_at - advanced_at)::float8 as seconds
       from provider_heads`,
    )
    return rows[0] ?? { seen_at: '', seconds: 0 }
  }
  // Each process reads once or twice, and ends long before it would notice a standstill itself.
  for (let before = await stored(); before.seconds < 60; ) {
    follow([firstProxy.url])
    await until(async () => expect((await stored()).seen_at).not.toBe(before.seen_at))
    await stop()
    const after = await stored()
    expect(after.seconds).toBeGreaterThanOrEqual(before.seconds)
    before = after
  }
  expect(await faults(server)).toEqual([expect.stringMatching(chainFault)])
})

describe('no alarm is raised', () => {
  const local = () =>
    developmentChain({ chainId: chain.chainId, token: chain.token, url: firstProxy.url })
  const twoMinutes = async () => {
    const since = clock()
    await until(() => expect(clock() - since).toBeGreaterThan(120_000))
    expect(await faults(server)).toEqual([])
    expect(count(/shows? (a|no) new block/)).toBe(0)
  }

  test('by a development chain that makes blocks only on request', async () => {
    await watch()
    follow([firstProxy.url], local().blockSeconds)
    await until(() => expect(firstProxy.requests.flat()).toContain('eth_getLogs'))
    await twoMinutes()
  })

  test('by a chain on which nobody waits, or has just begun to wait', async () => {
    await watch()
    follow([firstProxy.url])
    await until(() => expect(firstProxy.requests.flat()).toContain('eth_getLogs'))
    await server.db.pool.query('delete from watched_topics')
    await twoMinutes()
    await createIntent(server, apiKey)
    expect(await faults(server)).toEqual([])
    await untilWhileBlocksCome(async () => {
      expect(await metric(server, `chain_lag_blocks{${labels}}`)).toBe(0)
    })
    expect(await faults(server)).toEqual([])
  })

  test('unless a development chain that makes blocks stops', async () => {
    await watch()
    // This is the interval of a paused chain.
    await chain.rpc('evm_setIntervalMining', [15])
    onTestFinished(() => chain.rpc('evm_setIntervalMining', [0]))
    follow([firstProxy.url], local().blockSeconds)
    await until(async () =>
      expect(await faults(server)).toEqual([expect.stringMatching(chainFault)]),
    )
  })
})

describe('of two providers', () => {
  const urls = () => [firstProxy.url, secondProxy.url]

  test.each(['first', 'second'] as const)(
    'the %s that stands still is reported, and delays no payment',
    async (which) => {
      const concurrent = await startServerWith([firstProxy, secondProxy])
      await watch()
      follow(urls())
      const frozen = which === 'first' ? firstProxy : secondProxy
      await until(() => expect(frozen.requests.flat()).toContain('eth_getBlockByNumber'))
      frozen.faults = { frozenAt: await head() }
      await chain.mine(1)
      const intent = await createIntent(server, apiKey)
      await payIntent(chain, intent)
      await untilWhileBlocksCome(() => expectStatus(intent, 'succeeded'))
      await untilWhileBlocksCome(async () =>
        expect(await faults(concurrent)).toContain(
          'Base Sepolia: 1 of 2 RPC providers stand still and confirm no newer payment; the log names them',
        ),
      )
      const of = ({ host }: FaultProxy) =>
        `provider_standstill_seconds{${labels},provider="${host}"}`
      await untilWhileBlocksCome(async () => {
        expect(await metric(concurrent, of(frozen))).toBeGreaterThanOrEqual(30)
        expect(
          await metric(concurrent, of(which === 'first' ? secondProxy : firstProxy)),
        ).toBeLessThan(30)
      })
      expect(logs).toContainEqual({
        fields: expect.objectContaining({ provider: frozen.host }),
        message: 'a provider shows no new block; payments in newer ones are settled without it',
      })
      // The provider counts again as soon as its head moves.
      frozen.faults = {}
      await untilWhileBlocksCome(async () => expect(await faults(concurrent)).toEqual([]))
    },
  )

  test('a provider that stands still must confirm the blocks that it knows', async () => {
    await watch()
    follow(urls())
    const denied = await createIntent(server, apiKey)
    // Refuse from the start: blocks are mined until the payment is found, and could confirm it.
    secondProxy.faults = { noReceipts: true }
    await payIntent(chain, denied)
    await untilWhileBlocksCome(() => expectStatus(denied, 'pending_confirmations'))
    secondProxy.faults = { frozenAt: await head(), noReceipts: true }
    const newer = await createIntent(server, apiKey)
    await payIntent(chain, newer)
    await untilWhileBlocksCome(() => expectStatus(newer, 'succeeded'))
    await expectStatus(denied, 'pending_confirmations')
    secondProxy.faults = { frozenAt: secondProxy.faults.frozenAt ?? 0 }
    await untilWhileBlocksCome(() => expectStatus(denied, 'succeeded'))
  })

  test('payments wait for a provider that is silent after it stood still', async () => {
    await watch()
    follow(urls())
    await until(() => expect(secondProxy.requests.flat()).toContain('eth_getBlockByNumber'))
    secondProxy.faults = { frozenAt: await head() }
    const created = await createIntent(server, apiKey)
    await payIntent(chain, created)
    await untilWhileBlocksCome(() => expectStatus(created, 'succeeded'))
    secondProxy.faults = { reset: true }
    const since = clock()
    await untilWhileBlocksCome(async () => expect(clock() - since).toBeGreaterThan(90_000))
    const waiting = await createIntent(server, apiKey)
    await payIntent(chain, waiting)
    const paid = clock()
    await untilWhileBlocksCome(async () => expect(clock() - paid).toBeGreaterThan(60_000))
    await expectStatus(waiting, 'pending_confirmations')
  })
})
