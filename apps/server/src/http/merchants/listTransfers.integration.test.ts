import { transferSchema } from '@payment-intents/contract'
import { getAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { serverOfFile } from '../../../test/support/database/fixtures.ts'
import { storeTransfer } from '../../../test/support/database/storeTransfer.ts'
import { expectIssue, idsOf, openShop } from '../../../test/support/server/merchantApi.ts'
import {
  createIntent,
  type Json,
  shopWallet,
  testToken,
} from '../../../test/support/server/testServer.ts'

const server = serverOfFile()

const path = '/v1/transfers'

const shop = () => openShop(server)
const store = (transfer: Parameters<typeof storeTransfer>[1]) => storeTransfer(server.db, transfer)

describe('GET /v1/transfers', () => {
  test('returns the position of each transfer on the chain, and the intent that it pays', async () => {
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

  test('shows a transfer that the chain took back as orphaned', async () => {
    const { api, merchantId } = await shop()
    await store({ merchantId, orphaned: true })
    expect((await api.read(path)).data).toMatchObject([{ orphaned: true }])
  })

  test('returns the greatest JSON integer for a greater amount', async () => {
    const { api, merchantId } = await shop()
    await store({ merchantId, amount: 2n ** 255n })
    expect((await api.read(path)).data).toMatchObject([{ amount_units: Number.MAX_SAFE_INTEGER }])
  })

  test('holds nothing of another merchant or mode, nor transfers without a merchant', async () => {
    const { api, live, apiKey, merchantId } = await shop()
    const otherShop = await shop()
    const { id: intentId } = await createIntent(server, apiKey)
    const transferId = await store({ merchantId, intentId })
    const inLive = await store({ merchantId, chainId: 8453 })
    await store({ merchantId: null })
    expect(idsOf((await api.read(path)).data)).toEqual([transferId])
    expect(idsOf((await live.read(path)).data)).toEqual([inLive])
    expect((await otherShop.api.read(path)).data).toEqual([])
    expect((await otherShop.api.read(path, { payment_intent: intentId })).data).toEqual([])
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
    await expectIssue(await api.get(`${path}?${query}`), issuePath)
  })
})
