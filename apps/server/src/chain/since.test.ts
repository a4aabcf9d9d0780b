import { type DevChain, startDevChain } from '@payment-intents/testing'
import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import { acquireLease, type Lease } from '../db/chainCursors.ts'
import {
  createIntent,
  createTestMerchant,
  type Json,
  randomWallet,
  resolveIntent,
  startTestServer,
  type TestServer,
} from '../test/testServer.ts'
import { connect } from './connection.ts'
import { createRpc, type Rpc } from './rpc.ts'
import { type Known, knownAtStart, tick } from './tick.ts'

let chain: DevChain
let server: TestServer
let apiKey: string
let shop: `0x${string}`
let rpc: Rpc
let lease: Lease
let known: Known

beforeEach(async () => {
  chain = await startDevChain({ blockTime: 0 })
  server = await startTestServer()
  shop = randomWallet()
  apiKey = (await createTestMerchant(server.db, { wallet: shop })).apiKey
  rpc = createRpc(connect(chain.url), [chain.token])
  lease = (await acquireLease(server.db, chain.chainId)) ?? expect.fail('the lease is held')
  known = knownAtStart([])
  // Somebody waits on the chain, which is therefore followed.
  await createIntent(server, apiKey, { amount_units: 1 })
  await read()
  await chain.mine(20)
  await read()
  return async () => {
    await server.close()
    await chain.stop()
  }
})

/** Reads up to the head, and once more: what a reading finds deep already, the next one settles. */
async function read(): Promise<void> {
  for (let current = 0; current < 2; ) {
    const ticked = await tick({ db: server.db, rpc, lease, now: () => Date.now() }, known)
    if ('known' in ticked) known = ticked.known
    if (ticked.type === 'current') current += 1
    else expect(ticked.type).toBe('catching_up')
  }
}

async function pay(wallet: `0x${string}`, amount: number): Promise<void> {
  const [, payer] = chain.accounts
  if (!payer) throw new Error('no account')
  await chain.pay({ from: payer.address, to: wallet, amount: BigInt(amount) })
}

const payByHand = (intent: Json) => pay(intent.expected_wallet, intent.payable_amount_units)

const status = async (intent: Json) =>
  (await resolveIntent(server, intent.client_secret)).status as string

async function reasons(): Promise<(string | null)[]> {
  const { rows } = await server.db.pool.query(
    'select reason from transfers where not orphaned order by block_number',
  )
  return rows.map(({ reason }) => reason)
}

describe.each([
  ['the merchant’s wallet', () => shop],
  ['a wallet of its own', randomWallet],
])('an intent at %s', (_, where) => {
  test('is paid by the block after the last one read, in whatever second', async () => {
    await chain.rpc('anvil_setBlockTimestampInterval', [0])
    const intent = await createIntent(server, apiKey, { wallet_address: where() })
    await payByHand(intent)
    await read()
    expect(await status(intent)).toBe('pending_confirmations')
  })

  test.each([
    ['soon', 10],
    ['long after', 100],
  ])(
    'is paid by a block that a reorg, found %s, put below the last one read',
    async (_found, later) => {
      const intent = await createIntent(server, apiKey, { wallet_address: where() })
      await chain.rpc('anvil_rollback', [5])
      await payByHand(intent)
      await chain.mine(later)
      await read()
      expect(await status(intent)).toBe('succeeded')
    },
  )

  test('is not paid by what was read before it, though a reorg mines it again', async () => {
    const wallet_address = where()
    // Watched here too, since payers mistake one chain for the other.
    await createIntent(server, apiKey, { wallet_address, chain: 'polygon', amount_units: 1 })
    const send = await signed(wallet_address, 31_000_000)
    await send()
    await chain.mine(3)
    await read()
    expect(await reasons()).toEqual(['no_intent'])
    const intent = await createIntent(server, apiKey, { wallet_address, amount_units: 31_000_000 })
    await chain.rpc('anvil_rollback', [4])
    await chain.mine(8)
    await send()
    await read()
    expect(await status(intent)).toBe('requires_payment')
    expect(await reasons()).toEqual(['before_intent'])
  })
})

test('while nobody follows, the clock decides', async () => {
  await server.db.pool.query(`update chain_cursors set scanned_at = now() - interval '1 minute'`)
  const intent = await createIntent(server, apiKey)
  await payByHand(intent)
  await server.db.pool.query(`update payable_reservations set since = since + interval '1 minute'`)
  await read()
  expect(await status(intent)).toBe('requires_payment')
  expect(await reasons()).toEqual(['before_intent'])
})

/** A transfer that can be sent again after a reorg, as nodes do with what is left of the old blocks. */
async function signed(to: `0x${string}`, amount: number): Promise<() => Promise<void>> {
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

test('a server whose clock is ahead of the chain leaves no block out', async () => {
  const intent = await createIntent(server, apiKey)
  await server.db.pool.query(`update watched_wallets set since = since + interval '10 minutes'`)
  await read()
  await payByHand(intent)
  await chain.mine(10)
  await read()
  expect(await status(intent)).toBe('succeeded')
})
