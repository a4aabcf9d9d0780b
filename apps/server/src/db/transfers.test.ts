import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Binding } from '../intent/bind.ts'
import {
  createIntent,
  createTestMerchant,
  randomWallet,
  startTestServer,
  type TestServer,
  testToken,
} from '../test/testServer.ts'
import { insertTransfer, orphanTransfers } from './transfers.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

test('a transfer whose block returns is its intent’s merchant’s, whoever’s it was before', async () => {
  const { pool } = server.db
  const wallet_address = randomWallet()
  const [first, second] = [await createTestMerchant(server.db), await createTestMerchant(server.db)]
  const intent = await createIntent(server, first.apiKey, { wallet_address })
  await createIntent(server, second.apiKey, { wallet_address })
  const hash = `0x${'ab'.repeat(32)}` as const
  const store = (binding: Binding) =>
    insertTransfer(
      pool,
      {
        id: 'tr_1',
        chainId: 84532,
        blockNumber: 7n,
        blockHash: hash,
        blockTimestamp: 1_900_000_000,
        txHash: hash,
        logIndex: 0,
        from: randomWallet(),
        to: wallet_address,
        amount: 5n,
        token: testToken,
      },
      binding,
    )
  const nobodys = { type: 'unmatched', reason: 'no_intent' } as const
  expect(await store(nobodys)).toEqual({ id: 'tr_1', merchantId: second.id })
  await orphanTransfers(pool, ['tr_1'])
  const its = { type: 'bound', intentId: intent.id, by: 'reference' } as const
  expect(await store(its)).toEqual({ id: 'tr_1', merchantId: first.id })
  await orphanTransfers(pool, ['tr_1'])
  // Told to one of those who asked for payment there, it stays theirs.
  expect(await store(nobodys)).toEqual({ id: 'tr_1', merchantId: first.id })
})
