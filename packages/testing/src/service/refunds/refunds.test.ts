import type { Chain } from '@payment-intents/contract'
import { createClient, type RefundSigner, toUnits } from '@payment-intents/node'
import { setupServer } from 'msw/node'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTestService } from '../createTestService.ts'

const privateKey = `0x${'59'.repeat(32)}` as const
const wallet = privateKeyToAccount(privateKey)
const buyer = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const price = toUnits('25.00')
const service = createTestService({ gasless: true, refundWallets: [wallet.address] })
const server = setupServer(...service.handlers)
const { refunds, paymentIntents } = createClient({
  ...{ apiKey: service.apiKey, baseUrl: service.baseUrl },
})

let signatures: number
const signer: RefundSigner = {
  address: wallet.address,
  signTypedData(typedData) {
    signatures += 1
    return wallet.signTypedData(typedData)
  },
}

beforeAll(() => server.listen())
afterAll(() => server.close())
beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0) // No wait between attempts.
  service.reset()
  signatures = 0
})

async function paid(chain: Chain = 'base'): Promise<string> {
  const { id } = await paymentIntents.create({ amount_units: price, chain })
  service.pay(id)
  return id
}

describe('a refund with a signer', () => {
  test('is created, signed and submitted by one call, and paid by the next block', async () => {
    const payment_intent = await paid()
    const refund = await refunds.create(
      { payment_intent, amount_units: toUnits('10.00'), destination: buyer, reason: 'duplicate' },
      // A wallet client of viem.
      { signer: wallet },
    )
    expect(refund).toMatchObject({ status: 'pending', from: wallet.address, from_verified: true })
    expect(service.confirmRefund(refund.id)).toMatchObject({
      ...{ status: 'succeeded', amount_units: 10_000_000, destination: buyer },
    })
    expect(await paymentIntents.retrieve(payment_intent)).toMatchObject({
      ...{ amount_refunded_units: 10_000_000, amount_refunding_units: 0 },
    })
    const types = service.events.map(({ type }) => type)
    expect(types.slice(-3)).toEqual(['refund.created', 'refund.pending', 'refund.succeeded'])
  })

  test.each(['createRefund', 'authorizeRefund'] as const)(
    'is one refund, signed once at most for each try, when the response to %s is lost',
    async (on) => {
      const payment_intent = await paid('polygon')
      service.fail({ with: 'response_lost', on })
      const refund = await refunds.create(
        { payment_intent, amount_units: price, destination: buyer },
        { signer },
      )
      expect(refund.status).toBe('pending')
      expect(signatures).toBe(1)
      expect((await refunds.list()).data).toHaveLength(1)
      expect(service.confirmRefund(refund.id).status).toBe('succeeded')
    },
  )

  test('is signed once by calls with one idempotency key, and then returns the refund as it is', async () => {
    const payment_intent = await paid()
    const params = { payment_intent, amount_units: price, destination: buyer } as const
    const options = { signer, idempotencyKey: 'refund of return 1042' }
    const first = await refunds.create(params, options)
    expect(await refunds.create(params, options)).toMatchObject({ id: first.id, status: 'pending' })
    service.confirmRefund(first.id)
    expect(await refunds.create(params, options)).toMatchObject({ status: 'succeeded' })
    expect(signatures).toBe(1)
  })

  test('continues an earlier call', async () => {
    const payment_intent = await paid()
    const params = { payment_intent, amount_units: price, destination: buyer } as const
    const idempotencyKey = 'refund of return 1043'
    const unsigned = await refunds.create(params, { idempotencyKey })
    expect(unsigned.status).toBe('requires_signature')
    const signed = await refunds.create(params, { idempotencyKey, signer })
    expect(signed).toMatchObject({ id: unsigned.id, status: 'pending' })
  })

  test('is not signed without a destination', async () => {
    const refund = await refunds.create(
      { payment_intent: await paid(), amount_units: price },
      { signer },
    )
    expect(refund).toMatchObject({ status: 'requires_destination', typed_data: null })
    // Somebody else has set the destination.
    const named = await refunds.update(refund.id, { destination: buyer })
    expect(named.typed_data?.message.to).toBe(buyer)
    expect(signatures).toBe(0)
  })

  test('is not canceled while its signature may pay it', async () => {
    const refund = await refunds.create(
      { payment_intent: await paid(), amount_units: price, destination: buyer },
      { signer },
    )
    await expect(refunds.cancel(refund.id)).rejects.toMatchObject({ reason: 'refund_in_flight' })
  })
})

describe('a refund whose destination is set after its creation', () => {
  async function named() {
    const { id } = await refunds.create({ payment_intent: await paid() })
    return refunds.update(id, { destination: buyer })
  }

  test('is signed by one call, which can be repeated', async () => {
    const refund = await named()
    for (const failure of ['unreachable', 'response_lost'] as const) {
      service.fail({ with: failure, on: 'authorizeRefund' })
    }
    expect(await refunds.sign(refund, { signer })).toMatchObject({ status: 'pending' })
    expect(await refunds.sign(refund, { signer })).toMatchObject({ status: 'pending' })
    service.confirmRefund(refund.id)
    expect(await refunds.sign(refund, { signer })).toMatchObject({ status: 'succeeded' })
    expect(signatures).toBe(1)
    const types = service.events.map(({ type }) => type)
    expect(types.filter((type) => type === 'refund.pending')).toHaveLength(1)
  })

  test('is signed from its event', async () => {
    const { id } = await named()
    const event = service.events.find(({ type }) => type === 'refund.updated')
    if (event?.type !== 'refund.updated') return expect.fail('no event')
    expect(event.data.object).toMatchObject({ id, status: 'requires_signature' })
    expect(await refunds.sign(event.data.object, { signer })).toMatchObject({ status: 'pending' })
  })

  test('is not signed to a destination that was replaced', async () => {
    const refund = await named()
    const destination = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
    const replaced = await refunds.update(refund.id, { destination })
    await expect(refunds.sign(refund, { signer })).rejects.toMatchObject({
      ...{ code: 'conflict', reason: 'illegal_state' },
    })
    expect(signatures).toBe(0)
    const { status } = await refunds.sign(replaced, { signer })
    expect(status).toBe('pending')
  })

  test('is returned unchanged once it is canceled', async () => {
    const refund = await named()
    await refunds.cancel(refund.id)
    expect(await refunds.sign(refund, { signer })).toMatchObject({ status: 'canceled' })
    expect(signatures).toBe(0)
  })
})

test('a refund by a transfer made elsewhere', async () => {
  const payment_intent = await paid()
  const refund = await refunds.create({ payment_intent, destination: buyer })
  const payout = { amount_units: refund.amount_units, to: buyer } as const
  const attached = await refunds.attach(refund.id, { tx_hash: service.payOut(payout) })
  expect(attached).toMatchObject({ status: 'pending', from_verified: true })
  await expect(
    refunds.attach(refund.id, { tx_hash: `0x${'ab'.repeat(32)}` }),
  ).rejects.toMatchObject({ reason: 'transaction_not_found' })
  expect(service.confirmRefund(refund.id).status).toBe('succeeded')
})

test('a receipt lists the refunds that are paid or signed', async () => {
  const payment_intent = await paid()
  const before = await paymentIntents.retrieveReceipt(payment_intent)
  expect(before).not.toHaveProperty('refunds')
  const params = { payment_intent, destination: buyer } as const
  const refund = await refunds.create(
    { ...params, amount_units: toUnits('10.00'), reason: 'other', metadata: { note: 'ours' } },
    { signer },
  )
  await refunds.create({ ...params, amount_units: toUnits('5.00') })
  const canceled = await refunds.create({ ...params, amount_units: toUnits('1.00') })
  await refunds.cancel(canceled.id)
  const listed = {
    ...{ id: refund.id, amount_units: 10_000_000, destination: buyer, from: wallet.address },
    refund_reference: refund.refund_reference,
  }
  const pending = await paymentIntents.retrieveReceipt(payment_intent)
  expect(pending).toMatchObject({ refunds: [{ ...listed, status: 'pending', tx_hash: null }] })
  const { tx_hash } = service.confirmRefund(refund.id)
  const { refunds: ofReceipt, ...terms } = await paymentIntents.retrieveReceipt(payment_intent)
  expect(ofReceipt).toEqual([
    { ...listed, status: 'succeeded', tx_hash, salt: expect.stringMatching(/^0x[\da-f]{64}$/) },
  ])
  expect(terms).toEqual(before)
})

test('an unmatched transfer is refunded, and can no longer be assigned', async () => {
  const { id } = await paymentIntents.create({ amount_units: toUnits('25.00') })
  const amount_units = toUnits('7.77')
  const { id: transfer } = service.transfer({ amount_units })
  await expect(refunds.create({ transfer, destination: buyer })).rejects.toMatchObject({
    reason: 'amount_exceeds_refundable',
  })
  service.clock.advance(1)
  for (let block = 0; block < 5; block += 1) service.clock.advance(0)
  const refund = await refunds.create({ transfer, amount_units, destination: buyer }, { signer })
  expect(refund).toMatchObject({ transfer, payment_intent: null, amount_units: 7_770_000 })
  const { transfers } = createClient({ apiKey: service.apiKey, baseUrl: service.baseUrl })
  await expect(transfers.assign(transfer, { payment_intent: id })).rejects.toMatchObject({
    reason: 'illegal_state',
  })
})
