import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { patience } from '../../../../tests/support/patience.ts'
import { isFull } from '../../../../tests/support/tier.ts'
import { until } from '../../../../tests/support/until.ts'
import type { SecondProvider } from '../../src/chain/providers/secondProvider.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import { connect } from '../../src/chain/rpc/rpcConnection.ts'
import { readLags } from '../../src/store/chains/cursors.ts'
import { dismissQuarantined } from '../../src/store/chains/deferredTransactions.ts'
import { readBacklog } from '../../src/store/webhook-endpoints/readBacklog.ts'
import { type FaultProxy, type Faults, startFaultProxy } from '../support/chain/faultProxy.ts'
import { followChain, type Logged } from '../support/chain/followChain.ts'
import { readerOfTest } from '../support/chain/readerOfTest.ts'
import { stuffReceipts } from '../support/chain/stuffedReceipts.ts'
import { placeFlooder } from '../support/server/flooder.ts'
import {
  createIntent,
  createTestMerchant,
  type Json,
  randomWallet,
} from '../support/server/testServer.ts'

const { reader, chain } = readerOfTest()
let firstProxy: FaultProxy
let secondProxy: FaultProxy
/** An intent of another merchant, whose payer is honest. */
let honest: Json
/** The hashes of strangers' transactions. */
let hostile: Set<string>

beforeEach(async () => {
  firstProxy = await startFaultProxy(chain.url)
  secondProxy = await startFaultProxy(chain.url)
  reader.rpc = rpcOf(firstProxy)
  const { apiKey } = await createTestMerchant(reader.db, { wallet: randomWallet() })
  honest = await createIntent(reader.server, apiKey)
  await reader.create()
  await reader.readOnce()
  hostile = new Set()
  await chain.rpc('evm_setAutomine', [false])
})
afterEach(async () => {
  await chain.rpc('evm_setAutomine', [true])
  await Promise.all([firstProxy.shut(), secondProxy.shut()])
})

const rpcOf = ({ url }: FaultProxy) =>
  createRpc(connect(url, { timeoutMs: patience }), [chain.token])
const asSecond = (proxy: FaultProxy): SecondProvider => ({ ...rpcOf(proxy), isReady: () => true })

/** Sends this many transactions of strangers to a watched wallet, one unit each, in the next block. */
async function sendDust(transactions: number): Promise<void> {
  const [, , stranger] = chain.accounts
  if (!stranger) throw new Error('The development chain has accounts.')
  const { wallet: to } = reader.merchant
  for (let sent = 0; sent < transactions; sent += 1) {
    const { hash } = await chain.pay({ from: stranger.address, to, amount: 1n })
    hostile.add(hash)
  }
}

/** Polls three times, in which a payment must be recorded. */
async function pollThrice(options: { secondProvider?: SecondProvider } = {}): Promise<void> {
  for (let polls = 0; polls < 3; polls += 1) await reader.readOnce(options)
}

const expectRecorded = async (intent = honest) =>
  expect(await reader.resolved(intent)).toMatchObject({ status: 'pending_confirmations' })

const counts = isFull ? [5, 15, 50] : [50]

describe('a payment is recorded within three polls', () => {
  test.each(counts)('beside %i transactions with receipts of 15 MB in its block', async (count) => {
    stuffReceipts([firstProxy], (hash) => hostile.has(hash))
    await sendDust(count)
    await reader.pay(honest, 'reference')
    await chain.mine()
    await reader.readOnce()
    await expectRecorded()
  })

  test.each(isFull ? [15] : [5])(
    'beside %i receipts of 15 MB whose size the gas limits hide',
    async (count) => {
      stuffReceipts([firstProxy], (hash) => hostile.has(hash), 'false')
      await sendDust(count)
      await reader.pay(honest, 'reference')
      await chain.mine()
      await pollThrice()
      await expectRecorded()
    },
  )

  test.each(isFull ? counts : [10])(
    'beside %i receipts of 15 MB in the ten blocks before its own',
    async (count) => {
      stuffReceipts([firstProxy], (hash) => hostile.has(hash))
      for (let block = 0; block < 10; block += 1) {
        await sendDust(Math.ceil(count / 10))
        await chain.mine()
        await reader.readOnce()
      }
      await reader.pay(honest, 'reference')
      await chain.mine()
      await pollThrice()
      await expectRecorded()
    },
  )

  test.each(counts)('beside %i transactions that nobody returns', async (count) => {
    firstProxy.faults = { unknown: hostile }
    secondProxy.faults = { unknown: hostile }
    await sendDust(count)
    await chain.mine()
    const secondProvider = asSecond(secondProxy)
    await pollThrice({ secondProvider })
    await reader.pay(honest, 'reference')
    await chain.mine()
    await pollThrice({ secondProvider })
    await expectRecorded()
  })

  test('beside transactions that are too large, unknown, or both', async () => {
    stuffReceipts(
      [firstProxy, secondProxy],
      (hash) => hostile.has(hash) && Number(hash.at(-1)) % 2 === 0,
    )
    firstProxy.faults.unknown = hostile
    await sendDust(15)
    await reader.pay(honest, 'manual')
    await chain.mine()
    await pollThrice({ secondProvider: asSecond(secondProxy) })
    await expectRecorded()
  })

  test('beside transactions that break each request that names them', async () => {
    firstProxy.faults = { poison: hostile }
    await sendDust(15)
    await reader.pay(honest, 'reference')
    await chain.mine()
    await pollThrice()
    await expectRecorded()
    await chain.mine(5)
    await pollThrice()
    expect(await reader.resolved(honest)).toMatchObject({ status: 'succeeded' })
  })

  test('and settles beside orders whose payments now break requests', async () => {
    for (let created = 0; created < 15; created += 1) {
      hostile.add(await reader.pay(await reader.create(), 'reference'))
    }
    await reader.pay(honest, 'reference')
    await chain.mine()
    await reader.readOnce()
    firstProxy.faults = { poison: hostile }
    await chain.mine(5)
    await pollThrice()
    expect(await reader.resolved(honest)).toMatchObject({ status: 'succeeded' })
  })

  test.each(isFull ? [5] : [2])(
    'beside %i real transactions with 41,600 empty logs each, which are read in the end',
    async (count) => {
      const flooder = await placeFlooder(chain, BigInt(count))
      await chain.mine()
      for (let sent = 0; sent < count; sent += 1) {
        await flooder.flood(reader.merchant.wallet, { amount: 1, transfers: 1, logs: 41_600 })
      }
      await reader.pay(honest, 'reference')
      await chain.mine()
      await pollThrice()
      await expectRecorded()
      await reader.readDeferred()
      const reasons = await reader.reasons()
      expect(reasons.filter((reason) => reason === 'no_intent')).toHaveLength(count)
    },
  )

  const floods: [times: number, large: number][] = [
    [1, isFull ? 15 : 5],
    ...(isFull
      ? ([
          [1, 0],
          [3, 0],
        ] as [number, number][])
      : []),
  ]
  test.each(floods)(
    'beside %i × 11,200 dust transfers, and %i receipts of 15 MB',
    async (times, large) => {
      stuffReceipts([firstProxy], (hash) => hostile.has(hash))
      const flooder = await placeFlooder(chain, BigInt(times * 11_200))
      await chain.rpc('evm_setBlockGasLimit', ['0xb2d05e00'])
      await chain.mine()
      const dust = { amount: 1, transfers: 2_800, logs: 0 }
      for (let sent = 0; sent < 4 * times; sent += 1) {
        await flooder.flood(reader.merchant.wallet, dust)
      }
      await sendDust(large)
      await reader.pay(honest, 'manual')
      await chain.mine()
      await pollThrice()
      await expectRecorded()
      await reader.readDeferred()
      expect(await reader.reasons()).toHaveLength(times * 11_200 + 1 + large)
    },
  )

  test('and settles beside orders whose payments have receipts of 15 MB', async () => {
    stuffReceipts([firstProxy, secondProxy], (hash) => hostile.has(hash))
    const orders: Json[] = []
    for (let created = 0; created < 5; created += 1) orders.push(await reader.create())
    for (const order of orders) hostile.add(await reader.pay(order, 'reference'))
    await chain.mine()
    await reader.readDeferred()
    await reader.pay(honest, 'reference')
    await chain.mine(5)
    const secondProvider = asSecond(secondProxy)
    await pollThrice({ secondProvider })
    expect(await reader.resolved(honest)).toMatchObject({ status: 'succeeded' })
    await until(async () => {
      await reader.readOnce({ secondProvider })
      for (const order of orders) {
        expect(await reader.resolved(order)).toMatchObject({ status: 'succeeded' })
      }
    })
  })
})

describe('a transaction that nobody returns', () => {
  const rows = async () =>
    (
      await reader.db.pool.query(
        'select deferred_at, quarantined_at from deferred_transactions order by tx_hash',
      )
    ).rows
  const age = (seconds: number) =>
    reader.db.pool.query(
      `update deferred_transactions set retry_at = now(),
         deferred_at = deferred_at - make_interval(secs => $1)`,
      [seconds],
    )

  test('is reported once after 30 seconds, even if several processes follow the chain in turn', async () => {
    firstProxy.faults = { unknown: hostile }
    await sendDust(5)
    await chain.mine()
    await reader.readOnce()
    const before = await rows()
    expect(before).toHaveLength(5)
    for (let moves = 0; moves < 2; moves += 1) {
      await age(14)
      await reader.takeLease()
      expect(await reader.readOnce()).toMatchObject({ type: 'current', quarantined: [] })
    }
    await age(14)
    await reader.takeLease()
    const polled = await reader.readOnce()
    const names = 'quarantined' in polled ? polled.quarantined.map(({ txHash }) => txHash) : []
    expect(new Set(names)).toEqual(hostile)
    await reader.takeLease()
    expect(await reader.readOnce()).toMatchObject({ quarantined: [] })
    const after = await rows()
    expect(after.every(({ quarantined_at }) => quarantined_at !== null)).toBe(true)
    const since = ({ deferred_at }: { deferred_at: Date }) => deferred_at.getTime()
    expect(after.map(since)).toEqual(before.map(since).map((ms) => ms - 42_000))
  })

  test('is reported until an operator dismisses it, and still recorded if it is returned', async () => {
    firstProxy.faults = { unknown: hostile }
    const txHash = await reader.pay(honest, 'reference')
    hostile.add(txHash)
    await chain.mine()
    await reader.readOnce()
    const reported = async () => {
      const [lag] = await readLags(reader.db.pool)
      const backlog = await readBacklog(reader.db.pool, [chain.chainId])
      return [lag?.quarantined, backlog.chains[0]?.quarantined]
    }
    const dismiss = () => dismissQuarantined(reader.db.pool, chain.chainId, txHash)
    expect(await dismiss(), 'before it is reported').toBe('not_quarantined')
    await age(31)
    await reader.takeLease()
    await reader.readOnce()
    expect(await reported()).toEqual([1, 1])
    expect(await dismiss()).toBe('dismissed')
    expect(await reported()).toEqual([0, 0])
    await age(60)
    await reader.takeLease()
    await reader.readOnce()
    expect(await reported(), 'after it was read again').toEqual([0, 0])
    firstProxy.faults = {}
    await age(60)
    await reader.takeLease()
    await reader.readOnce()
    await expectRecorded()
  })

  test('is credited once it is returned, after minutes and by another process', async () => {
    firstProxy.faults = { unknown: hostile }
    hostile.add(await reader.pay(honest, 'reference'))
    await chain.mine()
    await reader.readOnce()
    await chain.mine(20)
    await reader.readOnce()
    await age(600)
    await reader.takeLease()
    firstProxy.faults = {}
    expect(await reader.readOnce()).toMatchObject({ released: [], delayedTransfers: 0 })
    await expectRecorded()
    expect(await rows()).toEqual([])
  })

  test('is read from the second provider if the first does not know it', async () => {
    firstProxy.faults = { unknown: hostile }
    hostile.add(await reader.pay(honest, 'reference'))
    await chain.mine()
    await reader.readOnce({ secondProvider: asSecond(secondProxy) })
    await expectRecorded()
  })

  test('is given up once its block is no longer canonical', async () => {
    firstProxy.faults = { unknown: hostile }
    await sendDust(2)
    await chain.mine()
    await reader.readOnce()
    await chain.reorg(1)
    await chain.mine(3)
    await reader.readOnce()
    expect(await rows()).toEqual([])
  })
})

describe('processes that follow the chain in turn', () => {
  test('record every payment, back off from no provider, and name unreadable rows', async () => {
    firstProxy.faults = { unknown: hostile }
    const refuse: Faults['instead'] = async (method, forward, [hash]) => {
      const isHostile = method === 'eth_getTransactionReceipt' && hostile.has(String(hash))
      return isHostile ? Promise.reject(new Error('internal error')) : forward()
    }
    await sendDust(15)
    await chain.mine()
    const logs: Logged[] = []
    const urls = [firstProxy.url, secondProxy.url]
    const follow = () => followChain({ db: reader.db, urls, logs, pollMs: 10 })
    await reader.release()
    const { apiKey } = await createTestMerchant(reader.db, { wallet: randomWallet() })
    for (let moves = 0; moves < 4; moves += 1) {
      secondProxy.faults = moves % 2 === 0 ? { poison: hostile } : { instead: refuse }
      const stop = follow()
      const intent = await createIntent(reader.server, apiKey)
      await reader.pay(intent, 'reference')
      await chain.mine()
      await until(() => expectRecorded(intent))
      await stop()
      await reader.db.pool.query(
        `update deferred_transactions set retry_at = now(),
           deferred_at = deferred_at - interval '10 seconds'`,
      )
    }
    const named = logs.flatMap(({ fields, message }) =>
      message.startsWith('a transaction cannot be read') && 'tx_hash' in fields
        ? [fields.tx_hash]
        : [],
    )
    expect(named.sort()).toEqual([...hostile].sort())
    expect(logs.map(({ message }) => message)).not.toContain('a provider failed; it rests')
  })
})
