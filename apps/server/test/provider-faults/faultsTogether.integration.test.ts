import { chainFacts } from '@payment-intents/contract'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { patience } from '../../../../tests/support/patience.ts'
import { isFull } from '../../../../tests/support/tier.ts'
import { until } from '../../../../tests/support/until.ts'
import type { PollResult } from '../../src/chain/pollChain.ts'
import { openProviders } from '../../src/chain/providers/openProviders.ts'
import type { Providers } from '../../src/chain/providers/providers.ts'
import { boasting } from '../support/chain/boasting.ts'
import { type FaultProxy, startFaultProxy } from '../support/chain/faultProxy.ts'
import type { Logged } from '../support/chain/followChain.ts'
import { readerOfTest } from '../support/chain/readerOfTest.ts'
import { stuffReceipts } from '../support/chain/stuffedReceipts.ts'
import { ofTest } from '../support/database/fixtures.ts'
import type { Json } from '../support/server/testServer.ts'

const { reader, chain } = readerOfTest()
const proxyOfTest = () =>
  ofTest(
    () => startFaultProxy(chain.url),
    (faultProxy) => faultProxy.shut(),
  )
const firstProxy = proxyOfTest()
const secondProxy = proxyOfTest()
let logs: Logged[]
/** The providers' clock, in milliseconds. */
let time: number
/** The hashes of strangers' transactions. */
let hostile: Set<string>

beforeEach(async () => {
  logs = []
  time = Date.now()
  hostile = new Set()
  await chain.mine(40)
  await reader.create()
})

async function open(proxies: readonly FaultProxy[]): Promise<Providers> {
  const providers = openProviders({
    facts: chainFacts('testnet', 'base'),
    urls: proxies.map(({ url }) => url),
    timeoutMs: patience,
    now: () => time,
    databaseNow: () => time,
    random: () => 0,
    log: { warn: (fields, message) => void logs.push({ fields, message }) },
  })
  onTestFinished(() => providers.close())
  await providers.start(patience)
  return providers
}

/** Polls the provider that is chosen now, like the follower. */
async function poll(providers: Providers): Promise<PollResult | null> {
  time += 2_000
  await providers.checkHealth()
  const chosen = providers.choose() ?? expect.fail('no provider is ready')
  const { rpc, blocksPerQuery, secondProvider, worked, failed } = chosen
  reader.rpc = rpc
  try {
    const polled = await reader.readOnce({
      blocksPerQuery,
      ...(secondProvider ? { secondProvider } : {}),
    })
    worked()
    return polled
  } catch (error) {
    failed(error)
    return null
  }
}

async function pollThrice(providers: Providers): Promise<void> {
  for (let polls = 0; polls < 3; polls += 1) await poll(providers)
}

/** Sends this many transactions of strangers and one honest payment, in the next block. */
async function pay(intent: Json, strangers: number): Promise<void> {
  const [, , stranger] = chain.accounts
  if (!stranger) throw new Error('The development chain has accounts.')
  await chain.rpc('evm_setAutomine', [false])
  onTestFinished(() => chain.rpc('evm_setAutomine', [true]))
  for (let sent = 0; sent < strangers; sent += 1) {
    const { wallet: to } = reader.merchant
    hostile.add((await chain.pay({ from: stranger.address, to, amount: 1n })).hash)
  }
  await reader.pay(intent, 'manual')
  await chain.mine(1)
}

/** Makes a provider stand still for so long that everybody notices, while the other continues. */
async function freeze(proxy: FaultProxy, providers: Providers): Promise<void> {
  await poll(providers)
  await poll(providers)
  proxy.faults.frozenAt = Number(await chain.rpc<string>('eth_blockNumber'))
  for (let seconds = 0; seconds < 60; seconds += 2) {
    await chain.mine(1)
    await poll(providers)
  }
}

const expectStatus = async (intent: Json, status: string) =>
  expect(await reader.resolved(intent)).toMatchObject({ status })
const deferred = async () =>
  (await reader.db.pool.query('select from deferred_transactions')).rowCount

describe.each(isFull ? [5, 15, 50] : [50])(
  'with %i transactions that no provider returns',
  (count) => {
    test.each(['first', 'second'] as const)(
      'and the %s of two providers standing still, a payment is recorded in three polls, and settled',
      async (which) => {
        const providers = await open([firstProxy, secondProxy])
        await freeze(which === 'first' ? firstProxy : secondProxy, providers)
        firstProxy.faults.unknown = hostile
        secondProxy.faults.unknown = hostile
        const intent = await reader.create()
        await pay(intent, count)
        await pollThrice(providers)
        await expectStatus(intent, 'pending_confirmations')
        expect(await deferred()).toBe(count)
        // Mine as many blocks as the payment needs, and those that came between two reads of the frozen provider.
        await chain.mine(5 + 8)
        await pollThrice(providers)
        await expectStatus(intent, 'succeeded')
        // Such transactions are no failure of a provider. The frozen provider gets no request for blocks above its
        // head.
        const failed = logs.filter(({ message }) => message === 'a provider failed; it rests')
        const hosts = failed.map(({ fields }) => 'provider' in fields && fields.provider)
        expect(hosts).not.toContain((which === 'first' ? secondProxy : firstProxy).host)
        expect(providers.report().map(({ disagreements }) => disagreements)).toEqual([0, 0])
      },
    )
  },
)

test('a claimed higher head adds no depth while the other provider stands still', async () => {
  const providers = await open([firstProxy, secondProxy])
  firstProxy.faults = { instead: boasting(chain, 8) }
  await freeze(secondProxy, providers)
  const intent = await reader.create()
  await reader.pay(intent, 'manual')
  for (let depth = 1; ; depth += 1) {
    await poll(providers)
    const { status } = await reader.resolved(intent)
    if (status === 'succeeded') return expect(depth).toBeGreaterThanOrEqual(5)
    expect(depth).toBeLessThan(100)
    await chain.mine(1)
  }
})

test('blocks are read again while the second provider stands still, and from it when it continues', async () => {
  const providers = await open([firstProxy, secondProxy])
  await freeze(secondProxy, providers)
  const hidden = await reader.create()
  firstProxy.faults.emptyLogs = 1_000
  await reader.pay(hidden, 'manual')
  for (let blocks = 0; blocks < 20; blocks += 5) {
    await chain.mine(5)
    await poll(providers)
  }
  await expectStatus(hidden, 'requires_payment')
  firstProxy.faults = {}
  let late = 0
  const succeed = async (blocks: number, atOnce: number) => {
    for (let passed = 0; passed < blocks; passed += atOnce) {
      await chain.mine(atOnce)
      const polled = await poll(providers)
      if (polled && 'delayedTransfers' in polled) late += polled.delayedTransfers
    }
  }
  await succeed(60, 5)
  expect(late).toBe(1)
  await expectStatus(hidden, 'succeeded')
  const current = secondProxy.faults.frozenAt ?? 0
  const rereadTo = async () => {
    const { rows } = await reader.db.pool.query('select reread_to from chain_cursors')
    return Number(String(rows[0]?.reread_to).replace(/[{}]/g, '').split(',').at(-1))
  }
  await succeed(550, 25)
  expect(await rereadTo()).toBeLessThanOrEqual(current)
  secondProxy.faults = {}
  await succeed(50, 10)
  expect(await rereadTo()).toBeGreaterThan(current)
})

describe.each(isFull ? [5, 15, 50] : [5])('with %i receipts of 15 MB', (count) => {
  test.each(['true', 'false'] as const)(
    'and refused ranges in unknown words, a payment is recorded in three polls (gas limits show the size: %s)',
    async (gas) => {
      stuffReceipts([firstProxy], (hash) => hostile.has(hash), gas)
      firstProxy.faults.refuseLogs = { blocks: 3, words: 'Nein.' }
      const providers = await open([firstProxy])
      await until(async () => expect(await poll(providers)).toMatchObject({ type: 'current' }))
      const intent = await reader.create()
      await pay(intent, count)
      await pollThrice(providers)
      await expectStatus(intent, 'pending_confirmations')
      await chain.mine(5)
      await pollThrice(providers)
      await expectStatus(intent, 'succeeded')
      const [report] = providers.report()
      expect(report).toMatchObject({ isReady: true, failures: 0 })
    },
  )
})

test('a provider that refuses batches because of their size is read completely, with unchanged ranges', async () => {
  firstProxy.faults.refuseBatches = { calls: 1, words: 'request body too large' }
  const providers = await open([firstProxy])
  const intent = await reader.paid('manual')
  await pollThrice(providers)
  await expectStatus(intent, 'pending_confirmations')
  expect(providers.choose()?.blocksPerQuery).toBe(500)
})
