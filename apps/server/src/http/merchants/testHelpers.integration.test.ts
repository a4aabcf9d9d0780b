import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { type DevChain, startDevChain } from '@payment-intents/testing'
import { numberToHex } from 'viem'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { listenLocally } from '../../../../../tests/support/listenLocally.ts'
import { until } from '../../../../../tests/support/until.ts'
import { followChain } from '../../../test/support/chain/followChain.ts'
import { anotherServer } from '../../../test/support/database/fixtures.ts'
import { expectError, merchantApi } from '../../../test/support/server/merchantApi.ts'
import {
  createIntent,
  createTestKey,
  createTestMerchant,
  type Json,
  post,
  randomWallet,
  resolveIntent,
  startTestServer,
  type TestResponse,
  type TestServer,
} from '../../../test/support/server/testServer.ts'
import { developmentChain } from '../../chain/development/developmentChain.ts'

let chain: DevChain
let amoy: DevChain
let server: TestServer
let merchant: { id: string; apiKey: string }

beforeAll(async () => {
  ;[chain, amoy] = await Promise.all([
    startDevChain({ blockTime: 0 }),
    startDevChain({ chain: 'polygon', blockTime: 0 }),
  ])
  server = await startTestServer({
    developmentChain: [developmentChain(chain), developmentChain(amoy)],
  })
  const { db } = server
  const stopFollowing = [
    followChain({ db, urls: [chain.url] }),
    followChain({ db, urls: [amoy.url], chain: 'polygon' }),
  ]
  return async () => {
    await Promise.all(stopFollowing.map((stop) => stop()))
    await server.close()
    await Promise.all([chain.stop(), amoy.stop()])
  }
})

beforeEach(async () => {
  merchant = await createTestMerchant(server.db, { wallet: randomWallet() })
})

const help = (path: string, body?: unknown, { apiKey = merchant.apiKey, on = server } = {}) =>
  merchantApi(on, apiKey).post(`/v1/test_helpers/${path}`, body)
const create = (body?: Record<string, unknown>) => createIntent(server, merchant.apiKey, body)

const createOnPolygon = () => create({ chain: 'polygon', wallet_address: randomWallet() })

async function helped(path: string, body?: unknown): Promise<Json> {
  const response = await help(path, body)
  const content = await response.json()
  expect(content).not.toHaveProperty('error')
  expect(response.status).toBe(200)
  return content
}

async function expectRefused(response: Promise<TestResponse>, issues: object[]): Promise<void> {
  expect(await expectError(await response, 400, 'invalid_body')).toMatchObject({ issues })
}

/** Waits until the intent has this status with these exceptions. */
function untilStatus(intent: Json, status: string, exceptions: string[] = []): Promise<Json> {
  let after_version = 0
  return until(async () => {
    const requested = { after_version, wait_seconds: 5 }
    const resolved = await resolveIntent(server, intent.client_secret, requested)
    after_version = resolved.version
    expect(resolved).toMatchObject({ status, exceptions })
    return resolved
  })
}

const ofIntent = (intent: Json, action: string) => `payment_intents/${intent.id}/${action}`

function transaction(tx_hash: string): Promise<{ from: string; input: string }> {
  return chain.rpc('eth_getTransactionByHash', [tx_hash])
}

describe('pay', () => {
  test('pays the requested amount by reference, and is confirmed block by block', async () => {
    const intent = await create()
    const { tx_hash } = await helped(ofIntent(intent, 'pay'))
    expect(await untilStatus(intent, 'pending_confirmations')).toMatchObject({
      tx_hash,
      amount_received_units: intent.amount_units,
    })
    expect((await transaction(tx_hash)).input).toContain(intent.payment_reference.slice(2))
    const before = await helped('chain/mine', { blocks: 1 })
    const { block_number } = await helped('chain/mine', { blocks: 3 })
    expect(block_number).toBe(before.block_number + 3)
    await untilStatus(intent, 'succeeded')
  })

  test('by hand, sends the amount that is reserved for the intent, without a reference', async () => {
    const [, intent] = [await create(), await create()]
    const { tx_hash } = await helped(ofIntent(intent, 'pay'), { rail: 'manual' })
    const paid = await untilStatus(intent, 'pending_confirmations')
    expect(paid).toMatchObject({ tx_hash, amount_received_units: intent.payable_amount_units })
    expect((await transaction(tx_hash)).input).toHaveLength(2 + 2 * (4 + 32 + 32))
  })

  test('pays many at once, each with its own nonce', async () => {
    const intent = await create()
    const once = { amount_units: 1_000_000 }
    const paid = await Promise.all(
      Array.from({ length: 25 }, () => helped(ofIntent(intent, 'pay'), once)),
    )
    expect(new Set(paid.map(({ tx_hash }) => tx_hash)).size).toBe(25)
    expect(await untilStatus(intent, 'pending_confirmations')).toMatchObject({
      amount_received_units: 25_000_000,
    })
  })

  test('pays another amount from the named account', async () => {
    const intent = await create()
    const from = chain.accounts[7]?.address
    const { tx_hash } = await helped(ofIntent(intent, 'pay'), { amount_units: 26_000_000, from })
    const paid = await untilStatus(intent, 'pending_confirmations', ['overpaid'])
    expect(paid.amount_received_units).toBe(26_000_000)
    expect((await transaction(tx_hash)).from).toBe(from?.toLowerCase())
  })

  test.each([
    ['an account that the chain does not hold', { from: randomWallet() }, 'from', 'account'],
    ['more than the account has', { amount_units: 2 * 10 ** 12 }, '', 'refuses the transfer'],
    ['nothing', { amount_units: 0 }, 'amount_units', '1'],
    ['an unknown rail', { rail: 'bank' }, 'rail', 'reference'],
    ['an unknown property', { amount: 1 }, 'amount', 'not a known property'],
  ])('refuses to pay %s', async (_case, body, path, message) => {
    const intent = await create()
    const issues = [{ path, message: expect.stringContaining(message) }]
    await expectRefused(help(ofIntent(intent, 'pay'), body), issues)
  })
})

describe('underpay', () => {
  test('leaves half missing, which pay then pays', async () => {
    const intent = await create({ amount_units: 7 })
    await helped(ofIntent(intent, 'underpay'))
    const partial = await untilStatus(intent, 'requires_payment', ['underpaid'])
    expect(partial.amount_received_units).toBe(3)
    await helped(ofIntent(intent, 'pay'))
    const paid = await untilStatus(intent, 'pending_confirmations')
    expect(paid.amount_received_units).toBe(intent.amount_units)
  })

  test('leaves exactly the named amount missing, with any tag', async () => {
    await create()
    const intent = await create()
    expect(intent.payable_amount_units).toBeGreaterThan(intent.amount_units)
    await helped(ofIntent(intent, 'underpay'), { missing_units: 1 })
    const partial = await untilStatus(intent, 'requires_payment', ['underpaid'])
    expect(partial.amount_received_units).toBe(intent.amount_units - 1)
  })

  test.each([[{ missing_units: 25_000_000 }], [{ missing_units: 0 }]])(
    'refuses %j, which would not be a part',
    async (body) => {
      const intent = await create()
      await expectRefused(help(ofIntent(intent, 'underpay'), body), [{ path: 'missing_units' }])
    },
  )
})

describe('the chain', () => {
  test('a reorg deeper than the chain is refused in a sentence', async () => {
    const issues = [{ path: 'depth', message: expect.stringContaining('cannot go back that far') }]
    await expectRefused(help('chain/reorg', { depth: 64 }), issues)
  })

  test('a reorg creates other blocks each time, even empty blocks, and keeps the height', async () => {
    // On a short chain, anvil creates other blocks anyway.
    const before = await helped('chain/mine', { blocks: 250 })
    const first = await helped('chain/reorg', { depth: 3 })
    const second = await helped('chain/reorg', { depth: 3 })
    const heads = [before, first, second]
    expect(new Set(heads.map(({ block_hash }) => block_hash)).size).toBe(3)
    expect(new Set(heads.map(({ block_number }) => block_number)).size).toBe(1)
  })

  test.each([
    ['reorg', {}, 'depth'],
    ['reorg', { depth: 65 }, 'depth'],
    ['advance_time', { seconds: 1.5 }, 'seconds'],
    ['advance_time', { seconds: -1 }, 'seconds'],
    ['mine', { blocks: 1_001 }, 'blocks'],
  ])('%s refuses %j', async (action, body, path) => {
    await expectRefused(help(`chain/${action}`, body), [{ path }])
  })

  test('a chain that does not respond is a fault of the server, and is logged', async () => {
    const url = 'http://127.0.0.1:1'
    const deleted = developmentChain({ ...chain, url })
    const cutOff = await anotherServer({ db: server.db, developmentChain: deleted })
    const response = await help('chain/mine', { blocks: 1 }, { on: cutOff })
    const { message } = await expectError(response, 500, 'internal_error')
    expect(message).not.toContain(url)
    expect(cutOff.logs.join('')).toContain('request failed')
  })
})

describe('who may use them', () => {
  const actions = ['payment_intents/:id/pay', 'payment_intents/:id/underpay']
  const paths = [...actions, 'payment_intents/:id/pay_late', 'chain/mine', 'chain/reorg']

  test.each([...paths, 'chain/advance_time'])(
    '%s needs the key of a test mode, and does not exist without a development chain',
    async (template) => {
      const intent = await create()
      const path = template.replace(':id', intent.id)
      const body = { chain: { blocks: 1, depth: 1, seconds: 1 } }
      const live = await createTestKey(server.db, merchant.id, 'mainnet')
      await expectError(await help(path, body, { apiKey: live }), 404, 'not_found')

      const anonymous = await post(server, `/v1/test_helpers/${path}`, body)
      expect(await anonymous.json()).toMatchObject({ error: 'api_key_missing' })

      const production = await anotherServer({ db: server.db })
      await expectError(await help(path, body, { on: production }), 404, 'not_found')
    },
  )

  test.each(['pay', 'underpay', 'pay_late'])(
    "%s does not find another merchant's intent, nor an unknown intent",
    async (action) => {
      const intent = await create()
      const otherMerchant = await createTestMerchant(server.db)
      const head = await chain.rpc('eth_blockNumber')
      for (const id of [intent.id, 'pi_0']) {
        const response = await help(`payment_intents/${id}/${action}`, {}, otherMerchant)
        await expectError(response, 404, 'not_found')
      }
      expect(await chain.rpc('eth_blockNumber')).toBe(head)
    },
  )

  test('a chain that is no development chain is not mined, and its intents are not paid', async () => {
    const intent = await createOnPolygon()
    const on = await anotherServer({ db: server.db, developmentChain: developmentChain(chain) })
    const message = expect.stringMatching(/none of the development chains: Base Sepolia$/)
    await expectRefused(help(ofIntent(intent, 'pay'), {}, { on }), [{ path: 'id', message }])
    const there = { chain: 'polygon' }
    const refused = [
      help('chain/mine', { blocks: 1, ...there }, { on }),
      help('chain/reorg', { depth: 1, ...there }, { on }),
    ]
    for (const response of refused) await expectRefused(response, [{ path: 'chain', message }])
  })
})

describe('on Polygon', () => {
  test('an intent is paid there, and confirmed by its blocks alone', async () => {
    const intent = await createOnPolygon()
    const { tx_hash } = await helped(ofIntent(intent, 'pay'))
    const paid = await untilStatus(intent, 'pending_confirmations')
    expect(paid).toMatchObject({ tx_hash, chain: 'polygon', chain_id: 80002 })
    expect(await chain.rpc('eth_getTransactionByHash', [tx_hash])).toBeNull()
    const before = await helped('chain/mine', { blocks: 1, chain: 'base' })
    const { block_number } = await helped('chain/mine', { blocks: 19, chain: 'polygon' })
    expect(block_number).toBe(Number(await amoy.rpc('eth_blockNumber')))
    expect(Number(await chain.rpc('eth_blockNumber'))).toBe(before.block_number)
    await untilStatus(intent, 'succeeded')
  })

  test('a reorg there takes a payment back, but no payment on Base', async () => {
    const intent = await createOnPolygon()
    await helped(ofIntent(intent, 'pay'), { rail: 'manual' })
    await untilStatus(intent, 'pending_confirmations')
    const head = await chain.rpc('eth_getBlockByNumber', ['latest', false])
    await helped('chain/mine', { blocks: 1, chain: 'polygon' })
    await helped('chain/reorg', { depth: 2, chain: 'polygon' })
    await untilStatus(intent, 'requires_payment', ['reorged'])
    expect(await chain.rpc('eth_getBlockByNumber', ['latest', false])).toEqual(head)
  })

  test('an intent is paid late there, and a new intent on Base has its whole time', async () => {
    const intent = await createOnPolygon()
    // The other chain is already past the deadline.
    await chain.increaseTime(2 * 3_600)
    await helped(ofIntent(intent, 'pay_late'))
    await untilStatus(intent, 'expired', ['late'])
    const next = await create()
    expect(Date.parse(next.created_at)).toBeGreaterThan(Date.parse(intent.expires_at))
    await helped(ofIntent(next, 'pay'))
    await untilStatus(next, 'pending_confirmations')
  })
})

describe('time', () => {
  const minutes = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 60_000

  test.each([
    ['by a helper', () => helped('chain/advance_time', { seconds: 86_400 })],
    ['past the server', () => chain.increaseTime(86_400)],
  ])('that was moved %s is the server’s: an intent has its whole time', async (_how, move) => {
    const before = await create()
    await move()
    const intent = await create()
    expect(minutes(before.created_at, intent.created_at)).toBeGreaterThan(24 * 60 - 1)
    expect(minutes(intent.created_at, intent.expires_at)).toBeCloseTo(30, 1)
    const { server_time } = await resolveIntent(server, intent.client_secret)
    expect(minutes(server_time, intent.expires_at)).toBeGreaterThan(20)
    await helped(ofIntent(intent, 'pay'), { rail: 'manual' })
    await helped('chain/mine', { blocks: 4 })
    await untilStatus(intent, 'succeeded')
    await untilStatus(before, 'expired')
  })

  test('moves by the same amount on every chain', async () => {
    const clocks = async () => {
      const intents = [await create(), await createOnPolygon()]
      return intents.map(({ created_at }) => Date.parse(created_at))
    }
    const before = await clocks()
    await helped('chain/advance_time', { seconds: 86_400 })
    const after = await clocks()
    for (const [index, time] of after.entries()) {
      const moved = (time - (before[index] ?? 0)) / 1_000
      expect(moved).toBeGreaterThanOrEqual(86_399)
      expect(moved).toBeLessThan(86_400 + 3_600)
    }
  })

  test('of a chain that was moved alone applies to that chain, and intents on both can be paid by hand', async () => {
    const pair = async () => [await create(), await createOnPolygon()]
    const apart = ([onBase, onPolygon]: Json[]) => minutes(onBase.created_at, onPolygon.created_at)
    const before = apart(await pair())
    await amoy.increaseTime(86_400)
    const intents = await pair()
    expect(apart(intents) - before).toBeCloseTo(24 * 60, 0)
    for (const intent of intents) {
      const { server_time } = await resolveIntent(server, intent.client_secret)
      expect(minutes(server_time, intent.expires_at)).toBeGreaterThan(20)
      await helped(ofIntent(intent, 'pay'), { rail: 'manual' })
      await helped('chain/mine', { blocks: 1, chain: intent.chain })
      await untilStatus(intent, 'pending_confirmations')
    }
  })

  test('that nobody moved is the machine’s time, to the millisecond', async () => {
    // The clock of a node that starts at the end of a second is a second behind.
    let machine = Date.now()
    const setClock = (time: number) => {
      machine = time
      vi.setSystemTime(time)
    }
    // Requests also reach the node, and responses arrive, at the ends of a second.
    const times = [3, 501, 998, 999, 1_000, 1_001].map(
      (ms) => Math.ceil(machine / 1_000) * 1_000 + ms,
    )
    const node = createServer(async (request, response) => {
      const { id } = JSON.parse(await text(request))
      const timestamp = numberToHex(Math.floor(machine / 1_000))
      setClock(machine + 1)
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { timestamp } }))
    })
    const { url, close } = await listenLocally(node)
    onTestFinished(close)
    onTestFinished(() => void vi.useRealTimers())
    const clock = developmentChain({ ...chain, url })
    for (const time of times) {
      setClock(time)
      await clock.readClock()
      expect(clock.now()).toBe(time + 1)
    }
  })

  test('goes back with a reorg, which does not prolong any rate limit', async () => {
    await helped('chain/mine', { blocks: 1 })
    const windowMs = 3_600_000
    const limited = await anotherServer({
      db: server.db,
      developmentChain: developmentChain(chain),
      resolveLimit: { max: 1, windowMs },
    })
    const before = await create()
    await helped('chain/advance_time', { seconds: 86_400 })
    await resolveIntent(limited, before.client_secret)
    await helped('chain/reorg', { depth: 1 })
    const refused = await post(limited, '/v1/payment_intents/resolve', {
      client_secret: before.client_secret,
    })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(windowMs / 1_000)
    const intent = await create()
    expect(minutes(before.created_at, intent.created_at)).toBeLessThan(60)
    await helped(ofIntent(intent, 'pay'), { rail: 'manual' })
    await helped('chain/mine', { blocks: 4 })
    await untilStatus(intent, 'succeeded')
  })

  test('advance_time lets a deadline pass', async () => {
    const intent = await create({ expires_in_minutes: 5 })
    const { block_time } = await helped('chain/advance_time', { seconds: 600 })
    expect(Date.parse(block_time)).toBeGreaterThan(Date.parse(intent.expires_at))
    await untilStatus(intent, 'expired')
  })

  test('pay_late pays after the deadline', async () => {
    const intent = await create({ expires_in_minutes: 20 })
    await helped(ofIntent(intent, 'pay_late'))
    const late = await untilStatus(intent, 'expired', ['late'])
    expect(late.amount_received_units).toBe(intent.amount_units)
  })

  test('pay_late is late for each of many that are paid at once', async () => {
    const windows = [60, 55, 50, 45, 40, 35, 30]
    const intents = await Promise.all(
      windows.map((expires_in_minutes) => create({ expires_in_minutes })),
    )
    await Promise.all(intents.map((intent) => helped(ofIntent(intent, 'pay_late'))))
    for (const intent of intents) await untilStatus(intent, 'expired', ['late'])
    // Time moved once for all of them: a new deadline is as far away as before.
    expect(minutes(intents[0].created_at, (await create()).created_at)).toBeLessThan(65)
  })
})
