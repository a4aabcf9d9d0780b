import type { Binding } from '@payment-intents/core'
import { describe, expect, test } from 'vitest'
import { serverOfFile } from '../../../test/support/database/fixtures.ts'
import {
  createIntent,
  createTestMerchant,
  randomWallet,
  testToken,
} from '../../../test/support/server/testServer.ts'
import { allowWallet, setMerchantWallet } from '../merchants/merchants.ts'
import { insertTransfers, orphanTransfers, type StoredTransfer } from './transfers.ts'

const server = serverOfFile()

/** A transfer of five units to a wallet. */
function transferTo(wallet: `0x${string}`, id: number): StoredTransfer {
  const hash = `0x${id.toString(16).padStart(64, '0')}` as const
  return {
    ...{ id: `tr_${id}`, chainId: 84532, blockNumber: 7n, blockHash: hash, txHash: hash },
    ...{ blockTimestamp: 1_900_000_000, logIndex: 0, from: randomWallet(), to: wallet },
    ...{ amount: 5n, token: testToken, authorizationNonce: null },
  }
}
/** Stores a transfer, and returns its row. */
async function insert(transfer: StoredTransfer, binding: Binding) {
  const [inserted] = await insertTransfers(server.db.pool, 84532, [{ ...transfer, binding }])
  return inserted && { id: inserted.id, merchantId: inserted.merchantId }
}

const nobodys = { type: 'unmatched', reason: 'no_intent' } as const

test('a transfer to a merchant’s own wallet belongs to them, even if another merchant used it earlier', async () => {
  const { pool } = server.db
  const wallet = randomWallet()
  const stranger = await createTestMerchant(server.db)
  const owner = await createTestMerchant(server.db, { wallet: randomWallet() })
  await createIntent(server, stranger.apiKey, { wallet_address: wallet })
  expect(await insert(transferTo(wallet, 1), nobodys)).toMatchObject({
    merchantId: stranger.id,
  })
  await setMerchantWallet(pool, {
    ...{ merchantId: owner.id, mode: 'testnet', chain: 'base', address: wallet },
  })
  expect(await insert(transferTo(wallet, 2), nobodys)).toMatchObject({
    merchantId: owner.id,
  })
})

test('a transfer whose block returns belongs to its intent’s merchant, no matter who had it before', async () => {
  const { pool } = server.db
  const wallet_address = randomWallet()
  const [firstMerchant, secondMerchant] = [
    await createTestMerchant(server.db),
    await createTestMerchant(server.db),
  ]
  // Both merchants allow the wallet, so either may name it.
  for (const { id: merchantId } of [firstMerchant, secondMerchant]) {
    await allowWallet(pool, { merchantId, address: wallet_address })
  }
  const intent = await createIntent(server, firstMerchant.apiKey, { wallet_address })
  await createIntent(server, secondMerchant.apiKey, { wallet_address })
  const store = (binding: Binding) => insert(transferTo(wallet_address, 3), binding)
  expect(await store(nobodys)).toEqual({ id: 'tr_3', merchantId: secondMerchant.id })
  await orphanTransfers(pool, ['tr_3'])
  const its = { type: 'bound', intentId: intent.id, by: 'reference' } as const
  expect(await store(its)).toEqual({ id: 'tr_3', merchantId: firstMerchant.id })
  await orphanTransfers(pool, ['tr_3'])
  // A transfer to a merchant who requested payment there stays theirs.
  expect(await store(nobodys)).toEqual({ id: 'tr_3', merchantId: firstMerchant.id })
})

describe('a transfer to a wallet that merchants have proven', () => {
  const insertProof = (wallet: string, { id }: { id: string }, chainId: number | null = null) =>
    server.db.pool.query(
      `insert into wallet_proofs (merchant_id, address, chain_id, nonce_hash, proved_at)
       values ($1, $2, $3, sha256(convert_to($1 || $2, 'UTF8')), now())`,
      [id, wallet, chainId],
    )

  test('belongs to them, even if others list the wallet and they never requested payment there', async () => {
    const wallet = randomWallet()
    const lister = await createTestMerchant(server.db, { wallet })
    const owner = await createTestMerchant(server.db)
    await createIntent(server, lister.apiKey)
    await insertProof(wallet, owner)
    expect(await insert(transferTo(wallet, 11), nobodys)).toMatchObject({ merchantId: owner.id })
  })

  test('belongs to the merchant with the newest intent there, among several', async () => {
    const wallet = randomWallet()
    const [first, second, third] = [
      await createTestMerchant(server.db, { wallet }),
      await createTestMerchant(server.db, { wallet }),
      await createTestMerchant(server.db, { wallet }),
    ]
    for (const shop of [first, second, third]) await insertProof(wallet, shop)
    await createIntent(server, third.apiKey)
    const { id } = await createIntent(server, second.apiKey)
    // The statement looks for the newest intent in each status.
    await server.db.pool.query(`update payment_intents set status = 'canceled' where id = $1`, [id])
    await createIntent(server, first.apiKey, { wallet_address: wallet })
    const { id: newest } = await createIntent(server, second.apiKey)
    await server.db.pool.query(`update payment_intents set status = 'canceled' where id = $1`, [
      newest,
    ])
    expect(await insert(transferTo(wallet, 12), nobodys)).toMatchObject({ merchantId: second.id })
  })

  test('does not belong to them if a contract’s code has proven the wallet on another chain', async () => {
    const wallet = randomWallet()
    const lister = await createTestMerchant(server.db, { wallet })
    const otherMerchant = await createTestMerchant(server.db)
    await insertProof(wallet, otherMerchant, 80002)
    expect(await insert(transferTo(wallet, 13), nobodys)).toMatchObject({ merchantId: lister.id })
  })
})
