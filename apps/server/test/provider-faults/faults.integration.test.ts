import type { DevChain } from '@payment-intents/testing'
import { describe, expect, test } from 'vitest'
import { patience } from '../../../../tests/support/patience.ts'
import { isFull } from '../../../../tests/support/tier.ts'
import { until } from '../../../../tests/support/until.ts'
import { chainServerOfFile } from '../support/chain/chainServer.ts'
import { type FaultProxy, type Faults, startFaultProxy } from '../support/chain/faultProxy.ts'
import { followChain } from '../support/chain/followChain.ts'
import {
  createIntent,
  createTestMerchant,
  type Json,
  randomWallet,
  resolveIntent,
  type TestServer,
} from '../support/server/testServer.ts'

const seeds = isFull ? [1, 2, 3, 4, 5, 6] : [1, 2]

type Step = {
  random: () => number
  chain: DevChain
  intents: readonly Json[]
  paid: Map<string, Json>
}

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

// Faults that could silently lose payments are the most frequent.
const faults: readonly Faults[] = [
  ...Array<Faults>(8).fill({ emptyLogs: 3 }),
  { behind: 4 },
  { behind: 20 },
  { page: 429 },
  { page: 200 },
  { page: 502 },
  { chainId: 1 },
  { duplicateLogs: true },
  { hang: true },
  { hangBody: true },
  { reset: true },
  { leaveOut: true },
  { maxBlocks: 5 },
  { maxBlocks: 10 },
  { maxResults: 2 },
  { noReceipts: true },
]

const shared = chainServerOfFile()

describe('payments over faulty providers and reorgs of up to 20 blocks', () => {
  test.each(seeds)('are credited as the final chain has them: seed %i', async (seed) => {
    const { chain, server } = shared
    await shared.reset()
    await chain.mine(40)
    const merchant = await createTestMerchant(server.db, { wallet: randomWallet() })
    const proxies = [await startFaultProxy(chain.url), await startFaultProxy(chain.url)]
    const urls = proxies.map(({ url }) => url)
    // Backoffs of real length would take too long, so their clock runs thirty times as fast.
    const started = Date.now()
    const backoffClock = () => started + (Date.now() - started) * 30
    const timeoutMs = Math.ceil(patience / 60)
    const stop = followChain({ db: server.db, urls, pollMs: 10, timeoutMs, backoffClock })
    try {
      const intents: Json[] = []
      // All intents have the same amount and wallet.
      for (let index = 0; index < 8; index += 1) {
        intents.push(await createIntent(server, merchant.apiKey))
      }
      const step = { random: seeded(seed), chain, intents, paid: new Map<string, Json>() }
      for (let round = 0; round < 30; round += 1) await play(step, proxies)
      for (const proxy of proxies) proxy.faults = {}
      await chain.mine(25)
      await until(() => expectTruth(server, step))
    } finally {
      await stop()
      for (const proxy of proxies) await proxy.shut()
    }
  })
})

async function play(step: Step, proxies: readonly FaultProxy[]): Promise<void> {
  const { random, chain, intents, paid } = step
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T
  for (const proxy of proxies) proxy.faults = random() < 0.6 ? pick(faults) : {}
  const action = random()
  if (action < 0.45) {
    const intent = pick(intents)
    const account = pick(chain.accounts.slice(1, 9))
    const { hash } = await chain.pay({
      from: account.address,
      to: intent.expected_wallet,
      amount: BigInt(intent.payable_amount_units),
      ...(random() < 0.5 ? { reference: intent.payment_reference } : {}),
    })
    paid.set(hash, intent)
  } else if (action < 0.7) {
    await chain.reorg(1 + Math.floor(random() * 20))
  } else {
    await chain.mine(1 + Math.floor(random() * 6))
  }
  // A poll reads some rounds; others end before the next poll.
  if (random() < 0.7) await untilCalled(proxies)
}

async function untilCalled(proxies: readonly FaultProxy[]): Promise<void> {
  const requested = () => proxies.reduce((sum, { requests }) => sum + requests.length, 0)
  const before = requested()
  await until(() => expect(requested()).toBeGreaterThan(before + 1))
}

/** Expects that every canonical transfer is credited once, to its intent, and nothing else is credited. */
async function expectTruth(server: TestServer, { chain, intents, paid }: Step): Promise<void> {
  const [{ expected_wallet: wallet }] = intents as [Json]
  const topics = [transferTopic, null, `0x${wallet.slice(2).toLowerCase().padStart(64, '0')}`]
  const filter = { address: chain.token, fromBlock: '0x0', toBlock: 'latest', topics }
  const logs = await chain.rpc<Json[]>('eth_getLogs', [filter])
  const truth = logs.map((log) => ({
    tx_hash: log.transactionHash,
    block_hash: log.blockHash,
    intent_id: paid.get(log.transactionHash)?.id,
  }))
  const { rows } = await server.db.pool.query(
    `select tx_hash, block_hash, intent_id from transfers where not orphaned
     order by block_number, log_index`,
  )
  expect(rows).toEqual(truth)
  for (const intent of intents) {
    const counted = truth.filter(({ intent_id }) => intent_id === intent.id).length
    const resolved = await resolveIntent(server, intent.client_secret)
    expect(resolved.amount_received_units).toBe(counted * intent.payable_amount_units)
    if (counted > 0) expect(resolved.status).toBe('succeeded')
    else if (resolved.status === 'succeeded') expect(resolved.exceptions).toContain('reorged')
    else expect(resolved.status).toBe('requires_payment')
  }
}

/** Returns a generator of numbers in [0, 1), which are the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed * 2_654_435_761
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) | 0
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
  }
}
