import { type Address, type Chain, chainFacts, type Mode } from '@payment-intents/contract'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, onTestFinished, test } from 'vitest'
import { patience } from '../../../../tests/support/patience.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import { connect } from '../../src/chain/rpc/rpcConnection.ts'
import { allowRefundWallet } from '../../src/store/merchants/merchants.ts'
import { startFaultProxy } from '../support/chain/faultProxy.ts'
import { statementsOf } from '../support/database/statementsOf.ts'
import { merchantApi } from '../support/server/merchantApi.ts'
import { refundingOfTest } from '../support/server/refunding.ts'
import { createIntent, createTestMerchant, type Json } from '../support/server/testServer.ts'

const refunding = refundingOfTest()
const { reader, chain, paid, refund, read, signedBy, authorize, submit, eventsOfRefund, send } =
  refunding

async function balanceOf(address: string): Promise<bigint> {
  const data = `0x70a08231${address.slice(2).padStart(64, '0')}`
  return BigInt(await chain.rpc<string>('eth_call', [{ to: chain.token, data }, 'latest']))
}

describe('a refund that a wallet of the merchant signs', () => {
  test('is paid by any submitter of the signature, and succeeds once it is deep', async () => {
    const intent = await paid()
    const created = await refund(intent, { reason: 'requested_by_customer', metadata: { rma: 7 } })
    expect(created).toMatchObject({
      ...{ payment_intent: intent.id, transfer: null, status: 'requires_signature' },
      ...{ amount_units: intent.amount_units, destination: refunding.payer.address },
      ...{ destination_proof: 'merchant', reason: 'requested_by_customer', from: null },
      ...{ tx_hash: null, confirmations: 0, confirmations_required: 5, metadata: { rma: 7 } },
      typed_data: {
        primaryType: 'TransferWithAuthorization',
        message: { to: refunding.payer.address, nonce: created.refund_reference },
      },
    })
    expect(await refunding.api.read(`/v1/payment_intents/${intent.id}`)).toMatchObject({
      ...{ status: 'succeeded', amount_refunded_units: 0 },
      amount_refunding_units: intent.amount_units,
    })

    const signed = await signedBy(created)
    const before = await balanceOf(refunding.payer.address)
    expect(await authorize(created, signed)).toMatchObject({
      ...{ status: 'pending', from: refunding.shop.address, from_verified: true, tx_hash: null },
      ...{ typed_data: null, signable_until: null },
    })
    const txHash = await submit(signed)
    await reader.read()
    expect(await read(created)).toMatchObject({
      status: 'pending',
      tx_hash: txHash,
      confirmations: 1,
    })
    await reader.settle()
    expect(await read(created)).toMatchObject({ status: 'succeeded', confirmations: 6 })
    expect((await balanceOf(refunding.payer.address)) - before).toBe(BigInt(intent.amount_units))
    expect(await eventsOfRefund(created)).toEqual(['created', 'pending', 'succeeded'])
    expect(await refunding.api.read(`/v1/payment_intents/${intent.id}`)).toMatchObject({
      ...{ status: 'succeeded', amount_refunding_units: 0 },
      amount_refunded_units: intent.amount_units,
    })
  })

  test('stays reserved until the end of its signature is deep, even if it was never broadcast', async () => {
    const intent = await paid()
    const created = await refund(intent)
    const signed = await signedBy(created)
    await authorize(created, signed)
    const path = `/v1/refunds/${created.id}`
    const inFlight = { error: 'conflict', reason: 'refund_in_flight' }
    expect(await send(`${path}/cancel`, {}, 409)).toMatchObject(inFlight)
    const otherAddress = refunding.other.address
    const patched = await refunding.api.send('PATCH', path, { destination: otherAddress })
    expect(await patched.json()).toMatchObject(inFlight)

    const until = Number(signed.authorization.validBefore)
    await chain.rpc('evm_setNextBlockTimestamp', [until + 1])
    await chain.mine(1)
    await reader.read()
    expect(await read(created)).toMatchObject({ status: 'pending' })
    expect(await send(`${path}/cancel`, {}, 409)).toMatchObject(inFlight)
    await chain.mine(5)
    await reader.read()
    expect(await read(created)).toMatchObject({ status: 'requires_signature', from: null })
    expect(await send(`${path}/cancel`, {})).toMatchObject({ status: 'canceled' })
    expect(await eventsOfRefund(created)).toEqual(['created', 'pending', 'updated', 'canceled'])
  })

  test('can be signed again by the same account, but by no other', async () => {
    const created = await refund(await paid())
    await authorize(created, await signedBy(created))
    const secondSigned = await signedBy(created)
    expect(await authorize(created, secondSigned)).toMatchObject({ status: 'pending' })
    const by = await signedBy(created, refunding.other)
    expect(await authorize(created, by, 400)).toMatchObject({ error: 'wallet_invalid' })
  })

  test('belongs to the first of the merchant’s wallets that signs it', async () => {
    const { id: merchantId } = reader.merchant
    const address = refunding.other.address.toLowerCase() as Address
    await allowRefundWallet(reader.db.pool, { merchantId, address })
    const created = await refund(await paid())
    const [signedByShop, signedByOther] = [
      await signedBy(created),
      await signedBy(created, refunding.other),
    ]
    const [firstResponse, secondResponse] = await Promise.all(
      [signedByShop, signedByOther].map((signed) =>
        refunding.api.post(`/v1/refunds/${created.id}/authorize`, signed),
      ),
    )
    expect([firstResponse?.status, secondResponse?.status].toSorted()).toEqual([200, 409])
    const loser = firstResponse?.status === 200 ? secondResponse : firstResponse
    expect(await loser?.json()).toMatchObject({ reason: 'refund_in_flight' })
    const { rows } = await reader.db.pool.query('select authorizer from authorizations')
    expect(rows).toEqual([{ authorizer: (await read(created)).from.toLowerCase() }])
  })

  test('cannot be canceled after a revert, since anybody may send it again', async () => {
    const { shop, other, payer } = refunding
    const created = await refund(await paid())
    const signed = await signedBy(created)
    await authorize(created, signed)
    const units = await balanceOf(shop.address)
    await chain.pay({ from: shop.address, to: other.address, amount: units })
    const reverted = await submit(signed)
    expect(await chain.rpc('eth_getTransactionReceipt', [reverted])).toMatchObject({
      status: '0x0',
    })
    await reader.settle()
    expect(await send(`/v1/refunds/${created.id}/cancel`, {}, 409)).toMatchObject({
      reason: 'refund_in_flight',
    })
    expect(await read(created)).toMatchObject({ status: 'pending', tx_hash: null })
    await chain.pay({ from: other.address, to: shop.address, amount: units })
    const before = await balanceOf(payer.address)
    const txHash = await submit(signed, payer)
    await reader.settle()
    expect(await read(created)).toMatchObject({ status: 'succeeded', tx_hash: txHash })
    expect((await balanceOf(payer.address)) - before).toBe(BigInt(created.amount_units))
    expect(await send(`/v1/refunds/${created.id}/cancel`, {}, 409)).toMatchObject({
      reason: 'illegal_state',
    })
  })

  test('succeeds only if both providers confirm it, at any depth', async () => {
    const created = await refund(await paid())
    const signed = await signedBy(created)
    await authorize(created, signed)
    const txHash = await submit(signed)
    const secondProxy = await startFaultProxy(chain.url)
    onTestFinished(() => secondProxy.shut())
    secondProxy.faults = { unknown: new Set([txHash]) }
    const rpc = createRpc(connect(secondProxy.url, { timeoutMs: patience }), [chain.token])
    const secondProvider = { ...rpc, isReady: () => true }
    await chain.mine(10)
    for (let poll = 0; poll < 3; poll += 1) await reader.readOnce({ secondProvider })
    expect(await read(created)).toMatchObject({
      ...{ status: 'pending', tx_hash: txHash, confirmations: 4, confirmations_required: 5 },
    })
    secondProxy.faults = {}
    for (let poll = 0; poll < 2; poll += 1) await reader.readOnce({ secondProvider })
    expect(await read(created)).toMatchObject({ status: 'succeeded' })
  })

  test.each<[string, (refunded: Json) => Promise<unknown>]>([
    [
      'address_blocked',
      ({ destination }) => refunding.callToken({ functionName: 'blacklist', args: [destination] }),
    ],
    ['token_paused', () => refunding.callToken({ functionName: 'pause' })],
    [
      'insufficient_token',
      async ({ amount_units }) => {
        const { shop, other } = refunding
        const rest = (await balanceOf(shop.address)) - BigInt(amount_units) + 1n
        await chain.pay({ from: shop.address, to: other.address, amount: rest })
      },
    ],
  ])('is refused while the token would refuse it: %s', async (reason, before) => {
    const created = await refund(await paid())
    await before(created)
    const path = `/v1/refunds/${created.id}`
    expect(await authorize(created, await signedBy(created), 409)).toMatchObject({
      ...{ error: 'conflict', reason },
    })
    expect(await send(`${path}/cancel`, {})).toMatchObject({ status: 'canceled' })
  })

  test('is refused if the wallet has promised its balance to another refund', async () => {
    const { shop, other } = refunding
    const intent = await paid({ amount_units: 30_000 })
    const [firstRefund, secondRefund] = [
      await refund(intent, { amount_units: 20_000 }),
      await refund(intent, { amount_units: 10_000 }),
    ]
    const rest = (await balanceOf(shop.address)) - 29_999n
    await chain.pay({ from: shop.address, to: other.address, amount: rest })
    await authorize(firstRefund, await signedBy(firstRefund))
    expect(await authorize(secondRefund, await signedBy(secondRefund), 409)).toMatchObject({
      reason: 'insufficient_token',
    })
  })

  test.each<[Mode, Chain]>([
    ['testnet', 'polygon'],
    ['mainnet', 'base'],
    ['mainnet', 'polygon'],
  ])('is refused if it is for the USDC of %s %s', async (mode, name) => {
    const created = await refund(await paid())
    const { authorization } = await signedBy(created)
    const { chainId, usdc: token, usdcDomainName } = chainFacts(mode, name)
    expect(created.typed_data.domain).not.toMatchObject({ chainId })
    const foreign = { ...created.typed_data.domain, name: usdcDomainName, chainId }
    const signature = await privateKeyToAccount(refunding.shop.privateKey).signTypedData({
      ...created.typed_data,
      domain: { ...foreign, verifyingContract: token },
      message: authorization,
    })
    expect(await authorize(created, { authorization, signature }, 400)).toMatchObject({
      reason: 'signature_invalid',
    })
  })

  test('is refused if it differs from the refund’s terms', async () => {
    const created = await refund(await paid())
    const { message } = created.typed_data
    const cases: [object, string][] = [
      [{ to: refunding.other.address }, 'authorization.to'],
      [{ value: '1' }, 'authorization.value'],
      [{ validAfter: '1' }, 'authorization.validAfter'],
      [{ validBefore: String(Number(message.validBefore) + 60) }, 'authorization.validBefore'],
      [{ validBefore: '1' }, 'authorization.validBefore'],
      [{ nonce: `0x${'11'.repeat(32)}` }, 'authorization.nonce'],
    ]
    for (const [more, path] of cases) {
      const response = await authorize(created, await signedBy(created, refunding.shop, more), 400)
      expect(response).toMatchObject({ error: 'invalid_body', issues: [{ path }] })
    }
    const { signature } = await signedBy(created, refunding.other)
    const { authorization } = await signedBy(created)
    expect(await authorize(created, { authorization, signature }, 400)).toMatchObject({
      reason: 'signature_invalid',
    })
    expect(await eventsOfRefund(created)).toEqual(['created'])
  })

  test('waits while the chain has taken back the refunded payment', async () => {
    const intent = await reader.create({ wallet_address: refunding.shop.address })
    const snapshot = await chain.rpc('evm_snapshot')
    await reader.pay(intent, 'reference', intent.amount_units)
    await reader.settle()
    const created = await refund(intent)
    const signed = await signedBy(created)
    await chain.rpc('evm_revert', [snapshot])
    await chain.mine(8)
    await reader.read()
    expect(await read(created)).toMatchObject({ status: 'requires_signature', typed_data: null })
    expect(await authorize(created, signed, 409)).toMatchObject({
      reason: 'amount_exceeds_refundable',
    })
  })

  test('is paid again by its own signature after a reorg', async () => {
    const created = await refund(await paid())
    const signed = await signedBy(created)
    await authorize(created, signed)
    const snapshot = await chain.rpc('evm_snapshot')
    const txHash = await submit(signed)
    await reader.settle()
    expect(await read(created)).toMatchObject({ status: 'succeeded' })
    await chain.rpc('evm_revert', [snapshot])
    await chain.mine(8)
    await reader.read()
    expect(await read(created)).toMatchObject({ status: 'pending', tx_hash: null })
    expect(await send(`/v1/refunds/${created.id}/cancel`, {}, 409)).toMatchObject({
      reason: 'refund_in_flight',
    })
    expect(await submit(signed)).toBe(txHash)
    await reader.settle()
    expect(await read(created)).toMatchObject({ status: 'succeeded', tx_hash: txHash })
    const events = ['created', 'pending', 'succeeded', 'reversed', 'succeeded']
    expect(await eventsOfRefund(created)).toEqual(events)
  })

  test('is not paid if its nonce is used for another transfer of the wallet', async () => {
    const created = await refund(await paid())
    const signed = await signedBy(created)
    await authorize(created, signed)
    await submit(await signedBy(created, refunding.shop, { to: refunding.other.address }))
    await reader.settle()
    await reader.settle()
    expect(await read(created)).toMatchObject({ status: 'requires_signature', tx_hash: null })
    expect(await authorize(created, await signedBy(await read(created)), 409)).toMatchObject({
      reason: 'authorization_used',
    })
  })
})

describe('references are of one kind', () => {
  const creditedTo = async (amount: number) => {
    const { data } = await refunding.api.read('/v1/transfers', { amount_units: String(amount) })
    return data.map(({ payment_intent }: Json) => payment_intent)
  }

  test('a refund’s transfer does not need the attention of the merchant who receives it', async () => {
    const otherMerchant = await createTestMerchant(reader.db, { wallet: refunding.payer.address })
    const theirs = merchantApi(reader.server, otherMerchant.apiKey)
    await theirs.post('/v1/payment_intents', { amount_units: 5_000_000 })
    const created = await refund(await paid())
    const signed = await signedBy(created)
    await authorize(created, signed)
    const tx_hash = await submit(signed)
    await reader.read()
    expect(await read(created)).toMatchObject({ tx_hash })
    const { data } = await theirs.read('/v1/attention?type=transfer_unmatched')
    expect(data.map((candidate: Json) => candidate.transfer.tx_hash)).not.toContain(tx_hash)
  })

  test('a refund’s reference credits no transfer to a payment intent', async () => {
    const { shop, payer } = refunding
    const created = await refund(await paid())
    const reference = created.refund_reference
    await chain.pay({ from: payer.address, to: shop.address, amount: 123_456n, reference })
    await submit(await signedBy(created, payer, { to: shop.address, value: '123457' }))
    await reader.settle()
    for (const amount of [123_456, 123_457]) expect(await creditedTo(amount)).toEqual([null])
    expect(await read(created)).toMatchObject({ status: 'requires_signature', tx_hash: null })
  })

  test('a payment intent’s reference pays no refund, even of the same amount', async () => {
    // Another merchant waits for payments at that wallet, so its transfers are read.
    const { apiKey } = await createTestMerchant(reader.db, { wallet: refunding.payer.address })
    await createIntent(reader.server, apiKey, { amount_units: 1_000_000 })
    const intent = await paid()
    const created = await refund(intent)
    const nonce = intent.payment_reference
    await authorize(created, await signedBy(created))
    await submit(await signedBy(created, refunding.shop, { nonce }))
    await reader.settle()
    const { rows } = await reader.db.pool.query(
      'select refund_id from transfers where authorization_nonce = $1',
      [nonce],
    )
    expect(rows).toEqual([{ refund_id: null }])
    expect(await read(created)).toMatchObject({ status: 'pending', tx_hash: null })
  })
})

test('a poll needs as many statements for ten refunds as for one', async () => {
  const taken: number[][] = []
  for (const count of [1, 10]) {
    const intent = await paid()
    const waiting = []
    for (let made = 0; made < count; made += 1) {
      const created = await refund(intent, { amount_units: 10_000 })
      const signed = await signedBy(created)
      await authorize(created, signed)
      waiting.push({ created, signed })
    }
    await reader.read()
    await chain.mine(1)
    const countStatements = async () => (await statementsOf(() => reader.readOnce())).length
    const statements = [await countStatements()]
    for (const { signed } of waiting) await submit(signed)
    statements.push(await countStatements())
    await chain.mine(5)
    statements.push(await countStatements())
    statements.push(await countStatements())
    taken.push(statements)
    for (const { created } of waiting) {
      expect(await read(created)).toMatchObject({ status: 'succeeded' })
    }
  }
  // Once a minute of the chain's time, a poll also deletes expired rows.
  const [withSingle = [], withTen = []] = taken
  for (const [index, statements] of withTen.entries()) {
    expect(statements).toBeLessThanOrEqual((withSingle[index] ?? 0) + 2)
  }
})
