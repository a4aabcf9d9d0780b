import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DevAccount } from '@payment-intents/testing'
import { expect, onTestFinished, test } from 'vitest'
import { patience } from '../../../../tests/support/patience.ts'
import { isFull } from '../../../../tests/support/tier.ts'
import { until } from '../../../../tests/support/until.ts'
import { setMerchantWallet } from '../../src/store/merchants/merchants.ts'
import { checkRelayed } from '../relayer/support/checkRelayed.ts'
import { chainServerOfFile } from '../support/chain/chainServer.ts'
import { sign } from '../support/chain/signAuthorization.ts'
import { merchantApi } from '../support/server/merchantApi.ts'
import { type ServerProcess, startServer } from '../support/server/serverProcess.ts'
import { createTestMerchant, type Json } from '../support/server/testServer.ts'

const shared = chainServerOfFile()
const kills = isFull ? 100 : 4
/** Each refund has a payment of its own, and all amounts differ. */
const refundCount = isFull ? 60 : 12

const slow = { timeout: 20 * patience }

test(`killed ${kills} times, a server pays each refund once and loses none`, slow, async () => {
  await shared.reset()
  const { chain, server } = shared
  const [, payer, buyer] = chain.accounts as [DevAccount, DevAccount, DevAccount]
  const [shop, relayer] = [chain.accounts[5], chain.accounts[8]] as [DevAccount, DevAccount]
  const merchant = await createTestMerchant(server.db, { wallet: shop.address })
  await setMerchantWallet(server.db.pool, {
    ...{ merchantId: merchant.id, mode: 'testnet', chain: 'base', address: shop.address },
  })
  const gas = BigInt(await chain.rpc<string>('eth_getBalance', [relayer.address, 'latest']))
  const firstBlock = Number(await chain.rpc<string>('eth_blockNumber'))
  const env = {
    DATABASE_URL: server.db.pool.options.connectionString,
    SERVER_SECRET: randomBytes(32).toString('hex'),
    RPC_URL_BASE_TESTNET: chain.url,
    RELAYER_KEY_BASE_TESTNET: relayer.privateKey,
    CONFIRMATIONS_BASE_TESTNET: '2',
  }
  let running: ServerProcess = await startServer(env)
  onTestFinished(async () => void (await running.end('SIGKILL')))

  /** Repeats a request until it gets a response, like a client with an idempotency key. */
  async function send(method: string, path: string, body: unknown, key: string): Promise<Json> {
    return until(async () => {
      const api = merchantApi(running, merchant.apiKey)
      const response = await api.send(method, path, body, { 'idempotency-key': key })
      const content = await response.json()
      if (response.status !== 200) throw new Error(`${path}: ${JSON.stringify(content)}`)
      return content
    })
  }

  const before = await balanceOf(payer.address)
  const intents: Json[] = []
  for (let index = 0; index < refundCount; index += 1) {
    const amount_units = 1_000_000 + index
    const intent = await send('POST', '/v1/payment_intents', { amount_units }, `order ${index}`)
    await chain.pay({
      ...{ from: buyer.address, to: shop.address, amount: BigInt(amount_units) },
      reference: intent.payment_reference,
    })
    intents.push(intent)
  }
  await chain.rpc('evm_setAutomine', [false])
  await chain.rpc('evm_setIntervalMining', [1])
  onTestFinished(async () => {
    await chain.rpc('evm_setIntervalMining', [0])
    await chain.rpc('evm_setAutomine', [true])
  })

  async function refundIntent(intent: Json, index: number): Promise<string> {
    const body = { payment_intent: intent.id, destination: payer.address }
    // The request is refused until the payment is deep.
    const refund = await send('POST', '/v1/refunds', body, `refund ${index}`)
    const path = `/v1/refunds/${refund.id}`
    await until(async () => {
      const { typed_data, status } = await send('GET', path, undefined, '')
      if (status !== 'requires_signature') return
      const authorization = { from: shop.address, ...typed_data.message }
      const signature = await sign(chain, shop, authorization)
      await send('POST', `${path}/authorize`, { authorization, signature }, `${index}`)
    })
    return refund.id
  }

  const refunding = Promise.all(intents.map(refundIntent))
  refunding.catch(() => {})
  for (let killed = 0; killed < kills; killed += 1) {
    await sleep(randomInt(200, 2_500))
    await running.end('SIGKILL')
    await server.db.pool.query(`update relayer_leases set lease_until = '-infinity'`)
    await server.db.pool.query(`update chain_cursors set lease_until = '-infinity'`)
    running = await startServer(env)
  }
  const ids = await refunding
  await until(async () => {
    const { rows } = await server.db.pool.query('select id, status from refunds order by id')
    expect(rows).toEqual([...ids].sort().map((id) => ({ id, status: 'succeeded' })))
  })
  const owed = Array.from({ length: refundCount }, (_, index) => 1_000_000n + BigInt(index))
  expect((await balanceOf(payer.address)) - before).toBe(
    owed.reduce((sum, amount) => sum + amount, 0n),
  )
  const { rows: events } = await server.db.pool.query(
    `select refund_id, count(*)::int as count from events where type = 'refund.succeeded' group by 1`,
  )
  expect(events.map(({ count }) => count)).toEqual(ids.map(() => 1))
  await until(async () => {
    const { rows } = await server.db.pool.query(
      `select from relayer_transactions where state in ('pending', 'mined')`,
    )
    expect(rows).toEqual([])
  })
  const relayed = { relayer: relayer.address.toLowerCase(), balance: gas, from: firstBlock }
  expect(await checkRelayed({ chain, db: server.db }, relayed)).toMatchObject({
    used: refundCount,
  })

  async function balanceOf(address: string): Promise<bigint> {
    const data = `0x70a08231${address.slice(2).padStart(64, '0')}`
    return BigInt(await chain.rpc<string>('eth_call', [{ to: chain.token, data }, 'latest']))
  }
})
