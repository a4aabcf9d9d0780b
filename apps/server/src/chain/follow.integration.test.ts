import { connect as connectTcp, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { listenLocally } from '../../../../tests/support/listenLocally.ts'
import { patience } from '../../../../tests/support/patience.ts'
import { isFull } from '../../../../tests/support/tier.ts'
import { until } from '../../../../tests/support/until.ts'
import { chainServerOfFile } from '../../test/support/chain/chainServer.ts'
import { type FaultProxy, startFaultProxy } from '../../test/support/chain/faultProxy.ts'
import { followChain, type Logged } from '../../test/support/chain/followChain.ts'
import { payIntent } from '../../test/support/chain/payments.ts'
import { standIn } from '../../test/support/database/fixtures.ts'
import { storeRefund } from '../../test/support/database/storeRefund.ts'
import {
  createIntent,
  createTestMerchant,
  type Json,
  randomWallet,
  resolveIntent,
} from '../../test/support/server/testServer.ts'

/** The milliseconds after which a response times out: many times what this machine needs. */
const soon = Math.ceil(patience / 60)

const shared = chainServerOfFile()
const chain = standIn(() => shared.chain)
const server = standIn(() => shared.server)
let apiKey: string
let firstProxy: FaultProxy
let secondProxy: FaultProxy
let logs: Logged[]
let stopFollowing: (() => Promise<void>) | undefined

beforeEach(async () => {
  await shared.reset()
  apiKey = (await createTestMerchant(server.db, { wallet: randomWallet() })).apiKey
  firstProxy = await startFaultProxy(chain.url, '/first-secret')
  secondProxy = await startFaultProxy(chain.url, '/second-secret')
  logs = []
})
afterEach(async () => {
  await stopFollowing?.()
  stopFollowing = undefined
  await firstProxy.shut()
  await secondProxy.shut()
  expect(JSON.stringify(logs)).not.toMatch(/secret/)
})

function follow(
  urls: string[],
  options: { pollMs?: number; latePollMs?: number; timeoutMs?: number } = {},
): void {
  stopFollowing = followChain({ db: server.db, urls, logs, ...options })
}

const pay = (intent: Json) => payIntent(chain, intent)

async function untilLogged(message: string): Promise<void> {
  await until(() => expect(logs.map((log) => log.message)).toContain(message))
}

const status = async (intent: Json) =>
  (await resolveIntent(server, intent.client_secret)).status as string

async function untilStatus(intent: Json, expected: string): Promise<void> {
  await until(async () => expect(await status(intent)).toBe(expected))
}

/** The number of log requests to a proxy. */
const logQueries = (proxy: FaultProxy) =>
  proxy.requests.flat().filter((method) => method === 'eth_getLogs').length

/** Waits until a proxy has received this many further polls. */
async function untilRead(proxy: FaultProxy, times = 3): Promise<void> {
  const before = logQueries(proxy)
  await until(() => expect(logQueries(proxy)).toBeGreaterThanOrEqual(before + times))
}

test('a refund is awaited as a payment is: without open intents, the chain is read as often', async () => {
  const { apiKey, id: merchantId } = await createTestMerchant(server.db, { wallet: randomWallet() })
  const intent = await createIntent(server, apiKey)
  await server.db.pool.query(`update payment_intents set status = 'succeeded'`)
  follow([firstProxy.url], { latePollMs: 10 * patience })
  await untilRead(firstProxy, 1)
  await storeRefund(server.db, { merchantId, intentId: intent.id, status: 'pending' })
  await untilRead(firstProxy)
})

test('a steady poll is one HTTP request', async () => {
  await createIntent(server, apiKey)
  follow([firstProxy.url])
  await untilRead(firstProxy, 2)
  firstProxy.requests.length = 0
  await untilRead(firstProxy, 5)
  for (const request of firstProxy.requests) {
    expect(request).toEqual(['eth_getBlockByNumber', 'eth_getLogs'])
  }
})

test('with nothing open, no provider gets a request', async () => {
  follow([firstProxy.url, secondProxy.url, chain.url.replace('http', 'ws')])
  const intent = await createIntent(server, apiKey)
  await pay(intent)
  await chain.mine(5)
  await untilStatus(intent, 'succeeded')
  await server.db.pool.query('delete from watched_topics')
  // A poll that had begun is over by then.
  await untilLeaseRenewed(2)
  firstProxy.requests.length = 0
  secondProxy.requests.length = 0
  // Two reads of the database, after which a poll would have begun.
  await untilLeaseRenewed(2)
  expect([...firstProxy.requests, ...secondProxy.requests]).toEqual([])
})

test('while polls cannot be stored, the turns of the followers log nothing', async () => {
  const { pool } = server.db
  const intent = await createIntent(server, apiKey)
  await pool.query(`
    create function refuse() returns trigger language plpgsql as $$
      begin raise 'no space left on device' using errcode = 'disk_full'; end $$;
    create trigger refuse before update of scanned_to on chain_cursors
      for each row execute function refuse()`)
  const free = () => pool.query('drop function if exists refuse cascade')
  onTestFinished(async () => void (await free()))
  follow([firstProxy.url])
  await until(() => {
    const faults = logs.filter(({ message }) => message === 'database trouble')
    expect(faults.length).toBeGreaterThan(3)
  })
  expect(logs.filter(({ message }) => message === 'following')).toHaveLength(1)
  await free()
  await pay(intent)
  await chain.mine(5)
  await untilStatus(intent, 'succeeded')
})

test('the lease is kept while no poll is due for long', async () => {
  const intent = await createIntent(server, apiKey)
  follow([firstProxy.url], { pollMs: 10 * patience })
  await untilRead(firstProxy, 1)
  const stopWaiting = followChain({ db: server.db, urls: [secondProxy.url] })
  // Longer than a lease lasts without renewal.
  await untilLeaseRenewed(4)
  await stopWaiting()
  expect(secondProxy.requests.flat()).not.toContain('eth_getLogs')
  expect(await status(intent)).toBe('requires_payment')
})

test('the lease is kept while a provider responds slower than a lease lasts', async () => {
  await createIntent(server, apiKey)
  follow([firstProxy.url], { timeoutMs: patience })
  await untilRead(firstProxy)
  firstProxy.faults = { hang: true }
  await untilRead(firstProxy, 1)
  const stopWaiting = followChain({ db: server.db, urls: [secondProxy.url] })
  await untilLeaseRenewed(4)
  await stopWaiting()
  expect(secondProxy.requests.flat()).not.toContain('eth_getLogs')
  await firstProxy.shut()
})

test('a failure of the database does not count against a provider', async () => {
  const intent = await createIntent(server, apiKey)
  follow([firstProxy.url, secondProxy.url])
  await untilRead(firstProxy)
  await server.db.pool.query('alter table chain_blocks rename to chain_blocks_away')
  await untilLogged('the chain follower failed')
  await server.db.pool.query('alter table chain_blocks_away rename to chain_blocks')
  await pay(intent)
  await untilStatus(intent, 'pending_confirmations')
  expect(logs.map(({ message }) => message)).not.toContain('a provider failed; it rests')
})

async function untilLeaseRenewed(times: number): Promise<void> {
  const read = async () =>
    (await server.db.pool.query('select lease_until from chain_cursors')).rows[0].lease_until
  for (let renewed = 0; renewed < times; renewed += 1) {
    const before = String((await read()).getTime())
    await until(async () => expect(String((await read()).getTime())).not.toBe(before))
  }
}

describe('fail-over', () => {
  test.each([
    ['hangs', { hang: true }],
    ['limits the rate', { page: 429 }],
    ['lags behind', { behind: 20 }],
  ] as const)('to the second when the first %s, and back', async (_, faults) => {
    await chain.mine(30)
    const intent = await createIntent(server, apiKey)
    follow([firstProxy.url, secondProxy.url], { timeoutMs: soon })
    await untilRead(firstProxy)
    firstProxy.faults = faults
    await pay(intent)
    await chain.mine(1)
    await untilStatus(intent, 'pending_confirmations')
    await untilRead(secondProxy)
    firstProxy.faults = {}
    await chain.mine(5)
    await untilRead(firstProxy)
    await untilStatus(intent, 'succeeded')
  })

  test('a head far behind the best known is not read', async () => {
    await chain.mine(30)
    await createIntent(server, apiKey)
    firstProxy.faults = { behind: 20 }
    follow([secondProxy.url, firstProxy.url])
    await untilRead(secondProxy)
    secondProxy.faults = { reset: true }
    await untilLogged('a provider failed; it rests')
    secondProxy.faults = {}
    await untilRead(secondProxy)
  })

  test('a provider of another chain is never read, even if it starts late', async () => {
    await firstProxy.shut()
    firstProxy.faults = { chainId: 1 }
    const intent = await createIntent(server, apiKey)
    follow([firstProxy.url, secondProxy.url])
    await untilRead(secondProxy)
    await firstProxy.open()
    await until(() => expect(firstProxy.requests).not.toEqual([]))
    await pay(intent)
    await untilStatus(intent, 'pending_confirmations')
    expect(firstProxy.requests.flat()).not.toContain('eth_getLogs')
    expect(JSON.stringify(logs)).toContain(`serves chain 1, but Base Sepolia is chain 84532.`)
  })
})

describe('before a payment is settled', () => {
  test.each([
    ['hangs', { hang: true }],
    ['does not know the receipt', { noReceipts: true }],
    ['does not know the block', { behind: 9 }],
  ] as const)('the second provider must agree: not while it %s', async (_, faults) => {
    await chain.mine(30)
    const intent = await createIntent(server, apiKey)
    follow([firstProxy.url, secondProxy.url], { timeoutMs: soon })
    await untilRead(firstProxy)
    await pay(intent)
    await untilStatus(intent, 'pending_confirmations')
    secondProxy.faults = faults
    await chain.mine(7)
    await untilRead(firstProxy, isFull ? 10 : 5)
    expect(await status(intent)).toBe('pending_confirmations')
    secondProxy.faults = {}
    await untilStatus(intent, 'succeeded')
  })

  test('a single configured host is enough, even with two URLs', async () => {
    const intent = await createIntent(server, apiKey)
    // A provider of the same host that is down.
    follow([firstProxy.url, firstProxy.url.replace('http', 'ws')])
    await pay(intent)
    await chain.mine(5)
    await untilStatus(intent, 'succeeded')
  })

  test('a third replaces the second', async () => {
    const third = await startFaultProxy(chain.url)
    secondProxy.faults = { page: 502 }
    const intent = await createIntent(server, apiKey)
    follow([firstProxy.url, secondProxy.url, third.url])
    await pay(intent)
    await chain.mine(5)
    await untilStatus(intent, 'succeeded')
    expect(third.requests.flat()).toContain('eth_getTransactionReceipt')
    await third.shut()
  })
})

test.each([{ maxBlocks: 5 }, ...(isFull ? [{ maxBlocks: 10 }] : []), { maxResults: 3 }])(
  'a provider that allows %j is read up to its head',
  async (faults) => {
    const intents: Json[] = []
    for (let index = 0; index < 8; index += 1) intents.push(await createIntent(server, apiKey))
    for (const intent of intents) {
      await pay(intent)
      await chain.mine(2)
    }
    await chain.mine(isFull || 'maxResults' in faults ? 700 : 300)
    firstProxy.faults = faults
    follow([firstProxy.url])
    for (const intent of intents) await untilStatus(intent, 'succeeded')
  },
)

describe('new heads by WebSocket', () => {
  const socketUrl = () => chain.url.replace('http', 'ws')

  test('start a poll long before it is due', async () => {
    const intent = await createIntent(server, apiKey)
    follow([firstProxy.url, socketUrl()], { pollMs: 10 * patience })
    await untilRead(firstProxy, 1)
    // From the subscription on, each block is announced; earlier blocks start no poll.
    const before = logQueries(firstProxy)
    await until(async () => {
      await chain.mine()
      expect(logQueries(firstProxy)).toBeGreaterThan(before)
    })
    await pay(intent)
    await untilStatus(intent, 'pending_confirmations')
    for (let block = 0; block < 5; block += 1) await chain.mine()
    await untilStatus(intent, 'succeeded')
  })

  test('are replaced by polling when the socket is down', async () => {
    await secondProxy.shut()
    const intent = await createIntent(server, apiKey)
    follow([
      firstProxy.url,
      secondProxy.url.replace('http', 'ws').replace('127.0.0.1', 'localhost'),
    ])
    await pay(intent)
    await untilStatus(intent, 'pending_confirmations')
    await untilLogged('the WebSocket sends no new heads; the server polls')
  })

  test('are not relied on: a silent socket is polled as well', async () => {
    const silent = await startSilentSocket(chain.url)
    const intent = await createIntent(server, apiKey)
    follow([firstProxy.url, silent.url])
    await until(async () => {
      await chain.mine()
      expect(silent.reportedHead()).toBe(true)
    })
    silent.silence()
    await untilRead(firstProxy, 5)
    await pay(intent)
    // No further: it is a second provider too, and without a response it has not agreed.
    await untilStatus(intent, 'pending_confirmations')
    await silent.close()
  })

  test('a socket alone is enough', async () => {
    const intent = await createIntent(server, apiKey)
    follow([socketUrl()])
    await pay(intent)
    await chain.mine(5)
    await untilStatus(intent, 'succeeded')
  })
})

/** Passes a WebSocket through to the chain until it is silenced: still open, but without messages. */
async function startSilentSocket(target: string) {
  const { hostname, port } = new URL(target)
  let silent = false
  let reportedHead = false
  const ends = new Set<Socket>()
  const server = createServer((near) => {
    const far = connectTcp(Number(port), hostname)
    for (const end of [near, far]) ends.add(end.on('error', () => {}))
    near.on('data', (chunk) => silent || far.write(chunk))
    far.on('data', (chunk) => {
      reportedHead ||= chunk.includes('eth_subscription')
      if (!silent) near.write(chunk)
    })
  })
  const { url, close } = await listenLocally(server)
  return {
    url: url.replace('http', 'ws'),
    reportedHead: () => reportedHead,
    silence() {
      silent = true
    },
    async close() {
      for (const end of ends) end.destroy()
      await close()
    },
  }
}
