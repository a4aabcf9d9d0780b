import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { patience } from '../../../../tests/support/patience.ts'
import { until } from '../../../../tests/support/until.ts'
import { chainServerOfFile } from '../support/chain/chainServer.ts'
import { type FaultProxy, type Refusal, startFaultProxy } from '../support/chain/faultProxy.ts'
import { followChain, type Logged } from '../support/chain/followChain.ts'
import { payIntent } from '../support/chain/payments.ts'
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

function follow(urls: string[], options: { timeoutMs?: number; restClock?: () => number } = {}) {
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

/** Each provider has its own words, and the same codes mean other things elsewhere. */
const wordings: readonly (readonly [string, number, string])[] = [
  [
    'Alchemy',
    -32602,
    'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response.',
  ],
  [
    'Alchemy, free',
    -32600,
    'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x1, 0x3].',
  ],
  [
    'Infura',
    -32005,
    'query returned more than 10000 results. Try with this block range [0x1, 0x3].',
  ],
  ['QuickNode', -32614, 'eth_getLogs is limited to a 5 range'],
  ['Ankr', -32600, 'block range is too wide'],
  ['Ankr, by distance', -32602, 'maximum [from, to] blocks distance: 3'],
  [
    'Chainstack',
    -32000,
    'Block range limit exceeded. See more details at https://docs.chainstack.com/docs/limits',
  ],
  ['Coinbase', -32000, 'please limit the query to at most 3 blocks'],
  ['Coinbase, by rows', -32602, 'too many rows'],
  ['thirdweb', -32602, 'Maximum allowed number of requested blocks is 3'],
  ['dRPC', 35, 'ranges over 10000 blocks are not supported on freetier'],
  ['Cloudflare', -32047, 'Invalid eth_getLogs request. Max range: 3'],
  ['1RPC', -32001, 'eth_getLogs is limited to a 0 - 3 blocks range'],
  ['1RPC, by bytes', -32001, 'response size should not greater than 10000000 bytes'],
  ['BlockPI', -32602, 'eth_getLogs is limited to 3 block range'],
  ['Blast', -32600, 'exceeds the range allowed for your plan (11 > 3)'],
  ['PublicNode', -32701, 'exceed maximum block range: 3'],
  ['LlamaRPC', -32602, 'query exceeds max results 20000, retry with the range 1-3'],
  ['Merkle', -32005, 'eth_getLogs range is too large, max is 1k blocks'],
  ['Tenderly', -32602, 'too wide'],
  ['NodeReal', -32005, 'exceed max entries'],
  ['GetBlock', -32001, 'Upgrade your plan to look further back'],
  ['Moralis', -32005, 'archive depth of this key is 3'],
  ['Base, public', -32011, 'no backend is currently healthy to serve traffic'],
  ['Optimism, public', -32602, 'backend response too large'],
  ['geth', -32000, 'query timeout exceeded'],
  ['geth, later', -32602, 'invalid block range params'],
  ['erigon', -32000, 'requested too many logs: 20001 (max 20000)'],
  ['bor', -32000, 'operation timed out'],
  ['nethermind', -32016, 'Too many logs requested. Max logs per response is 3.'],
  ['besu', -32005, 'Requested range exceeds maximum RPC range limit'],
  ['reth', -32602, 'query exceeds max block range 3'],
  ['eRPC', -32012, 'range threshold exceeded'],
  ['nobody yet', -1, 'Nein.'],
  ['nobody yet, at length', 1, 'The moon is in the wrong house for a question of this kind'],
  ['nobody yet, without words', 0, ''],
]

test.each(wordings)(
  'a range that is refused is read in smaller ones, whatever the words: %s',
  async (_, code, words) => {
    proxy.faults = { refuseLogs: { blocks: 3, code, words } }
    await createIntent(shared.server, apiKey)
    follow([proxy.url])
    await expectRecorded()
    // A refusal is no failure of the provider: it is read on at once.
    expect(logs.map(({ message }) => message)).not.toContain('a provider failed; it rests')
  },
)

test('the smallest query being refused, too, the next provider is read', async () => {
  proxy.faults = { refuseLogs: { blocks: 0, code: -32005, words: 'daily limit reached' } }
  await createIntent(shared.server, apiKey)
  follow([proxy.url, shared.chain.url])
  await expectRecorded()
  // One query and the smallest one: what fails alike is not asked in ever smaller parts.
  const failed = logs.filter(({ message }) => message === 'a provider failed; it rests').length
  const queries = proxy.requests.flat().filter((method) => method === 'eth_getLogs').length
  expect(queries).toBeLessThanOrEqual(2 * failed + 2)
})

test('what was missed for 400 blocks is read by two processes of which one follows', async () => {
  proxy.faults = { refuseLogs: { blocks: 7, code: -1, words: 'Nein.' } }
  await createIntent(shared.server, apiKey)
  await shared.chain.mine(400)
  follow([proxy.url])
  follow([proxy.url])
  await expectRecorded()
  await stops.shift()?.()
  await expectRecorded()
})

describe('a range that is refused in another way than by an error of its own is read in smaller ones', () => {
  const ways: [string, Refusal][] = [
    ['one error for all', { words: 'Nein.', forAll: true }],
    ['HTTP 400', { status: 400 }],
    ['HTTP 413', { status: 413 }],
    ['HTTP 500', { status: 500 }],
    ['HTTP 503', { status: 503 }],
    ['HTTP 524', { status: 524 }],
    ['a broken connection', { silence: 'reset' }],
    ['silence', { silence: 'hang' }],
  ]
  test.each(ways)('%s', async (_, refusal) => {
    proxy.faults = { refuseLogs: { blocks: 3, ...refusal } }
    await createIntent(shared.server, apiKey)
    const started = Date.now()
    // Rests pass thirty times as fast.
    const restClock = () => started + (Date.now() - started) * 30
    follow([proxy.url], { restClock, timeoutMs: Math.ceil(patience / 100) })
    await expectRecorded()
  })
})
