import { randomBytes } from 'node:crypto'
import { chainFacts, type Mode, transferSchema } from '@payment-intents/contract'
import { getAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { expectError, merchantApi, readPages } from '../../test/merchantApi.ts'
import { serverOfFile } from '../../test/serverOf.ts'
import {
  createIntent,
  createTestKey,
  createTestMerchant,
  type Json,
  shopWallet,
  testToken,
} from '../../test/testServer.ts'
import { newId } from '../db/ids.ts'

const server = serverOfFile()

const path = '/v1/transfers'

async function shop() {
  const { id, apiKey } = await createTestMerchant(server.db)
  return { api: merchantApi(server, apiKey), apiKey, merchantId: id }
}

type Stored = {
  merchantId: string | null
  mode?: Mode
  chainId?: number
  intentId?: string
  orphaned?: boolean
  amount?: string
}

/** A transfer as the follower stores it. */
async function store(transfer: Stored): Promise<string> {
  const id = newId('tr', Date.now())
  const { intentId = null, chainId = 84532, mode = 'testnet' } = transfer
  await server.db.pool.query(
    `insert into transfers (id, chain_id, block_number, block_hash, block_timestamp, tx_hash, log_index,
       sender, wallet, amount_units, intent_id, bound_by, reason, orphaned, merchant_id, mode, token_address)
     values ($1, $2, 17, $3, 1767225600, $4, 3, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      id,
      chainId,
      hash(),
      hash(),
      `0x${'ab'.repeat(20)}`,
      shopWallet.toLowerCase(),
      transfer.amount ?? '1000000',
      intentId,
      intentId && 'payable_amount',
      intentId ? null : 'no_intent',
      transfer.orphaned ?? false,
      transfer.merchantId,
      mode,
      chainFacts(mode, chainId === 80002 ? 'polygon' : 'base').usdc.toLowerCase(),
    ],
  )
  return id
}

function hash(): string {
  return `0x${randomBytes(32).toString('hex')}`
}

function ids(items: readonly Json[]): string[] {
  return items.map((item) => item.id)
}

describe('GET /v1/transfers', () => {
  test('says where each is on the chain and what it is credited to', async () => {
    const { api, apiKey, merchantId } = await shop()
    const { id: intentId } = await createIntent(server, apiKey)
    const unmatched = await store({ merchantId })
    const matched = await store({ merchantId, intentId })
    const { data, has_more } = await api.read(path)
    expect(has_more).toBe(false)
    for (const transfer of data) {
      expect(transferSchema.safeParse(transfer).error).toBeUndefined()
      expect(transfer).toMatchObject({
        chain: 'base',
        chain_id: 84532,
        log_index: 3,
        block_number: 17,
        block_timestamp: '2026-01-01T00:00:00.000Z',
        from: getAddress(`0x${'ab'.repeat(20)}`),
        to: shopWallet,
        amount_units: 1_000_000,
        token_address: testToken,
        orphaned: false,
      })
    }
    const byId = new Map(data.map((transfer: Json) => [transfer.id, transfer]))
    expect(byId.get(unmatched)).toMatchObject({
      payment_intent: null,
      bound_by: null,
      reason: 'no_intent',
    })
    expect(byId.get(matched)).toMatchObject({
      payment_intent: intentId,
      bound_by: 'payable_amount',
      reason: null,
    })
  })

  test('shows one that the chain took back as that', async () => {
    const { api, merchantId } = await shop()
    await store({ merchantId, orphaned: true })
    expect((await api.read(path)).data).toMatchObject([{ orphaned: true }])
  })

  test('answers an amount that no JSON number can hold with the greatest that one can', async () => {
    const { api, merchantId } = await shop()
    await store({ merchantId, amount: (2n ** 255n).toString() })
    expect((await api.read(path)).data).toMatchObject([{ amount_units: Number.MAX_SAFE_INTEGER }])
  })

  test.each([1, 2, 5])('pages of %i together are all of it, the latest first', async (limit) => {
    const { api, merchantId } = await shop()
    const stored: string[] = []
    for (let index = 0; index < 5; index += 1) stored.push(await store({ merchantId }))
    const pages = await readPages(api, path, { limit: String(limit) })
    expect(ids(pages.flat())).toEqual(stored.sort().reverse())
    expect(pages).toHaveLength(Math.ceil(5 / limit))
  })

  test('filters by intent, by whether it is credited, and by chain', async () => {
    const { api, apiKey, merchantId } = await shop()
    const { id: intentId } = await createIntent(server, apiKey)
    const { id: otherId } = await createIntent(server, apiKey)
    const unmatched = await store({ merchantId, chainId: 80002 })
    const matched = await store({ merchantId, intentId })
    const other = await store({ merchantId, intentId: otherId })
    const read = async (query: Record<string, string>) =>
      ids((await api.read(path, query)).data).sort()
    expect(await read({ payment_intent: intentId })).toEqual([matched])
    expect(await read({ matched: 'false' })).toEqual([unmatched])
    expect(await read({ matched: 'true' })).toEqual([matched, other].sort())
    expect(await read({ matched: 'false', payment_intent: intentId })).toEqual([])
    expect(await read({ chain: 'polygon' })).toEqual([unmatched])
    expect(await read({ chain: 'base' })).toEqual([matched, other].sort())
    expect(await read({ payment_intent: 'pi_never' })).toEqual([])
  })

  test('holds nothing of another merchant or mode, nor what is nobody’s', async () => {
    const { api, apiKey, merchantId } = await shop()
    const other = await shop()
    const live = merchantApi(server, await createTestKey(server.db, merchantId, 'mainnet'))
    const { id: intentId } = await createIntent(server, apiKey)
    const own = await store({ merchantId, intentId })
    const inLive = await store({ merchantId, mode: 'mainnet', chainId: 8453 })
    await store({ merchantId: null })
    expect(ids((await api.read(path)).data)).toEqual([own])
    expect(ids((await live.read(path)).data)).toEqual([inLive])
    expect((await other.api.read(path)).data).toEqual([])
    expect((await other.api.read(path, { payment_intent: intentId })).data).toEqual([])
    expect((await live.read(path, { payment_intent: intentId })).data).toEqual([])
  })

  test.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['matched=yes', 'matched'],
    ['matched=', 'matched'],
    ['matched=true&matched=true', 'matched'],
    ['chain=Base', 'chain'],
    ['payment_intent=', 'payment_intent'],
    ['payment_intent=%00', 'payment_intent'],
    ['starting_after=tr_', 'starting_after'],
    ['status=matched', 'status'],
    ['metadata[a]=1', 'metadata[a]'],
  ])('400 invalid_body: %s', async (query, issuePath) => {
    const { api } = await shop()
    const { issues } = await expectError(await api.get(`${path}?${query}`), 400, 'invalid_body')
    expect(issues[0].path).toBe(issuePath)
  })
})
