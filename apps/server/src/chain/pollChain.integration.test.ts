import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { type MatchMethod, readerOfTest, wallClock } from '../../test/support/chain/readerOfTest.ts'
import { flushCounters } from '../../test/support/database/flushCounters.ts'
import { acceptIntent, cancelIntent } from '../../test/support/server/directActions.ts'
import { acquireLease, keepLease, LeaseLost } from '../store/chains/cursors.ts'
import { type Db, transaction } from '../store/connection/connect.ts'
import { pollChain } from './pollChain.ts'
import { initialState } from './polling/followerState.ts'
import type { Rpc } from './rpc/rpc.ts'

type Receipt = NonNullable<Awaited<ReturnType<Rpc['receipt']>>>

const { reader, chain } = readerOfTest()

describe.each(['reference', 'manual'] as const)('a payment by %s', (rail) => {
  test('goes through its states, one confirmation a block', async () => {
    const intent = await reader.create()
    const tx_hash = await reader.pay(intent, rail)
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({
      status: 'pending_confirmations',
      confirmations: 1,
      tx_hash,
      amount_received_units: intent.payable_amount_units,
    })
    await chain.mine(3)
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({
      status: 'pending_confirmations',
      confirmations: 4,
    })
    await chain.mine()
    await reader.read()
    const done = await reader.resolved(intent)
    expect(done).toMatchObject({ status: 'succeeded', confirmations: 5, exceptions: [], tx_hash })
    expect(await reader.eventsOf(intent)).toEqual(['created', 'pending_confirmations', 'succeeded'])
    const { rows } = await reader.db.pool.query(
      `select object from events where intent_id = $1 and type = 'payment_intent.succeeded'`,
      [intent.id],
    )
    expect(JSON.parse(rows[0].object)).toMatchObject({ status: 'succeeded', tx_hash })
  })

  test('is read again without a change', async () => {
    const intent = await reader.paid(rail)
    await reader.read()
    const { server_time: _, ...before } = await reader.resolved(intent)
    await reader.read()
    await reader.takeLease()
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject(before)
  })
})

test('an accepted payment is settled unchanged', async () => {
  const intent = await reader.paid('reference', 10_000_000)
  await reader.read()
  const actor = { merchantId: reader.merchant.id, mode: 'testnet' } as const
  expect(await cancelIntent(reader.db, actor, intent.id, wallClock)).toMatchObject({
    type: 'refused',
  })
  expect(await acceptIntent(reader.db, actor, intent.id, wallClock)).toMatchObject({ type: 'done' })
  await reader.settle()
  expect(await reader.resolved(intent)).toMatchObject({
    status: 'succeeded',
    exceptions: ['underpaid'],
    amount_received_units: 10_000_000,
  })
  expect(await reader.eventsOf(intent)).toEqual([
    'created',
    'underpaid',
    'pending_confirmations',
    'succeeded',
  ])
})

test('an intent canceled before payment stays canceled, and late money is reported', async () => {
  const intent = await reader.create()
  const actor = { merchantId: reader.merchant.id, mode: 'testnet' } as const
  expect(await cancelIntent(reader.db, actor, intent.id, wallClock)).toMatchObject({ type: 'done' })
  await reader.pay(intent, 'reference')
  await reader.read()
  expect(await reader.resolved(intent)).toMatchObject({ status: 'canceled', exceptions: ['late'] })
  expect(await reader.eventsOf(intent)).toEqual(['created', 'canceled', 'paid_late'])
})

test('a part by reference is underpaid, another part completes it', async () => {
  const intent = await reader.paid('reference', 10_000_000)
  await reader.read()
  expect(await reader.resolved(intent)).toMatchObject({
    status: 'requires_payment',
    exceptions: ['underpaid'],
    amount_received_units: 10_000_000,
  })
  await reader.pay(intent, 'reference', 15_000_000)
  await reader.settle()
  expect(await reader.resolved(intent)).toMatchObject({
    status: 'succeeded',
    exceptions: [],
    amount_received_units: 25_000_000,
  })
})

test('a transfer of nothing is ignored', async () => {
  await reader.paid('reference', 0)
  await reader.read()
  const { rows } = await reader.db.pool.query('select 1 from transfers')
  expect(rows).toEqual([])
})

test('a payment from before the chain was followed is found', async () => {
  const intent = await reader.paid('manual')
  await chain.mine(700)
  await reader.read()
  expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
})

describe('success', () => {
  test.each([
    ['without a receipt', () => null],
    [
      'by the receipt of a transaction that failed',
      (good: Receipt) => ({ ...good, succeeded: false }),
    ],
  ] as const)('is not reported %s', async (_, shown) => {
    const intent = await reader.paid('reference')
    await reader.read()
    const honest = reader.rpc
    const receipt = async (hash: Hex) => {
      const good = await honest.receipt(hash)
      return good && shown(good)
    }
    reader.rpc = { ...honest, receipt }
    await chain.mine(10)
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({
      status: 'pending_confirmations',
      confirmations: 4,
    })
    reader.rpc = honest
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
  })
})

describe('the lease', () => {
  test('lets one process write; a process that lost it writes nothing', async () => {
    const intent = await reader.create()
    const paused = reader.lease
    await reader.db.pool.query('update chain_cursors set lease_until = now()')
    await reader.takeLease()
    await reader.pay(intent, 'reference')
    const { db, rpc } = reader
    const late = pollChain({ db, rpc, lease: paused, now: () => Date.now() }, initialState([]))
    await expect(late).rejects.toThrow(LeaseLost)
    expect(await reader.resolved(intent)).toMatchObject({ status: 'requires_payment', version: 1 })
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({ status: 'pending_confirmations' })
  })

  test('lost in the middle of a poll undoes that poll', async () => {
    const intent = await reader.paid('reference')
    const honest = reader.rpc
    reader.rpc = {
      ...honest,
      async receipt(txHash) {
        await reader.db.pool.query('update chain_cursors set epoch = epoch + 1')
        return honest.receipt(txHash)
      },
    }
    await expect(reader.read()).rejects.toThrow(LeaseLost)
    expect(await reader.resolved(intent)).toMatchObject({ status: 'requires_payment', version: 1 })
    const { rows } = await reader.db.pool.query('select 1 from transfers')
    expect(rows).toEqual([])
  })

  test('is kept while a poll is recorded, without waiting for it', async () => {
    const { db, lease } = reader
    const until = () => db.pool.query('select lease_until from chain_cursors')
    const before = await until()
    await transaction(db, async (client) => {
      await client.query('select from chain_cursors for update')
      await keepLease(db.pool, lease)
      expect((await until()).rows).toEqual(before.rows)
    })
    await keepLease(db.pool, lease)
    expect((await until()).rows).not.toEqual(before.rows)
  })

  test('is held by one process at a time', async () => {
    expect(await acquireLease(reader.db, chain.chainId)).toBeNull()
  })
})

test('while nobody waits, the provider gets no request', async () => {
  reader.rpc = new Proxy(reader.rpc, {
    get: (_, question) => expect.fail(`it was asked for ${String(question)}`),
  })
  expect(await reader.read()).toEqual({ type: 'idle' })
})

test('a poll reads few of many open intents of one price', async () => {
  const intent = await reader.create()
  // PostgreSQL chooses to read all of a smaller table.
  const count = 20_000
  await reader.db.pool.query(
    `insert into payment_intents
     select (jsonb_populate_record(p, jsonb_build_object(
       'id', 'pi_' || n, 'payment_reference', n, 'payable_amount_units', 2000000000 + n))).*
     from payment_intents p, generate_series(1, $2::integer) n where p.id = $1`,
    [intent.id, count],
  )
  async function expectFewRowsRead(methods: readonly MatchMethod[]) {
    const before = await countRowsRead(reader.db)
    for (let poll = 0; poll < 3; poll += 1) {
      for (const method of methods) await reader.pay(intent, method, 1_000_000)
      await reader.readOnce()
    }
    expect((await countRowsRead(reader.db)) - before).toBeLessThan(count / 10)
  }
  await expectFewRowsRead(['reference'])
  // PostgreSQL finds the merchant of an unmatched transfer by its statistics, which it gathers each minute.
  await reader.db.pool.query('analyze payment_intents')
  await expectFewRowsRead(['reference', 'manual'])
  await reader.read()
  expect(await reader.resolved(intent)).toMatchObject({ amount_received_units: 6_000_000 })
})

/** The rows of intents that all statements have read so far. */
async function countRowsRead(db: Db): Promise<number> {
  await flushCounters(db)
  const { rows } = await db.pool.query(
    `select (seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_user_tables
     where relname = 'payment_intents'`,
  )
  return rows[0].read
}
