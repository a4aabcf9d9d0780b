import type { DevAccount } from '@payment-intents/testing'
import {
  type Address,
  concat,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  numberToHex,
  pad,
  parseAbi,
  size,
  slice,
  zeroHash,
} from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { isFull } from '../../../../tests/support/tier.ts'
import { updateSettings } from '../../src/store/merchants/settings.ts'
import { readerOfTest } from '../support/chain/readerOfTest.ts'
import { sendMined } from '../support/chain/sendMined.ts'
import { authorization } from '../support/chain/signAuthorization.ts'
import { expectError, merchantApi } from '../support/server/merchantApi.ts'
import { createTestMerchant, type Json, randomWallet } from '../support/server/testServer.ts'

const { reader, chain } = readerOfTest()
let payer: DevAccount
let stranger: DevAccount

beforeEach(() => {
  const [, firstAccount, secondAccount] = chain.accounts
  if (!firstAccount || !secondAccount) throw new Error('The development chain has accounts.')
  payer = firstAccount
  stranger = secondAccount
})

const send = (from: Address, to: Address, data: Hex) =>
  sendMined(chain, { from, to, data, gas: '0x7a1200' })

const transfer = (to: Address, amount: number, reference: Hex = '0x') =>
  concat([
    encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, BigInt(amount)] }),
    reference,
  ])

const credits = async () =>
  (
    await reader.db.pool.query(
      'select intent_id, bound_by, reason from transfers order by block_number, log_index',
    )
  ).rows

describe('an EIP-3009 authorization', () => {
  const authorize = (to: Address, amount: number, nonce: Hex) =>
    authorization(chain, payer, { to, amount, nonce })

  test('pays the order whose reference is the nonce, with any amount and any submitter', async () => {
    const [intent, otherIntent] = [await reader.create(), await reader.create()]
    const { expected_wallet: wallet, payment_reference: nonce } = intent
    const signed = await authorize(wallet, otherIntent.payable_amount_units, nonce)
    await send(stranger.address, chain.token, signed)
    await reader.settle()
    expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
    expect(await reader.resolved(otherIntent)).toMatchObject({ status: 'requires_payment' })
    expect(await credits()).toMatchObject([{ intent_id: intent.id, bound_by: 'authorization' }])
  })

  test('does not pay another order if somebody appends bytes', async () => {
    const [victim, attacker] = [await reader.create(), await reader.create()]
    const { expected_wallet: wallet, payable_amount_units: amount } = victim
    const signed = await authorize(wallet, amount, zeroHash)
    const call = transfer(wallet, amount, attacker.payment_reference)
    await send(stranger.address, chain.token, concat([signed, call]))
    await reader.settle()
    expect(await reader.resolved(attacker)).toMatchObject({ status: 'requires_payment' })
    expect(await reader.resolved(victim)).toMatchObject({ status: 'succeeded' })
  })
})

describe('a user operation', () => {
  const entryPoint = '0x0000000071727de22e5e9d8baf0edac6f37da032'
  const abi = parseAbi([
    'struct Operation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }',
    'function handleOps(Operation[] ops, address beneficiary)',
  ])
  const nothing: Hex = '0x'
  const operation = (sender: Address, callData: Hex) => ({
    ...{ sender, callData, nonce: 0n, initCode: nothing, accountGasLimits: zeroHash },
    ...{ preVerificationGas: 0n, gasFees: zeroHash },
    ...{ paymasterAndData: nothing, signature: nothing },
  })
  const handleOps = (...ops: ReturnType<typeof operation>[]) =>
    encodeFunctionData({ abi, functionName: 'handleOps', args: [ops, stranger.address] })

  /** Replaces the code of the EntryPoint, so that any call moves the payer's USDC. */
  async function executes(to: Address, amount: number): Promise<void> {
    const args = [entryPoint, 2n ** 200n] as const
    const allow = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
    await send(payer.address, chain.token, allow)
    const move = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transferFrom',
      args: [payer.address, to, BigInt(amount)],
    })
    await chain.rpc('anvil_setCode', [entryPoint, calling(chain.token, move)])
  }

  test('pays the order that its own calldata names', async () => {
    const [firstIntent, secondIntent] = [await reader.create(), await reader.create()]
    const { expected_wallet: wallet } = secondIntent
    const amount = firstIntent.payable_amount_units
    await executes(wallet, amount)
    const payersOperation = operation(
      payer.address,
      transfer(wallet, amount, secondIntent.payment_reference),
    )
    await send(stranger.address, entryPoint, handleOps(payersOperation))
    await reader.settle()
    expect(await credits()).toMatchObject([{ intent_id: secondIntent.id, bound_by: 'reference' }])
  })

  test('does not pay another order because of an operation before it, or of appended bytes', async () => {
    const [victim, attacker] = [await reader.create(), await reader.create()]
    const { expected_wallet: wallet, payable_amount_units: amount } = victim
    await executes(wallet, amount)
    const stolen = transfer(wallet, amount, attacker.payment_reference)
    const payersOperation = operation(payer.address, transfer(wallet, amount))
    const bundle = handleOps(operation(stranger.address, stolen), payersOperation)
    await send(stranger.address, entryPoint, concat([bundle, stolen]))
    await reader.settle()
    expect(await credits()).toMatchObject([{ intent_id: victim.id, bound_by: 'payable_amount' }])
    expect(await reader.resolved(attacker)).toMatchObject({ status: 'requires_payment' })
  })
})

test('dust with a copied reference does not block a payer', async () => {
  const [canceled, paid] = [await reader.create(), await reader.create()]
  for (const { expected_wallet: wallet, payment_reference: reference } of [canceled, paid]) {
    await send(stranger.address, chain.token, transfer(wallet, 1, reference))
  }
  await reader.read()
  const api = merchantApi(reader.server, reader.merchant.apiKey)
  const response = await api.post(`/v1/payment_intents/${canceled.id}/cancel`)
  expect(response.status).toBe(200)
  await send(
    stranger.address,
    chain.token,
    transfer(canceled.expected_wallet, 1, canceled.payment_reference),
  )
  const hash = await reader.pay(paid, 'manual')
  await reader.settle()
  expect(await reader.resolved(canceled)).toMatchObject({
    ...{ status: 'canceled', tx_hash: null, exceptions: [], amount_received_units: 0 },
  })
  expect(await reader.resolved(paid)).toMatchObject({
    ...{ status: 'succeeded', tx_hash: hash, exceptions: [] },
    amount_received_units: paid.payable_amount_units,
  })
  expect(await reader.eventsOf(canceled)).toEqual(['created', 'canceled'])
  expect(await credits()).toHaveLength(4)
})

test('an address that a merchant named cannot belong to another', async () => {
  const wallet_address = randomWallet()
  const intent = await reader.create({ wallet_address })
  const { apiKey } = await createTestMerchant(reader.db, { wallet: randomWallet() })
  const api = merchantApi(reader.server, apiKey)
  for (const address of [wallet_address, wallet_address.toUpperCase().replace('0X', '0x')]) {
    const body = { amount_units: 1, wallet_address: address }
    await expectError(await api.post('/v1/payment_intents', body), 400, 'wallet_invalid')
  }
  await reader.pay(intent, 'manual', 26_123_456)
  await reader.settle()
  expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
  expect(await reader.create({ wallet_address })).toMatchObject({ status: 'requires_payment' })
})

describe('a client that only uses the published fields', () => {
  /** Pays as the response of resolve says, without knowledge of references and tags. */
  async function pay(intent: Json): Promise<void> {
    const { amount_units, expected_wallet } = await reader.resolved(intent)
    await chain.pay({ from: payer.address, to: expected_wallet, amount: BigInt(amount_units) })
  }

  const many = isFull ? 50 : 20
  const orders: [string, <Item>(items: Item[]) => Item[]][] = [
    ['the order of their creation', (items) => items],
    ['reverse order', (items) => items.toReversed()],
    ['any order', (items) => items.toSorted(() => Math.random() - 0.5)],
  ]
  const cases = orders.flatMap(([order, sort]) =>
    [3, many].map((count) => ({ order, sort, count })),
  )
  const quick = cases.filter(({ order, count }) => count === 3 || order === 'any order')
  test.each(isFull ? cases : quick)(
    'pays each of $count open orders of the same price in $order',
    async ({ sort, count }) => {
      // Ten amounts of the first shape are free. Further orders have amounts of the second shape.
      await reader.db.pool.query(
        `insert into payable_reservations (chain_id, wallet, payable_amount_units, intent_id, since, until)
         select 84532, $1, 25390100 + 200 * n, 'pi_other', now(), now() + interval '1 day' from generate_series(1, 40) n`,
        [reader.merchant.wallet],
      )
      const intents: Json[] = []
      for (let made = 0; made < count; made += 1) {
        intents.push(await reader.create({ amount_units: 25_390_000 }))
      }
      for (const intent of sort(intents)) await pay(intent)
      await reader.settle()
      for (const intent of intents) {
        const resolved = await reader.resolved(intent)
        expect(resolved).toMatchObject({ status: 'succeeded', exceptions: [] })
        expect(resolved.amount_received_units).toBe(resolved.amount_units)
        expect(resolved.price_units).toBe(25_390_000)
        expect(resolved.amount_units).toBeGreaterThan(25_390_000)
      }
      expect(await reader.reasons()).toEqual(intents.map(() => null))
    },
  )
})

describe('the plain price', () => {
  test.each([1, 3, 10])(
    'from a customer without an order pays no stranger’s order: %d prices',
    async (prices) => {
      const intents: Json[] = []
      for (let index = 1; index <= prices; index += 1) {
        const intent = await reader.create({ amount_units: index * 25_000_000 })
        intents.push(intent)
        await reader.pay(intent, 'manual', intent.amount_units)
      }
      await reader.settle()
      const api = merchantApi(reader.server, reader.merchant.apiKey)
      const { data } = await api.read('/v1/transfers')
      for (const { id, client_secret, amount_units } of intents) {
        const { status, near_misses } = await reader.resolved({ client_secret })
        expect({ status, near_misses }).toMatchObject({
          ...{ status: 'requires_payment', near_misses: [{ amount_units }] },
        })
        const sent = data.find((transfer: Json) => transfer.amount_units === amount_units)
        expect(sent).toMatchObject({
          ...{ payment_intent: null, reason: 'amount_mismatch' },
          suggestions: expect.arrayContaining([{ payment_intent: id, match: 'price' }]),
        })
        expect(await reader.eventsOf({ id })).toEqual(['created'])
      }
      const { rows } = await reader.db.pool.query(
        "select count(*)::int as events from events where type = 'transfer.unmatched'",
      )
      expect(rows).toEqual([{ events: prices }])
    },
  )

  test('is left to the merchant to assign', async () => {
    const intent = await reader.paid('manual', 25_000_000)
    await reader.read()
    const api = merchantApi(reader.server, reader.merchant.apiKey)
    const { data } = await api.read('/v1/transfers?matched=false')
    await api.post(`/v1/transfers/${data[0].id}/assign`, { payment_intent: intent.id })
    await reader.settle()
    expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded', exceptions: [] })
  })

  test('pays the only order that has it, once, if the merchant has enabled that', async () => {
    await reader.matchPlainPrice()
    const intent = await reader.create()
    await reader.pay(intent, 'manual', intent.amount_units)
    await reader.pay(intent, 'manual', intent.amount_units)
    await reader.settle()
    expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded', exceptions: [] })
    expect(await credits()).toMatchObject([
      { intent_id: intent.id, bound_by: 'price' },
      { intent_id: null, reason: 'no_intent' },
    ])
  })

  test('pays no order at a wallet without that setting', async () => {
    await reader.matchPlainPrice()
    const wallet_address = randomWallet()
    const intents = [25_000_000, 26_000_000].map((amount_units) =>
      reader.create({ amount_units, wallet_address }),
    )
    const [intent] = await Promise.all(intents)
    await reader.pay(intent, 'manual', 25_000_000)
    await reader.read()
    expect(await credits()).toMatchObject([{ intent_id: null, reason: 'amount_mismatch' }])
  })

  test('pays no order of a merchant without that setting, if another merchant has it for the wallet', async () => {
    const wallet_address = randomWallet()
    const { id: other } = await createTestMerchant(reader.db, { wallet: wallet_address })
    const base = { mode: 'testnet', chain: 'base' } as const
    await updateSettings(reader.db, other, { chains: [{ ...base, matchPlainPrice: true }] })
    await reader.db.pool.query(
      `insert into wallet_proofs (merchant_id, address, nonce_hash, proved_at) values ($1, $2, '', now())`,
      [reader.merchant.id, wallet_address.toLowerCase()],
    )
    const intent = await reader.create({ wallet_address })
    await reader.pay(intent, 'manual', intent.amount_units)
    await reader.read()
    expect(await credits()).toMatchObject([{ intent_id: null, reason: 'amount_mismatch' }])
  })

  test('of two orders pays neither, and both checkouts say that it has arrived', async () => {
    const intents = [await reader.create(), await reader.create()]
    const [{ amount_units: price }] = intents as [Json]
    const tx_hash = await reader.pay(intents[0] as Json, 'manual', price)
    await reader.read()
    expect(await credits()).toMatchObject([{ intent_id: null, reason: 'ambiguous' }])
    for (const intent of intents) {
      expect(await reader.resolved(intent)).toMatchObject({
        ...{ status: 'requires_payment', version: 2 },
        near_misses: [{ tx_hash, amount_units: price }],
      })
    }
    const api = merchantApi(reader.server, reader.merchant.apiKey)
    const { data } = await api.read('/v1/transfers')
    const suggested = intents.map(({ id }) => ({ payment_intent: id, match: 'price' }))
    expect(data).toMatchObject([{ reason: 'ambiguous' }])
    expect(new Set(data[0].suggestions)).toEqual(new Set(suggested))
  })
})

/** Code that makes this call to a contract, for any input. */
function calling(to: Address, data: Hex): Hex {
  const words = Array.from({ length: Math.ceil(size(data) / 32) }, (_, index) => {
    const word = pad(slice(data, index * 32, Math.min(size(data), index * 32 + 32)), {
      dir: 'right',
    })
    // PUSH32 word, PUSH1 offset, MSTORE
    return concat(['0x7f', word, '0x60', numberToHex(index * 32, { size: 1 }), '0x52'])
  })
  const length = numberToHex(size(data), { size: 1 })
  // CALL(gas, to, 0, 0, length, 0, 0)
  return concat([
    ...words,
    '0x6000',
    '0x6000',
    '0x60',
    length,
    '0x60006000',
    '0x73',
    to,
    '0x5af1',
    '0x00',
  ])
}
