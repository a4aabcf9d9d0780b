import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { patience } from '../../../../tests/support/patience.ts'
import { until } from '../../../../tests/support/until.ts'
import { chainServerOfFile } from '../support/chain/chainServer.ts'
import { type FaultProxy, type Refusal, startFaultProxy } from '../support/chain/faultProxy.ts'
import { followChain, type Logged } from '../support/chain/followChain.ts'
import { payIntent } from '../support/chain/payments.ts'
import { refusalOf } from '../support/chain/refusals.ts'
import {
  createIntent,
  createTestMerchant,
  randomWallet,
  resolveIntent,
} from '../support/server/testServer.ts'

const shared = chainServerOfFile()
let apiKey: string
let proxy: FaultProxy
let logs: Logged[]
let stops: (() => Promise<void>)[]

beforeEach(async () => {
  await shared.reset()
  await shared.chain.mine(40)
  apiKey = (await createTestMerchant(shared.server.db, { wallet: randomWallet() })).apiKey
  proxy = await startFaultProxy(shared.chain.url)
  logs = []
  stops = []
})
afterEach(async () => {
  for (const stop of stops) await stop()
  await proxy.shut()
})

function follow(urls: string[], options: { timeoutMs?: number; backoffClock?: () => number } = {}) {
  stops.push(followChain({ db: shared.server.db, urls, logs, ...options }))
}

/** Creates an intent, pays it, and waits until the payment is recorded. */
async function expectRecorded(): Promise<void> {
  const { chain, server } = shared
  const intent = await createIntent(server, apiKey)
  await payIntent(chain, intent)
  await chain.mine(2)
  await until(async () =>
    expect(await resolveIntent(server, intent.client_secret)).toMatchObject({
      status: 'pending_confirmations',
    }),
  )
}

test.each(['Alchemy, free', 'Merkle', 'nobody yet, without words'])(
  'a refused range is read in smaller ranges, for any wording: %s',
  async (name) => {
    proxy.faults = { refuseLogs: { blocks: 3, ...refusalOf(name) } }
    await createIntent(shared.server, apiKey)
    follow([proxy.url])
    await expectRecorded()
    // A refusal is no failure of the provider, which is read again at once.
    expect(logs.map(({ message }) => message)).not.toContain('a provider failed; it rests')
  },
)

test('if the smallest query is also refused, the next provider is read', async () => {
  proxy.faults = { refuseLogs: { blocks: 0, code: -32005, words: 'daily limit reached' } }
  await createIntent(shared.server, apiKey)
  follow([proxy.url, shared.chain.url])
  await expectRecorded()
  // A query that fails at its smallest size is not divided further.
  const failed = logs.filter(({ message }) => message === 'a provider failed; it rests').length
  const queries = proxy.requests.flat().filter((method) => method === 'eth_getLogs').length
  expect(queries).toBeLessThanOrEqual(2 * failed + 2)
})

test('a gap of 400 blocks is read although two processes compete to follow', async () => {
  proxy.faults = { refuseLogs: { blocks: 7, code: -1, words: 'Nein.' } }
  await createIntent(shared.server, apiKey)
  await shared.chain.mine(400)
  follow([proxy.url])
  follow([proxy.url])
  await expectRecorded()
  await stops.shift()?.()
  await expectRecorded()
})

describe('a range that is refused without a distinct error is read in smaller ranges', () => {
  const ways: [string, Refusal][] = [
    ['one error for all', { words: 'Nein.', forAll: true }],
    ['HTTP 400', { status: 400 }],
    ['HTTP 413', { status: 413 }],
    ['HTTP 503', { status: 503 }],
    ['a broken connection', { silence: 'reset' }],
    ['silence', { silence: 'hang' }],
  ]
  test.each(ways)('%s', async (_, refusal) => {
    proxy.faults = { refuseLogs: { blocks: 3, ...refusal } }
    await createIntent(shared.server, apiKey)
    const started = Date.now()
    // The clock of the backoffs runs thirty times as fast.
    const backoffClock = () => started + (Date.now() - started) * 30
    follow([proxy.url], { backoffClock, timeoutMs: Math.ceil(patience / 100) })
    await expectRecorded()
  })
})
