import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { readerOfTest } from '../support/chain/readerOfTest.ts'
import { randomWallet } from '../support/server/testServer.ts'

const { reader } = readerOfTest()

describe('the deadline', () => {
  test('does not leave a payment pending that still confirms when the late window ends', async () => {
    const intent = await reader.paid('reference')
    await reader.read()
    await reader.chain.increaseTime(28 * 3_600)
    await reader.chain.mine()
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({ status: 'pending_confirmations' })
    await reader.settle()
    expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
    await reader.readOnce()
    expect(await reader.readOnce()).toEqual({ type: 'idle' })
  })

  test('and the late window end the reservation: then an amount identifies nothing', async () => {
    const intent = await reader.create()
    await reader.read()
    await reader.chain.setNextBlockTime(Date.parse(intent.expires_at) / 1000 + 24 * 3_600 + 1)
    await reader.pay(intent, 'manual')
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({
      status: 'expired',
      amount_received_units: 0,
    })
  })

  test('makes an unpaid intent expire, and a later payment is late and reported', async () => {
    const intent = await reader.create({ expires_in_minutes: 5 })
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({ status: 'requires_payment' })
    await reader.chain.setNextBlockTime(Date.parse(intent.expires_at) / 1000 + 1)
    await reader.chain.mine()
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({ status: 'expired' })
    await reader.pay(intent, 'manual')
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({
      status: 'expired',
      exceptions: ['late'],
      amount_received_units: intent.payable_amount_units,
    })
    expect(await reader.eventsOf(intent)).toEqual(['created', 'expired', 'paid_late'])
  })

  test('leaves the amount reserved and the wallet watched until the late window is over', async () => {
    const wallet_address = randomWallet()
    const intent = await reader.create({ wallet_address, expires_in_minutes: 60 })
    const count = async (table: string, column: string) =>
      (await reader.db.pool.query(`select 1 from ${table} where ${column} = $1`, [wallet_address]))
        .rowCount
    const counts = async () => [
      await count('payable_reservations', 'wallet'),
      await count('watched_topics', 'topic'),
    ]
    await reader.chain.setNextBlockTime(Date.parse(intent.expires_at) / 1000 + 24 * 3_600)
    await reader.chain.mine()
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({ status: 'expired' })
    expect(await counts()).toEqual([1, 1])
    await reader.chain.increaseTime(2 * 3_600)
    await reader.chain.mine()
    await reader.read()
    expect(await counts()).toEqual([0, 0])
    expect(await reader.read()).toEqual({ type: 'idle' })
  })
  test('of many intents is processed in parts, oldest first, even if it is long over', async () => {
    const firstIntent = await reader.create({ expires_in_minutes: 5 })
    await reader.db.pool.query(
      `insert into payment_intents select copy.* from payment_intents p, generate_series(1, 2000) n,
         jsonb_populate_record(p, jsonb_build_object('id', 'pi_' || n, 'payment_reference', n,
           'expires_at', p.expires_at + interval '1 minute')) copy`,
    )
    const last = await reader.create({ expires_in_minutes: 60 })
    await reader.chain.increaseTime(30 * 3_600)
    await reader.chain.mine()
    const query = vi.spyOn(reader.db.pool, 'query')
    onTestFinished(() => query.mockRestore())
    await reader.readOnce()
    const requested = query.mock.calls.map(([statement]) => (statement as { name?: string }).name)
    // The number of calls of a poll does not depend on the number of overdue intents.
    expect(requested).toHaveLength(new Set(requested).size)
    const open = async () =>
      (await reader.db.pool.query(`select from payment_intents where status = 'requires_payment'`))
        .rowCount
    expect(await open()).toBe(2)
    expect(await reader.resolved(firstIntent)).toMatchObject({ status: 'expired' })
    expect(await reader.resolved(last)).toMatchObject({ status: 'requires_payment' })
    await reader.readOnce()
    expect(await open()).toBe(0)
    await reader.readOnce()
    expect(await reader.readOnce()).toEqual({ type: 'idle' })
  })
})
