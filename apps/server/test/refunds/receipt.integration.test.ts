import { type Receipt, verifyReceipt } from '@payment-intents/browser/receipt'
import { receiptSchema } from '@payment-intents/contract'
import type { DevAccount } from '@payment-intents/testing'
import { describe, expect, test } from 'vitest'
import { refundingOfTest } from '../support/server/refunding.ts'
import type { Json } from '../support/server/testServer.ts'

const refunding = refundingOfTest()
const { reader, chain, paid, refund, signedBy, authorize, submit, send } = refunding

const retrieve = ({ id }: Json): Promise<Json> =>
  refunding.api.read(`/v1/payment_intents/${id}/receipt`)
const verify = (receipt: unknown, options = {}) =>
  verifyReceipt(receipt, { rpcUrl: chain.url, ...options })
const ofService = () => ({ serviceUrl: reader.server.url })

/** Creates an intent with a refund of 10,000 units that a signature has paid. */
async function refunded() {
  const intent = await paid({ amount_units: 30_000 })
  const body = { amount_units: 10_000, reason: 'duplicate', metadata: { note: 'our fault' } }
  const created = await refund(intent, body)
  const signed = await signedBy(created)
  await authorize(created, signed)
  const txHash = await submit(signed)
  await reader.settle()
  return { intent, created, txHash }
}

/** A receipt with a change to its first refund. */
function changed(receipt: Receipt, change: object): object {
  const [firstRefund, ...rest] = receipt.refunds ?? []
  return { ...receipt, refunds: [{ ...firstRefund, ...change }, ...rest] }
}

async function payOut(amount: number, from: DevAccount): Promise<string> {
  const { hash } = await chain.pay({
    ...{ from: from.address, to: refunding.payer.address, amount: BigInt(amount) },
  })
  return hash
}

describe('a refund that a signature has paid', () => {
  test('is in the receipt of merchant, checkout and bearer, and is proven', async () => {
    const { intent, created, txHash } = await refunded()
    const receipt = await retrieve(intent)
    expect(receipt.refunds).toEqual([
      {
        ...{ id: created.id, status: 'succeeded', amount_units: 10_000, tx_hash: txHash },
        ...{ destination: refunding.payer.address, from: refunding.shop.address },
        ...{ salt: expect.any(String), refund_reference: created.refund_reference },
      },
    ])
    expect(receiptSchema.safeParse(receipt).success).toBe(true)
    const { metadata: _, ...shown } = receipt
    expect((await reader.resolved(intent)).receipt).toEqual(shown)
    const body = JSON.stringify({ payment_intent: intent.id, salt: receipt.salt })
    const response = await reader.server.request('/receipt', { method: 'POST', body })
    expect(await response.json()).toEqual({ ...shown, support: null })
    expect(await verify(receipt)).toMatchObject({
      type: 'proven',
      refunds: [
        {
          ...{ type: 'proven', id: created.id, amountUnits: 10_000n, txHash, confirmations: 6 },
          from: refunding.shop.address.toLowerCase(),
          destination: refunding.payer.address.toLowerCase(),
          isConfirmed: false,
        },
      ],
    })
    expect(await verify(receipt, ofService())).toMatchObject({
      ...{ type: 'proven', confirmation: { type: 'confirmed' } },
      refunds: [{ type: 'proven', isConfirmed: true }],
    })
  })

  test('is added by the service to the older receipt of a bearer', async () => {
    const { intent, created } = await refunded()
    const { refunds: _, ...before } = await retrieve(intent)
    expect(await verify(before)).toMatchObject({ type: 'proven', refunds: [] })
    expect(await verify(before, ofService())).toMatchObject({
      ...{ type: 'proven', refunds: [{ type: 'proven', id: created.id, isConfirmed: true }] },
    })
  })

  test('refutes a receipt with any other statement about it', async () => {
    const { intent } = await refunded()
    const [receipt, otherReceipt] = [
      await retrieve(intent),
      await retrieve((await refunded()).intent),
    ]
    const [refund, otherRefund] = [receipt.refunds[0], otherReceipt.refunds[0]]
    const payment = receipt.transfers[0].tx_hash
    for (const change of [
      { id: otherRefund.id },
      { amount_units: refund.amount_units + 1 },
      { destination: refunding.other.address },
      { from: refunding.other.address },
      { tx_hash: otherRefund.tx_hash },
      { tx_hash: payment },
      { tx_hash: `0x${'ab'.repeat(32)}` },
      { salt: otherRefund.salt },
      { refund_reference: otherRefund.refund_reference },
      // A refund of another order.
      otherRefund,
    ]) {
      for (const options of [{}, ofService()]) {
        const verdict = await verify(changed(receipt, change), options)
        expect({ change, verdict }).toMatchObject({
          verdict: { type: 'refuted', reason: 'refund' },
        })
      }
    }
  })

  test('is proven by the chain, although the receipt states another depth', async () => {
    const { intent } = await refunded()
    const receipt = await retrieve(intent)
    const verdict = await verify(changed(receipt, { status: 'pending' }))
    expect(verdict).toMatchObject({ refunds: [{ type: 'proven', confirmations: 6 }] })
    const unpaid = await verify(changed(receipt, { tx_hash: null }))
    expect(unpaid).toMatchObject({ type: 'refuted', reason: 'malformed' })
  })

  test('is gone from the receipt once the chain has taken it back', async () => {
    const intent = await paid({ amount_units: 30_000 })
    const created = await refund(intent)
    const signed = await signedBy(created)
    await authorize(created, signed)
    const snapshot = await chain.rpc('evm_snapshot')
    await submit(signed)
    await reader.settle()
    const receipt = await retrieve(intent)
    await chain.rpc('evm_revert', [snapshot])
    await chain.mine(8)
    await reader.read()
    expect(await verify(receipt)).toMatchObject({ type: 'refuted', reason: 'refund' })
    // The signature is still valid, so the refund is pending again.
    const now = await retrieve(intent)
    expect(now.refunds).toMatchObject([{ status: 'pending', tx_hash: null }])
    expect(await verify(now)).toMatchObject({ type: 'proven', refunds: [{ type: 'pending' }] })
  })
})

test('a receipt without a paid or signed refund has none', async () => {
  const intent = await paid({ amount_units: 30_000 })
  const before = JSON.stringify(await retrieve(intent))
  const named = await refund(intent, { amount_units: 10_000 })
  await refund(intent, { amount_units: 10_000, destination: undefined })
  await send(`/v1/refunds/${named.id}/cancel`, {})
  expect(JSON.stringify(await retrieve(intent))).toBe(before)
})

test('a pending refund is proven as soon as a block has it', async () => {
  const intent = await paid({ amount_units: 30_000 })
  const created = await refund(intent)
  const signed = await signedBy(created)
  await authorize(created, signed)
  const early = await retrieve(intent)
  expect(early.refunds).toMatchObject([{ status: 'pending', tx_hash: null }])
  expect(await verify(early)).toMatchObject({
    refunds: [{ type: 'pending', txHash: null, timestamp: null, confirmations: 0 }],
  })
  const txHash = await submit(signed)
  await reader.read()
  const retrieved = await retrieve(intent)
  expect(retrieved.refunds).toMatchObject([{ status: 'pending', tx_hash: txHash }])
  expect(await verify(retrieved)).toMatchObject({ refunds: [{ type: 'proven', txHash }] })
  expect(await verify(early, ofService())).toMatchObject({ refunds: [{ type: 'proven', txHash }] })
})

describe('a refund by an attached transfer', () => {
  test('is stated by the shop', async () => {
    const intent = await paid({ amount_units: 30_000 })
    const created = await refund(intent)
    const tx_hash = await payOut(30_000, refunding.other)
    await send(`/v1/refunds/${created.id}/attach`, { tx_hash })
    await reader.settle()
    const receipt = await retrieve(intent)
    const stated = { type: 'stated', txHash: tx_hash, amountUnits: 30_000n }
    expect(await verify(receipt)).toMatchObject({ refunds: [{ ...stated, isConfirmed: false }] })
    expect(await verify(receipt, ofService())).toMatchObject({
      ...{ type: 'proven', refunds: [{ ...stated, isConfirmed: true }] },
    })
    for (const change of [
      { amount_units: 29_999 },
      { destination: refunding.shop.address },
      { from: refunding.shop.address },
      { tx_hash: receipt.transfers[0].tx_hash },
    ]) {
      const verdict = await verify(changed(receipt, change))
      expect(verdict).toMatchObject({ type: 'refuted', reason: 'refund' })
    }
  })

  test('counts for a single refund, and not if its signature is of another message', async () => {
    const intent = await paid({ amount_units: 30_000 })
    const [first, second] = [
      await refund(intent, { amount_units: 10_000 }),
      await refund(intent, { amount_units: 10_000 }),
    ]
    for (const { id } of [first, second]) {
      const tx_hash = await payOut(10_000, refunding.other)
      await send(`/v1/refunds/${id}/attach`, { tx_hash })
    }
    await reader.settle()
    const receipt = await retrieve(intent)
    expect(await verify(receipt)).toMatchObject({
      refunds: [{ type: 'stated' }, { type: 'stated' }],
    })
    const { tx_hash } = receipt.refunds[1]
    const twice = await verify(changed(receipt, { tx_hash }))
    expect(twice).toMatchObject({ type: 'refuted', reason: 'refund' })
    // This transfer is between the same accounts, but was signed for another refund.
    const { txHash, created } = await refunded()
    const borrowed = { from: refunding.shop.address, tx_hash: txHash }
    expect(created.amount_units).toBe(10_000)
    const verdict = await verify(changed(receipt, borrowed))
    expect(verdict).toMatchObject({ type: 'refuted', reason: 'refund' })
  })
})
