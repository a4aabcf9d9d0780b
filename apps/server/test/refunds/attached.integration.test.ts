import type { DevAccount } from '@payment-intents/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../../../../tests/support/until.ts'
import { payBatch } from '../support/chain/payBatch.ts'
import { merchantApi } from '../support/server/merchantApi.ts'
import { refundingOfTest } from '../support/server/refunding.ts'
import { createTestMerchant, type Json } from '../support/server/testServer.ts'

const refunding = refundingOfTest()
const { reader, chain, paid, refund, read, signedBy, authorize, submit, eventsOfRefund, send } =
  refunding

/** An account that no merchant has registered, such as a treasury's. */
const treasury = () => chain.accounts[7] as DevAccount

async function sendUnits(amount: number, from = treasury(), to = refunding.payer): Promise<string> {
  const { hash } = await chain.pay({ from: from.address, to: to.address, amount: BigInt(amount) })
  return hash
}

const attach = ({ id }: { id: string }, tx_hash: string, status = 200) =>
  send(`/v1/refunds/${id}/attach`, { tx_hash }, status)

describe('a transfer that was made elsewhere', () => {
  test('pays a refund once it is attached and deep', async () => {
    const created = await refund(await paid())
    const signed = await signedBy(created)
    const txHash = await sendUnits(created.amount_units)
    expect(await attach(created, txHash)).toMatchObject({
      ...{ status: 'pending', tx_hash: txHash, from: treasury().address, from_verified: false },
      typed_data: null,
    })
    expect(await attach(created, txHash)).toMatchObject({ status: 'pending' })
    expect(await authorize(created, signed, 409)).toMatchObject({ reason: 'illegal_state' })
    await reader.settle()
    expect(await read(created)).toMatchObject({ status: 'succeeded', tx_hash: txHash })
    expect(await eventsOfRefund(created)).toEqual(['created', 'pending', 'succeeded'])
  })

  test('wakes the held checkouts of its intent at each change of the refund', async () => {
    const intent = await paid()
    const listener = await reader.db.pool.connect()
    onTestFinished(() => listener.release(true))
    const woken: unknown[] = []
    listener.on('notification', ({ payload }) => woken.push(payload))
    await listener.query('listen payment_intent_changed')
    const untilWoken = (times: number) =>
      until(() => expect(woken).toEqual(Array(times).fill(intent.id)))

    const created = await refund(intent)
    await untilWoken(1)
    await attach(created, await sendUnits(created.amount_units))
    await untilWoken(2)
    await reader.settle()
    await until(async () => expect(await read(created)).toMatchObject({ status: 'succeeded' }))
    expect(woken.length).toBeGreaterThan(2)
  })

  test('of a registered wallet is verified', async () => {
    const created = await refund(await paid())
    const txHash = await sendUnits(created.amount_units, refunding.shop)
    expect(await attach(created, txHash)).toMatchObject({ from_verified: true })
  })

  test('pays a single refund, of whichever merchant', async () => {
    const intent = await paid()
    const [firstRefund, secondRefund] = [
      await refund(intent, { amount_units: 20_000 }),
      await refund(intent, { amount_units: 20_000 }),
    ]
    const txHash = await sendUnits(20_000)
    await attach(firstRefund, txHash)
    expect(await attach(secondRefund, txHash, 409)).toMatchObject({ reason: 'transfer_used' })
    await attach(secondRefund, await sendUnits(20_000))
    await reader.settle()
    expect(await read(firstRefund)).toMatchObject({ status: 'succeeded' })
    expect(await read(secondRefund)).toMatchObject({ status: 'succeeded' })
  })

  test('does not also pay another merchant’s refund of the same amount to the same account', async () => {
    const { payer } = refunding
    const wallet = (chain.accounts[6] as DevAccount).address
    const otherMerchant = await createTestMerchant(reader.db, { wallet })
    const theirs = merchantApi(reader.server, otherMerchant.apiKey)
    const order = await (await theirs.post('/v1/payment_intents', { amount_units: 80_000 })).json()
    await reader.pay(order, 'reference')
    const intent = await paid()
    const body = { amount_units: 20_000, destination: payer.address }
    for (let transfers = 0; transfers < 4; transfers += 1) {
      const ours = await refund(intent, body)
      const created = await theirs.post('/v1/refunds', { payment_intent: order.id, ...body })
      const { id } = await created.json()
      // The requests arrive at the same time, before the transfer is stored.
      const tx_hash = await sendUnits(20_000)
      const responses = await Promise.all([
        refunding.api.post(`/v1/refunds/${ours.id}/attach`, { tx_hash }),
        theirs.post(`/v1/refunds/${id}/attach`, { tx_hash }),
      ])
      expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409])
      const refused = responses.find(({ status }) => status === 409)
      expect(await refused?.json()).toMatchObject({ reason: 'transfer_used' })
    }
  })

  test('may be one of fifty transfers in a contract’s transaction, each of which pays a refund', async () => {
    const intent = await paid()
    const refunds = [
      await refund(intent, { amount_units: 30_000 }),
      await refund(intent, { amount_units: 20_000 }),
      await refund(intent, { amount_units: 20_000 }),
      await refund(intent, { amount_units: 20_000 }),
    ]
    const { payer, other } = refunding
    const payouts = Array.from({ length: 47 }, (_, index) => ({
      ...{ to: other.address, amount: 20_000n + BigInt(index) },
    }))
    const ours = [20_000n, 30_000n, 20_000n].map((amount) => ({ to: payer.address, amount }))
    const txHash = await payBatch(chain, treasury().address, [...payouts, ...ours])
    const [first, second, third, fourth] = refunds
    for (const attachable of [first, second, third]) {
      expect(await attach(attachable, txHash)).toMatchObject({
        status: 'pending',
        from_verified: false,
      })
    }
    expect(await attach(fourth, txHash, 409)).toMatchObject({ reason: 'transfer_used' })
    await reader.settle()
    const statuses = await Promise.all(refunds.map(async (refund) => (await read(refund)).status))
    expect(statuses).toEqual(['succeeded', 'succeeded', 'succeeded', 'requires_signature'])
  })

  test('pays one of two refunds that request it at the same time', async () => {
    const intent = await paid()
    const refunds = await Promise.all(
      Array.from({ length: 10 }, () => refund(intent, { amount_units: 20_000 })),
    )
    const tx_hash = await sendUnits(20_000)
    const responses = await Promise.all(
      refunds.map(({ id }) => refunding.api.post(`/v1/refunds/${id}/attach`, { tx_hash })),
    )
    const statuses = responses.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 409)])
  })

  test.each([
    ['another amount', (units: number) => sendUnits(units - 1)],
    ['another account', (units: number) => sendUnits(units, treasury(), refunding.other)],
  ])('is refused to %s', async (_what, sendOther) => {
    const created = await refund(await paid())
    const txHash = await sendOther(created.amount_units)
    expect(await attach(created, txHash, 409)).toMatchObject({ reason: 'transfer_mismatch' })
    expect(await read(created)).toMatchObject({ status: 'requires_signature' })
  })

  test('counts right after the creation, which the service may date seconds ahead of the chain', async () => {
    const created = await refund(await paid())
    await reader.db.pool.query(
      `update refunds set created_at = created_at + interval '9 seconds' where id = $1`,
      [created.id],
    )
    const txHash = await sendUnits(created.amount_units)
    expect(await attach(created, txHash)).toMatchObject({ status: 'pending' })
  })

  test('is refused if it is older than the refund, or in no block', async () => {
    const created = await refund(await paid())
    const before = await sendUnits(created.amount_units)
    await reader.db.pool.query(`update refunds set created_at = created_at + interval '30 seconds'`)
    expect(await attach(created, before, 409)).toMatchObject({ reason: 'transfer_mismatch' })
    expect(await attach(created, `0x${'ab'.repeat(32)}`, 409)).toMatchObject({
      reason: 'transaction_not_found',
    })
  })

  test('is refused while a signature may still pay the refund, unless it used that signature', async () => {
    const created = await refund(await paid())
    const signed = await signedBy(created)
    await authorize(created, signed)
    const txHash = await sendUnits(created.amount_units)
    expect(await attach(created, txHash, 409)).toMatchObject({ reason: 'refund_in_flight' })
    const used = await submit(signed)
    expect(await attach(created, used)).toMatchObject({ status: 'pending', tx_hash: used })
    await reader.settle()
    expect(await read(created)).toMatchObject({ status: 'succeeded', tx_hash: used })
    expect(await eventsOfRefund(created)).toEqual(['created', 'pending', 'succeeded'])
  })

  test('that the chain takes back waits to be attached again, and nothing is signed meanwhile', async () => {
    const created = await refund(await paid())
    const signed = await signedBy(created)
    const snapshot = await chain.rpc('evm_snapshot')
    const txHash = await sendUnits(created.amount_units)
    await attach(created, txHash)
    await reader.settle()
    expect(await read(created)).toMatchObject({ status: 'succeeded' })
    await chain.rpc('evm_revert', [snapshot])
    await chain.mine(8)
    await reader.read()
    expect(await read(created)).toMatchObject({ status: 'requires_signature', tx_hash: null })
    expect(await authorize(created, signed, 409)).toMatchObject({ reason: 'refund_in_flight' })
    const secondHash = await sendUnits(created.amount_units)
    await attach(created, secondHash)
    await reader.settle()
    expect(await read(created)).toMatchObject({ status: 'succeeded', tx_hash: secondHash })
    const events = [
      'created',
      'pending',
      'succeeded',
      'reversed',
      'updated',
      'pending',
      'succeeded',
    ]
    expect(await eventsOfRefund(created)).toEqual(events)
  })

  test('does not need the attention of the merchant who receives it while it is attached', async () => {
    const otherMerchant = await createTestMerchant(reader.db, { wallet: refunding.payer.address })
    const theirs = merchantApi(reader.server, otherMerchant.apiKey)
    await theirs.post('/v1/payment_intents', { amount_units: 5_000_000 })
    const created = await refund(await paid())
    const [first, second] = [
      await sendUnits(created.amount_units),
      await sendUnits(created.amount_units),
    ]
    await reader.read()
    const needed = async () => {
      const { data } = await theirs.read('/v1/attention?type=transfer_unmatched')
      const hashes = data.map((candidate: Json) => candidate.transfer.tx_hash)
      return [first, second].filter((hash) => hashes.includes(hash))
    }
    expect(await needed()).toEqual([first, second])
    await attach(created, first)
    expect(await needed()).toEqual([second])
    await attach(created, second)
    expect(await needed()).toEqual([first])
  })

  test('can be a refund of one merchant and a payment to another', async () => {
    const otherMerchant = await createTestMerchant(reader.db, { wallet: refunding.payer.address })
    const theirs = merchantApi(reader.server, otherMerchant.apiKey)
    const created = await refund(await paid())
    const order = await (
      await theirs.post('/v1/payment_intents', { amount_units: created.amount_units })
    ).json()
    const { hash } = await chain.pay({
      ...{ from: treasury().address, to: refunding.payer.address },
      ...{ amount: BigInt(created.amount_units), reference: order.payment_reference },
    })
    expect(await attach(created, hash, 409)).toMatchObject({ reason: 'transaction_not_found' })
    await reader.read()
    await attach(created, hash)
    await reader.settle()
    expect(await read(created)).toMatchObject({ status: 'succeeded' })
    expect(await theirs.read(`/v1/payment_intents/${order.id}`)).toMatchObject({
      status: 'succeeded',
    })
  })
})
