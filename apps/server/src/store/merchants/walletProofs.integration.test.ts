import { type Merchant, newTerms } from '@payment-intents/core'
import { beforeAll, expect, test } from 'vitest'
import { isFull } from '../../../../../tests/support/tier.ts'
import { explaining } from '../../../test/support/database/explaining.ts'
import { addresses, fillLists } from '../../../test/support/database/fillLists.ts'
import { dbOfFile } from '../../../test/support/database/fixtures.ts'
import { randomWallet, testToken } from '../../../test/support/server/testServer.ts'
import { randomBytes } from '../../lib/crypto/randomBytes.ts'
import type { Db } from '../connection/connect.ts'
import { newId } from '../lists/ids.ts'
import { createCreationStore } from '../payment-intents/storeCreations.ts'
import { findForPayer } from '../payment-links/payersLinks.ts'
import { findOutrankedChains } from '../payment-links/paymentLinks.ts'
import { insertTransfers } from '../transfers/transfers.ts'
import { insertMerchant, listWallets } from './merchants.ts'
import {
  deleteWalletProofs,
  findWalletClaims,
  insertWalletProof,
  insertWalletProofNonce,
} from './walletProofs.ts'

const count = isFull ? 200_000 : 4_000
/**
 * The maximum of PostgreSQL's pages that a statement reads, for any number of proofs and intents. A creation reads
 * most, since it writes nine rows.
 */
const pagesAllowed = 300
const isLarge = /^(wallet_proofs|payment_intents|wallet_proof_nonces)$/
/** Half of the other merchant's intents are paid at this wallet. */
const wallet = addresses.even
const prover: Merchant = {
  ...{ id: 'mer_prover', mode: 'testnet', defaultChain: null },
  ...{ wallets: { base: wallet }, allowedWallets: [], confirmations: {} },
}

const db = dbOfFile()

beforeAll(async () => {
  for (const id of ['mer_1', prover.id]) {
    await insertMerchant(db.pool, { id, name: 'Shop', defaultChain: null })
  }
  await fillLists(db, 'mer_1', count)
  await db.pool.query(
    `insert into merchants (id, name) select 'mer_of_' || n, 'Shop' from generate_series(0, 99) n`,
  )
  await db.pool.query(
    `insert into wallet_proofs (merchant_id, address, nonce_hash, proved_at)
     select 'mer_of_' || n % 100, '0x' || lpad(to_hex(n), 40, '0'), int8send(n), now()
     from generate_series(1, $1::bigint) n`,
    [count],
  )
  await db.pool.query(
    `insert into wallet_proof_nonces (hash, merchant_id, address, chain_id, expires_at)
     select int8send(n), 'mer_of_' || n % 100, '', 1, now() + interval '1 day'
     from generate_series(1, $1::bigint) n`,
    [count],
  )
  await db.pool.query('vacuum analyze wallet_proofs, wallet_proof_nonces')
})

const statements: [string, (on: Db) => Promise<unknown>][] = [
  [
    'a proof is stored',
    async (on) => {
      const nonce = {
        hash: randomBytes(32),
        merchantId: prover.id,
        address: wallet,
        chainId: 84532,
      }
      const now = Date.now()
      await insertWalletProofNonce(on.pool, nonce, { expiresAt: now + 1_000 })
      expect(await insertWalletProof(on.pool, nonce, { provenOn: null, now })).toBe(0)
    },
  ],
  [
    'the outranked chains of links are found',
    async (on) => {
      const who = { merchantId: 'mer_1', mode: 'testnet' } as const
      expect(await findOutrankedChains(on.pool, who)).toEqual([])
      await findForPayer(on.pool, newId('plink', Date.now()))
    },
  ],
  ['claims are found', (on) => findWalletClaims(on.pool, wallet, null)],
  ['a merchant’s wallets are listed', (on) => listWallets(on.pool, prover.id)],
  [
    'an intent is created',
    async (on) => {
      const create = createCreationStore(on, Math.random)
      const terms = newTerms({ amount_units: 1_000_000, wallet_address: wallet }, '{}', prover, {
        newId: (now) => newId('pi', now),
        salt: `0x${randomBytes(32).toString('hex')}`,
        ...{ clock: Date.now, confirmations: { base: 5 } },
      })
      const made = { namesWallet: true, reservesAmount: true, since: Date.now(), secretKey: '' }
      const rest = { operation: 'createPaymentIntent', idempotency: null, ...made } as const
      expect(await create({ terms, ...rest })).toMatchObject({ type: 'created' })
    },
  ],
  [
    'a transfer is stored that fits no intent',
    async (on) => {
      const hash = `0x${randomBytes(32).toString('hex')}` as const
      const transfer = {
        ...{ id: newId('tr', Date.now()), chainId: 84532, blockNumber: 7n, blockHash: hash },
        ...{ txHash: hash, blockTimestamp: 1_900_000_000, logIndex: 0, from: randomWallet() },
        ...{ to: wallet, amount: 5n, token: testToken, authorizationNonce: null },
        binding: { type: 'unmatched', reason: 'no_intent' } as const,
      }
      const stored = await insertTransfers(on.pool, 84532, [transfer])
      expect(stored).toMatchObject([{ merchantId: prover.id }])
    },
  ],
  [
    'proofs are withdrawn',
    async (on) => {
      expect(await deleteWalletProofs(on.pool, { merchantId: prover.id, address: wallet })).toBe(
        true,
      )
    },
  ],
]

test.each(statements)('%s by an index', async (_, run) => {
  const explained = explaining(db, isLarge)
  await run(explained.db)
  expect([...explained.scanned]).toEqual([])
  expect(explained.pages).toBeLessThan(pagesAllowed)
})
