import { type Receipt, verifyReceipt } from '@payment-intents/browser/receipt'
import { paymentReference } from '@payment-intents/core'
import { type Address, concat, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { readerOfTest } from '../../../test/support/chain/readerOfTest.ts'
import { sendMined } from '../../../test/support/chain/sendMined.ts'
import { authorization } from '../../../test/support/chain/signAuthorization.ts'
import { expectError, merchantApi } from '../../../test/support/server/merchantApi.ts'
import {
  createTestMerchant,
  type Json,
  randomWallet,
} from '../../../test/support/server/testServer.ts'
import { updateSettings } from '../../store/merchants/settings.ts'

const { reader, chain } = readerOfTest()
const ofMerchant = () => merchantApi(reader.server, reader.merchant.apiKey)
const retrieve = async (intent: Json): Promise<Json> =>
  (await ofMerchant().get(`/v1/payment_intents/${intent.id}/receipt`)).json()
const verify = (receipt: unknown) => verifyReceipt(receipt, { rpcUrl: chain.url })

/** A receipt of the first transfer alone, with a change. */
function changed(receipt: Receipt, change: object): object {
  return { ...receipt, transfers: [{ ...receipt.transfers[0], ...change }] }
}

test('the receipt, which checkout and merchant get, proves a payment by reference', async () => {
  const intent = await reader.create({ metadata: { order_id: '1042' } })
  expect(await reader.resolved(intent)).toMatchObject({ receipt: null })
  const hash = await reader.pay(intent, 'reference', intent.amount_units)
  await reader.read()
  const early = await ofMerchant().get(`/v1/payment_intents/${intent.id}/receipt`)
  await expectError(early, 409, 'conflict')
  await reader.settle()
  const receipt = await retrieve(intent)
  expect(receipt).toMatchObject({
    payment_intent: intent.id,
    merchant_name: 'Test',
    amount_units: intent.amount_units,
    payment_reference: intent.payment_reference,
    metadata: { order_id: '1042' },
    transfers: [{ tx_hash: hash, amount_units: intent.amount_units, bound_by: 'reference' }],
  })
  const { metadata, ...shown } = receipt
  expect((await reader.resolved(intent)).receipt).toEqual(shown)
  expect(await verify(receipt)).toEqual({
    type: 'proven',
    payment: {
      amountUnits: BigInt(intent.amount_units),
      confirmations: 6,
      transfers: [
        {
          txHash: hash,
          from: reader.payer.toLowerCase(),
          amountUnits: BigInt(intent.amount_units),
          timestamp: Date.parse(receipt.transfers[0].block_timestamp) / 1000,
          namesIntent: true,
          namesAnother: false,
        },
      ],
    },
    confirmation: { type: 'none' },
    refunds: [],
  })
})

test('the receipt of a payment by amount proves only the transfer', async () => {
  const intent = await reader.paid('manual')
  await reader.settle()
  expect(await verify(await retrieve(intent))).toMatchObject({ type: 'paid' })
})

test('the receipt proves an authorization whose nonce is the reference, no matter who submits it', async () => {
  const intent = await reader.create()
  const [, payer, stranger] = chain.accounts
  if (!payer || !stranger) throw new Error('The development chain has accounts.')
  const data = await authorization(chain, payer, {
    to: intent.expected_wallet,
    amount: intent.amount_units,
    nonce: intent.payment_reference,
  })
  await sendMined(chain, { from: stranger.address, to: chain.token, data })
  await reader.settle()
  expect(await verify(await retrieve(intent))).toMatchObject({ type: 'proven' })
})

test('the receipt of an accepted underpayment does not prove the price', async () => {
  const intent = await reader.paid('reference', 1_000_000)
  await reader.read()
  await ofMerchant().post(`/v1/payment_intents/${intent.id}/accept`)
  await reader.settle()
  const verdict = await verify(await retrieve(intent))
  expect(verdict).toMatchObject({ type: 'underpaid', payment: { amountUnits: 1_000_000n } })
})

describe('a receipt is refuted', () => {
  test('when it names another transfer, amount or transaction', async () => {
    const [intent, otherIntent] = [await reader.paid('reference'), await reader.paid('reference')]
    await reader.settle()
    const [receipt, foreign] = [await retrieve(intent), await retrieve(otherIntent)]
    const [transfer] = receipt.transfers
    for (const change of [
      { log_index: transfer.log_index + 1 },
      { amount_units: transfer.amount_units + 1 },
      { tx_hash: `0x${'ab'.repeat(32)}` },
      { block_timestamp: '2026-01-01T00:00:00.000Z' },
    ]) {
      const verdict = await verify(changed(receipt, change))
      expect(verdict).toMatchObject({ type: 'refuted', reason: 'transfer' })
    }
    // A payment of another order to the same wallet exists, but is not for this order.
    const borrowed = await verify({ ...receipt, transfers: foreign.transfers })
    expect(borrowed).toMatchObject({ type: 'refuted', reason: 'another' })
    const twice = await verify({ ...receipt, transfers: [transfer, transfer] })
    expect(twice).toMatchObject({ type: 'refuted', reason: 'transfer' })
  })

  test('when the chain took the payment back, after which no receipt exists', async () => {
    const intent = await reader.paid('reference')
    await reader.settle()
    const receipt = await retrieve(intent)
    await chain.reorg(6)
    expect(await verify(receipt)).toMatchObject({ type: 'refuted', reason: 'transfer' })
    await reader.settle()
    expect(await reader.resolved(intent)).toMatchObject({ exceptions: ['reorged'], receipt: null })
    const deleted = await ofMerchant().get(`/v1/payment_intents/${intent.id}/receipt`)
    await expectError(deleted, 409, 'conflict')
    // The second payment is not deep enough yet.
    await reader.pay(intent, 'reference')
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({ exceptions: ['reorged'], receipt: null })
    await reader.settle()
    expect(await verify(await retrieve(intent))).toMatchObject({ type: 'proven' })
  })
})

/** A receipt that somebody invents around a transfer on the chain. */
function madeUp({ transfers, ...facts }: Json): Json {
  const terms = { payment_intent: 'pi_invented', salt: `0x${'5a'.repeat(32)}` as Hex }
  const reference = paymentReference({
    ...{ id: terms.payment_intent, chainId: facts.chain_id, token: facts.token_address },
    ...{ to: facts.expected_wallet, amount: BigInt(facts.amount_units), salt: terms.salt },
    expiresAt: Date.parse(facts.expires_at) / 1000,
  })
  return {
    ...facts,
    ...terms,
    payment_reference: reference,
    transfers,
    metadata: { order: 'mine' },
  }
}

describe('a receipt that is invented around another payment', () => {
  test('is refuted if the payer signed for an intent, by reference or nonce', async () => {
    const [named, gasless] = [await reader.paid('reference'), await reader.create()]
    const [, payer, stranger] = chain.accounts
    if (!payer || !stranger) throw new Error('The development chain has accounts.')
    const { expected_wallet: to, amount_units: amount, payment_reference: nonce } = gasless
    const data = await authorization(chain, payer, { to, amount, nonce })
    await sendMined(chain, { from: stranger.address, to: chain.token, data })
    await reader.settle()
    for (const intent of [named, gasless]) {
      const receipt = await retrieve(intent)
      expect(await verify(receipt)).toMatchObject({ type: 'proven' })
      for (const options of [{}, { serviceUrl: reader.server.url }]) {
        const verdict = await verifyReceipt(madeUp(receipt), { rpcUrl: chain.url, ...options })
        expect(verdict).toMatchObject({ type: 'refuted', reason: 'another' })
      }
    }
  })

  test('is denied by the service if the transfer names nothing, while the service’s own receipt is confirmed', async () => {
    const intent = await reader.paid('manual')
    await reader.settle()
    const receipt = await retrieve(intent)
    const request = (of: object) =>
      verifyReceipt(of, { rpcUrl: chain.url, serviceUrl: reader.server.url })
    expect(await request(madeUp(receipt))).toMatchObject({
      ...{ type: 'paid', confirmation: { type: 'denied' } },
    })
    expect(await request(receipt)).toMatchObject({
      ...{ type: 'paid', confirmation: { type: 'confirmed', merchantName: 'Test', support: null } },
    })
    await updateSettings(reader.db, reader.merchant.id, { support: 'help@shop.example' })
    expect(await request(receipt)).toMatchObject({ confirmation: { support: 'help@shop.example' } })
    const renamed = { ...receipt, merchant_name: 'Somebody else' }
    expect(await request(renamed)).toMatchObject({ confirmation: { merchantName: 'Test' } })
    // A receipt with its own terms, and with the transfer of another intent.
    const otherIntent = await reader.paid('manual')
    await reader.settle()
    const borrowed = { ...receipt, transfers: (await retrieve(otherIntent)).transfers }
    expect(await request(borrowed)).toMatchObject({ confirmation: { type: 'denied' } })
    const away = { rpcUrl: chain.url, serviceUrl: 'http://127.0.0.1:9' }
    expect(await verifyReceipt(receipt, away)).toMatchObject({ confirmation: { type: 'none' } })
  })

  test('a transfer with a wallet’s own suffix (ERC-8021) names no other intent', async () => {
    const intent = await reader.create()
    const { expected_wallet: to, payable_amount_units: amount } = intent
    const call = { abi: erc20Abi, functionName: 'transfer', args: [to, BigInt(amount)] } as const
    const codes = Buffer.from('a_wallet_with_a_long_name,and_an_app').toString('hex')
    const length = (codes.length / 2).toString(16).padStart(2, '0')
    const suffix = `0x${codes}${length}00${'8021'.repeat(8)}` as const
    await send(chain.token, concat([encodeFunctionData(call), suffix]))
    await reader.settle()
    expect(await verify(await retrieve(intent))).toMatchObject({ type: 'paid' })
  })

  test('the service shows its receipt to any holder of the salt, without metadata, and to nobody else', async () => {
    const intent = await reader.create({ metadata: { order_id: '1042' } })
    const request = (body: unknown) =>
      reader.server.request('/receipt', { method: 'POST', body: JSON.stringify(body) })
    await reader.pay(intent, 'reference', intent.amount_units)
    await reader.settle()
    const { metadata: _, ...receipt } = await retrieve(intent)
    const { payment_intent, salt } = receipt
    const response = await request({ payment_intent, salt })
    expect([response.status, await response.json()]).toEqual([200, { ...receipt, support: null }])
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    const another = await reader.paid('reference')
    for (const body of [
      { payment_intent, salt: `0x${'ab'.repeat(32)}` },
      { payment_intent: another.id, salt },
    ]) {
      await expectError(await request(body), 404, 'not_found')
    }
    await expectError(await request({ payment_intent }), 400, 'invalid_body')
    await chain.reorg(7)
    await reader.settle()
    await expectError(await request({ payment_intent, salt }), 404, 'not_found')
  })
})

test('a transfer from a wallet to itself proves and settles nothing', async () => {
  const [, shop, stranger] = chain.accounts
  if (!shop || !stranger) throw new Error('The development chain has accounts.')
  const intent = await reader.create({ wallet_address: shop.address })
  const { amount_units: amount, payment_reference: nonce } = intent
  const toSelf = { abi: erc20Abi, functionName: 'transfer', args: [shop.address, BigInt(amount)] }
  const named = concat([encodeFunctionData(toSelf as never), nonce])
  await sendMined(chain, { from: shop.address, to: chain.token, data: named })
  const data = await authorization(chain, shop, { to: shop.address, amount, nonce })
  const hash = await sendMined(chain, { from: stranger.address, to: chain.token, data })
  await reader.settle()
  expect(await reader.resolved(intent)).toMatchObject({
    ...{ status: 'requires_payment', amount_received_units: 0, tx_hash: null },
  })
  const { rowCount } = await reader.db.pool.query('select from transfers where sender = wallet')
  expect(rowCount).toBe(0)
  // The shop could invent such a receipt.
  const paid = await reader.paid('reference')
  await reader.settle()
  const { transfers, ...terms } = await retrieve(paid)
  const mined: Json = await chain.rpc('eth_getTransactionReceipt', [hash])
  const block: Json = await chain.rpc('eth_getBlockByHash', [mined.blockHash, false])
  const receipt = madeUp({
    ...{ ...terms, expected_wallet: shop.address, amount_units: amount },
    transfers: [
      {
        ...{ ...transfers[0], tx_hash: hash, amount_units: amount },
        log_index: Number(mined.logs.at(-1).logIndex),
        block_timestamp: new Date(Number(block.timestamp) * 1000).toISOString(),
      },
    ],
  })
  expect(await verify(receipt)).toMatchObject({ type: 'refuted', reason: 'transfer' })
})

test('a transfer with the references of two orders proves neither', async () => {
  const [firstIntent, secondIntent] = [await reader.create(), await reader.create()]
  const { expected_wallet: to, payable_amount_units: amount } = firstIntent
  const units = BigInt(amount)
  const spender = await deploySpender(to, units)
  const approval = { abi: erc20Abi, functionName: 'approve', args: [spender, units] } as const
  await send(chain.token, encodeFunctionData(approval))
  // The payer signs calldata with a call for each order, but the contract makes a single transfer.
  const call = { abi: erc20Abi, functionName: 'transfer', args: [to, units] } as const
  const references: Hex[] = [firstIntent, secondIntent].map((order) => order.payment_reference)
  const calls = references.flatMap((reference) => [encodeFunctionData(call), reference])
  await send(spender, concat(calls))
  await reader.settle()
  expect(await verify(await retrieve(firstIntent))).toMatchObject({ type: 'paid' })
})

async function send(to: Address, data: Hex): Promise<void> {
  // An estimate does not account for an inner call that may fail.
  await sendMined(chain, { from: reader.payer, to, data, gas: '0x7a120' })
}

/** Deploys a contract that makes a `transferFrom` of the payer's USDC for any input. */
async function deploySpender(to: Address, units: bigint): Promise<Address> {
  const spender = randomWallet()
  const args = [reader.payer, to, units] as const
  const call = encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args })
  // CODECOPY the call, which follows the code, then CALL the token with it.
  const code = concat(['0x606460296000396000600060646000600073', chain.token, '0x5af100', call])
  await chain.rpc('anvil_setCode', [spender, code])
  return spender
}

test('another merchant’s receipt is not found', async () => {
  const intent = await reader.paid('reference')
  await reader.settle()
  const { apiKey } = await createTestMerchant(reader.db)
  const response = await merchantApi(reader.server, apiKey).get(
    `/v1/payment_intents/${intent.id}/receipt`,
  )
  await expectError(response, 404, 'not_found')
})

test('nothing is proven or refuted by a provider of another chain, or without a provider', async () => {
  const intent = await reader.paid('reference')
  await reader.settle()
  const receipt = await retrieve(intent)
  const away = await verifyReceipt(receipt, { rpcUrl: 'http://127.0.0.1:9' })
  expect(away).toMatchObject({ type: 'unknown' })
  await chain.rpc('anvil_setChainId', [137])
  const otherVerification = await verify(receipt)
  await chain.rpc('anvil_setChainId', [chain.chainId])
  expect(otherVerification).toMatchObject({
    type: 'unknown',
    message: expect.stringContaining('chain 137'),
  })
})
