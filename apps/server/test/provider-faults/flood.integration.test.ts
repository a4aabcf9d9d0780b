import { beforeEach, describe, expect, test } from 'vitest'
import { patience } from '../../../../tests/support/patience.ts'
import { isFull } from '../../../../tests/support/tier.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import { connect } from '../../src/chain/rpc/rpcConnection.ts'
import { type FaultProxy, startFaultProxy } from '../support/chain/faultProxy.ts'
import { readerOfTest, watchMany } from '../support/chain/readerOfTest.ts'
import { statementsOf } from '../support/database/statementsOf.ts'
import { type Flooder, placeFlooder } from '../support/server/flooder.ts'
import { createIntent, createTestMerchant, randomWallet } from '../support/server/testServer.ts'

const { reader, chain } = readerOfTest()
let flooder: Flooder
let proxy: FaultProxy

beforeEach(async () => {
  flooder = await placeFlooder(chain, 1_000_000_000n)
  proxy = await startFaultProxy(chain.url)
  reader.rpc = createRpc(connect(proxy.url, { timeoutMs: patience }), [chain.token])
  return proxy.shut
})

const requested = (method: string) => proxy.requests.flat().filter((name) => name === method).length

test('an order that one transaction pays in parts costs a receipt per poll, and has one event of each type', async () => {
  const intent = await reader.create({ amount_units: 1_500_000, wallet_address: randomWallet() })
  const pieces = { amount: 30_000, transfers: 50, logs: isFull ? 4_160 : 1_000 }
  await flooder.flood(intent.expected_wallet, pieces)
  await chain.mine(5)
  await reader.readOnce()
  expect(requested('eth_getTransactionReceipt')).toBe(1)
  await reader.readOnce()
  expect(requested('eth_getTransactionReceipt')).toBe(2)
  expect(await reader.resolved(intent)).toMatchObject({
    status: 'succeeded',
    amount_received_units: 1_500_000,
  })
  const events = ['created', 'underpaid', 'pending_confirmations', 'succeeded']
  expect(await reader.eventsOf(intent)).toEqual(events)
})

describe('receipts that are too large for the provider', () => {
  const stuffed = { amount: 1, transfers: 1, logs: isFull ? 40_000 : 1_500 }

  test('are requested in ever smaller batches, then deferred, and delay no other payment', async () => {
    const intent = await reader.create()
    for (let sent = 0; sent < 5; sent += 1) {
      await flooder.flood(reader.merchant.wallet, stuffed)
    }
    await reader.pay(intent, 'reference')
    await chain.mine(5)
    proxy.faults = { maxBytes: 300_000 }
    const firstRead = await reader.readOnce()
    expect(firstRead).toMatchObject({
      type: 'current',
      deferred: Array(5)
        .fill({})
        .map(() => expect.any(Object)),
    })
    await reader.readOnce()
    expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
    // No batch requests them again, even in the next process: each is requested alone.
    const batched = () =>
      proxy.requests
        .filter((request) => request.length > 1)
        .flat()
        .filter((name) => name === method)
    const method = 'eth_getTransactionReceipt'
    const before = batched()
    await reader.takeLease()
    await reader.readOnce()
    expect(batched()).toEqual(before)
    const { rows } = await reader.db.pool.query('select reason from deferred_transactions')
    expect(rows).toHaveLength(5)
    // The gas of the largest already shows their size.
    expect(rows[0].reason).toMatch(isFull ? /^The receipt may have [\d.]+ MB/ : proxy.host)
  })

  test('are read alone once the provider can return them', async () => {
    await reader.create()
    await flooder.flood(reader.merchant.wallet, { ...stuffed, amount: 77 })
    await chain.mine()
    proxy.faults = { maxBytes: 300_000 }
    await reader.readOnce()
    expect(await reader.reasons()).toEqual([])
    proxy.faults = {}
    await reader.readDeferred()
    expect(await reader.reasons()).toEqual(['no_intent'])
    const { rows } = await reader.db.pool.query('select from deferred_transactions')
    expect(rows).toEqual([])
  })

  test('are not recorded if a reorg has removed them', async () => {
    await reader.create()
    await flooder.flood(reader.merchant.wallet, { ...stuffed, amount: 77 })
    await chain.mine(2)
    proxy.faults = { maxBytes: 300_000 }
    await reader.readOnce()
    proxy.faults = {}
    await chain.reorg(4)
    await chain.mine(5)
    await reader.readOnce()
    const { rows } = await reader.db.pool.query('select from transfers')
    expect(rows).toEqual([])
    const deferred = await reader.db.pool.query('select from deferred_transactions')
    expect(deferred.rows).toEqual([])
  })
})

describe('more transfers to one wallet in a block than the provider returns', () => {
  /** The number of dust transfers, and the provider's maximum. */
  const [dust, limit] = [30, 20]
  const receipts = () => requested('eth_getTransactionReceipt')

  /** Makes the next block include all transactions that the work sends. */
  async function inSameBlock(work: () => Promise<void>): Promise<void> {
    await chain.rpc('evm_setAutomine', [false])
    try {
      await work()
      await chain.mine(1)
    } finally {
      await chain.rpc('evm_setAutomine', [true])
    }
  }

  test.each([1, 3, 10])(
    'hide no payment of that wallet or another: %d times as many',
    async (times) => {
      const { apiKey } = await createTestMerchant(reader.db, { wallet: randomWallet() })
      const referencedIntent = await createIntent(reader.server, apiKey)
      const manualIntent = await reader.create()
      await reader.readOnce()
      await inSameBlock(async () => {
        for (let sent = 0; sent < times; sent += 1) {
          await flooder.flood(reader.merchant.wallet, { amount: 1, transfers: dust, logs: 0 })
        }
        await reader.pay(manualIntent, 'manual')
        await reader.pay(referencedIntent, 'reference')
      })
      proxy.faults = { maxResults: limit }
      await reader.readOnce({ blocksPerQuery: 1 })
      for (const intent of [manualIntent, referencedIntent]) {
        expect(await reader.resolved(intent)).toMatchObject({ status: 'pending_confirmations' })
      }
      expect(await reader.reasons()).toHaveLength(times * dust + 2)
      const before = receipts()
      await reader.readOnce({ blocksPerQuery: 1 })
      expect(receipts(), 'read once, though each poll reads the block again').toBe(before)
    },
  )

  test('hide no payment among receipts that are too large, which are deferred', async () => {
    const intent = await reader.create()
    await reader.readOnce()
    const stuffed = { amount: 1, transfers: dust, logs: isFull ? 40_000 : 1_500 }
    await inSameBlock(async () => {
      await flooder.flood(reader.merchant.wallet, stuffed)
      await reader.pay(intent, 'manual')
    })
    proxy.faults = { maxResults: limit, maxBytes: 300_000 }
    expect(await reader.readOnce({ blocksPerQuery: 1 })).toMatchObject({
      deferred: [expect.any(Object)],
    })
    expect(await reader.resolved(intent)).toMatchObject({ status: 'pending_confirmations' })
    proxy.faults = {}
    await reader.readDeferred()
    expect(await reader.reasons()).toHaveLength(dust + 1)
  })

  test('are read by wallets if the whole token is too much', async () => {
    const intent = await reader.create()
    await watchMany(reader)
    await reader.readOnce()
    await inSameBlock(async () => {
      await flooder.flood(randomWallet(), { amount: 1, transfers: dust, logs: 0 })
      await reader.pay(intent, 'manual')
    })
    proxy.faults = { maxResults: limit }
    const before = receipts()
    await reader.readOnce({ blocksPerQuery: 1 })
    expect(await reader.resolved(intent)).toMatchObject({ status: 'pending_confirmations' })
    expect(receipts() - before).toBe(1)
  })
})

describe('blocks full of dust', () => {
  // More than a poll reads.
  const transfers = isFull ? 3_900 : 1_000

  test('delay a payment by at most two polls, and cause few events', async () => {
    const intent = await reader.create()
    for (let sent = 0; sent < 6; sent += 1) {
      await flooder.flood(reader.merchant.wallet, { amount: 1, transfers, logs: 0 })
    }
    await reader.pay(intent, 'manual')
    await chain.mine(5)
    const statements = await statementsOf(() => reader.readOnce())
    expect(await reader.resolved(intent)).toMatchObject({ status: 'pending_confirmations' })
    await reader.readOnce()
    expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
    await reader.read()
    const stored = await reader.db.pool.query('select from transfers')
    expect(stored.rowCount).toBe(6 * transfers + 1)
    const reports = await reader.db.pool.query(
      `select object::json -> 'dust' as dust from events where type = 'transfer.unmatched'`,
    )
    expect(reports.rows.length).toBeLessThanOrEqual(6)
    const counts = reports.rows.map(({ dust }) => dust.count)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(6 * transfers)
    expect(statements.length, statements.join('\n')).toBeLessThanOrEqual(18)
  })
})

test.each(isFull ? [5, 20, 60] : [5, 20])(
  'a poll that finds %d payments needs at most 15 statements',
  async (payments) => {
    const intents = []
    for (let created = 0; created < payments; created += 1) intents.push(await reader.create())
    await reader.readOnce()
    for (const intent of intents)
      await reader.pay(intent, intents.indexOf(intent) % 2 ? 'manual' : 'reference')
    const statements = await statementsOf(() => reader.readOnce())
    expect(statements.length, statements.join('\n')).toBeLessThanOrEqual(15)
    await reader.settle()
    for (const intent of intents) {
      expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
    }
  },
)
