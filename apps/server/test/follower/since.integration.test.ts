import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import { readerOfTest, wallClock } from '../support/chain/readerOfTest.ts'
import { assignTransfer } from '../support/server/directActions.ts'
import { type Json, randomWallet } from '../support/server/testServer.ts'

const { reader } = readerOfTest()

beforeEach(async () => {
  // Somebody must wait on the chain, or it is not followed.
  await reader.create({ amount_units: 1 })
  await reader.read()
  await reader.chain.mine(20)
  await reader.read()
})

const status = async (intent: Json) => (await reader.resolved(intent)).status as string

describe.each([
  ['the merchant’s wallet', () => reader.merchant.wallet],
  ['a wallet of its own', randomWallet],
])('an intent at %s', (_, where) => {
  test('is paid in the block after the last read block, in any second', async () => {
    await reader.chain.rpc('anvil_setBlockTimestampInterval', [0])
    const intent = await reader.create({ wallet_address: where() })
    await reader.pay(intent, 'manual')
    await reader.read()
    expect(await status(intent)).toBe('pending_confirmations')
  })

  test.each([
    ['soon', 10],
    ['long after', 100],
  ])(
    'is paid by a block that a reorg, found %s, put below the last read block',
    async (_when, later) => {
      const intent = await reader.create({ wallet_address: where() })
      await reader.chain.rpc('anvil_rollback', [5])
      await reader.pay(intent, 'manual')
      await reader.chain.mine(later)
      await reader.read()
      expect(await status(intent)).toBe('succeeded')
    },
  )

  test('is not paid by an earlier transfer, even if a reorg mines it again', async () => {
    const wallet_address = where()
    // The wallet is also watched on this chain, since payers mistake one chain for the other.
    await reader.create({ wallet_address, chain: 'polygon', amount_units: 1 })
    const send = await signed(wallet_address, 31_000_000)
    await send()
    await reader.chain.mine(3)
    await reader.read()
    expect(await reader.reasons()).toEqual(['no_intent'])
    const intent = await reader.create({ wallet_address, amount_units: 31_000_000 })
    await reader.chain.rpc('anvil_rollback', [4])
    await reader.chain.mine(8)
    await send()
    await reader.read()
    expect(await status(intent)).toBe('requires_payment')
    expect(await reader.reasons()).toEqual(['before_intent'])
  })
})

test('a plain price stays credited when a reorg mines it again, even if another intent has the price by then', async () => {
  await reader.matchPlainPrice()
  const intent = await reader.create({ amount_units: 31_000_000 })
  const send = await signed(reader.merchant.wallet, 31_000_000)
  await send()
  await reader.chain.mine(1)
  await reader.read()
  expect(await status(intent)).toBe('pending_confirmations')
  await reader.create({ amount_units: 31_000_000 })
  await reader.chain.rpc('anvil_rollback', [2])
  await reader.chain.mine(1)
  await send()
  await reader.chain.mine(8)
  await reader.read()
  expect(await status(intent)).toBe('succeeded')
  expect(await reader.reasons()).toEqual([null])
})

test('a moved transfer stays with its new intent when reorgs mine it elsewhere', async () => {
  const [firstIntent, secondIntent] = [await reader.create(), await reader.create()]
  const actor = { merchantId: reader.merchant.id, mode: 'testnet' } as const
  const send = await signed(reader.merchant.wallet, 10_000_000)
  const assign = async (intent: Json) => {
    const { rows } = await reader.db.pool.query('select id from transfers where not orphaned')
    const result = await assignTransfer(reader.db, actor, rows[0].id, intent.id, wallClock)
    expect(result.type).toBe('done')
  }
  const remine = async (depth: number) => {
    await reader.chain.rpc('anvil_rollback', [depth])
    await reader.chain.mine(depth)
    await send()
    await reader.read()
  }
  await send()
  await reader.read()
  await assign(firstIntent)
  await remine(1)
  await assign(secondIntent)
  for (const depth of [2, 3, 4]) {
    await remine(depth)
    const { rows } = await reader.db.pool.query(
      'select intent_id from transfers where not orphaned',
    )
    expect(rows).toEqual([{ intent_id: secondIntent.id }])
  }
})

test('while nobody follows, the clock decides', async () => {
  await reader.db.pool.query(`update chain_cursors set scanned_at = now() - interval '1 minute'`)
  const intent = await reader.paid('manual')
  await reader.db.pool.query(`update payable_reservations set since = since + interval '1 minute'`)
  await reader.read()
  expect(await status(intent)).toBe('requires_payment')
  expect(await reader.reasons()).toEqual(['before_intent'])
})

/** Signs a transfer that can be sent again after a reorg, as nodes do with transactions of the old blocks. */
async function signed(to: `0x${string}`, amount: number): Promise<() => Promise<void>> {
  const { chain } = reader
  const [, payer] = chain.accounts
  if (!payer) throw new Error('no account')
  const raw = await privateKeyToAccount(payer.privateKey).signTransaction({
    chainId: chain.chainId,
    to: chain.token,
    nonce: Number(await chain.rpc<Hex>('eth_getTransactionCount', [payer.address, 'latest'])),
    data: encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transfer',
      args: [to, BigInt(amount)],
    }),
    gas: 200_000n,
    maxFeePerGas: 10_000_000_000n,
  })
  return async () => {
    const hash = await chain.rpc('eth_sendRawTransaction', [raw])
    await expect.poll(() => chain.rpc('eth_getTransactionReceipt', [hash])).toBeTruthy()
  }
}

test('a server whose clock is ahead of the chain’s skips no block', async () => {
  const intent = await reader.create()
  await reader.db.pool.query(`update watched_topics set since = since + interval '10 minutes'`)
  await reader.read()
  await reader.pay(intent, 'manual')
  await reader.chain.mine(10)
  await reader.read()
  expect(await status(intent)).toBe('succeeded')
})
