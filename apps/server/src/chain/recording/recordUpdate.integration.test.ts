import { expect, test } from 'vitest'
import { until } from '../../../../../tests/support/until.ts'
import { followChain, type Logged } from '../../../test/support/chain/followChain.ts'
import { readerOfTest } from '../../../test/support/chain/readerOfTest.ts'
import {
  createIntent,
  createTestMerchant,
  type Json,
  randomWallet,
} from '../../../test/support/server/testServer.ts'

const { reader, chain } = readerOfTest()

const run = (text: string, values?: unknown[]) => reader.db.pool.query(text, values)

/** A row that a statement refuses, such as by a constraint or a broken index. */
async function raiseFor(table: string, condition: string): Promise<void> {
  await run(`
    create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'the row is odd'; end $$`)
  await run(`
    create trigger odd before insert or update on ${table} for each row when (${condition})
      execute function refuse()`)
}

const mendTable = () => run('drop function refuse cascade')

const inList = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ')

type Fault = {
  plant(intents: readonly Json[]): Promise<unknown>
  mend(intents: readonly Json[]): Promise<unknown>
}

/** The creation time is outside JavaScript's range: no event can be built of the intent. */
const unpresentable: Fault = {
  plant: (intents) =>
    run(`update payment_intents set created_at = '290000-01-01' where id in (${idsOf(intents)})`),
  mend: (intents) =>
    run(`update payment_intents set created_at = now() where id in (${idsOf(intents)})`),
}

const unwritable: Fault = {
  plant: (intents) => raiseFor('payment_intents', `new.id in (${idsOf(intents)})`),
  mend: mendTable,
}

/** The payment is not a number: the intent cannot be read. */
const unreadable: Fault = {
  plant: (intents) =>
    run(`update transfers set amount_units = 'NaN' where intent_id in (${idsOf(intents)})`),
  mend: (intents) =>
    run(`
      update transfers t set amount_units = p.payable_amount_units from payment_intents p
      where p.id = t.intent_id and p.id in (${idsOf(intents)})`),
}

const withoutEvents: Fault = {
  plant: (intents) => raiseFor('events', `new.intent_id in (${idsOf(intents)})`),
  mend: mendTable,
}

const idsOf = (intents: readonly Json[]) => inList(intents.map(({ id }) => id))

async function createMany(count: number, body: Record<string, unknown> = {}): Promise<Json[]> {
  const created: Json[] = []
  for (let n = 0; n < count; n += 1) created.push(await reader.create(body))
  return created
}

/** Belongs to another merchant, whose payer is honest. */
async function createHonest(): Promise<Json> {
  const { apiKey } = await createTestMerchant(reader.db, { wallet: randomWallet() })
  return createIntent(reader.server, apiKey)
}

async function payAll(intents: readonly Json[]): Promise<void> {
  await chain.rpc('evm_setAutomine', [false])
  for (const intent of intents) await reader.pay(intent, 'reference')
  await chain.mine()
  await chain.rpc('evm_setAutomine', [true])
}

/** @returns the rows that could not be recorded, by their ids or transaction hashes */
async function pollThrice(): Promise<Set<string>> {
  const failing = new Set<string>()
  for (let polls = 0; polls < 3; polls += 1) {
    const polled = await reader.readOnce()
    for (const { unit } of 'failures' in polled ? polled.failures : []) {
      if (unit.type === 'transaction') failing.add(unit.transaction.txHash)
      else failing.add((unit.type === 'refund' ? unit.refundId : unit.intentId) ?? unit.type)
    }
  }
  return failing
}

async function expectAll(intents: readonly Json[], expected: object): Promise<void> {
  for (const intent of intents) expect(await reader.resolved(intent)).toMatchObject(expected)
}

/** Lets time pass for the rows that wait for a retry. */
const retry = (work: () => Promise<unknown>) =>
  until(async () => {
    await reader.readOnce({ now: () => Date.now() + 3_600_000 })
    await work()
  })

const counts = [1, 3, 10]

test.each(counts)('%i transactions that cannot be recorded are deferred', async (count) => {
  const odd = await createMany(count)
  const honest = await createHonest()
  await reader.readOnce()
  await raiseFor('transfers', `new.wallet = '${reader.merchant.wallet}'`)
  await payAll([...odd.slice(1), honest, ...odd.slice(0, 1)])
  expect(await pollThrice()).toHaveProperty('size', count)
  await expectAll([honest], { status: 'pending_confirmations' })
  await expectAll(odd, { status: 'requires_payment' })
  const { rows } = await run('select reason from deferred_transactions')
  expect(rows).toEqual(
    Array(count).fill({ reason: expect.stringMatching(/could not be recorded: the row is odd/) }),
  )
  await chain.mine(5)
  await pollThrice()
  await expectAll([honest], { status: 'succeeded' })
  await mendTable()
  await reader.takeLease()
  await retry(() => expectAll(odd, { status: 'succeeded' }))
  expect((await run('select from deferred_transactions')).rowCount).toBe(0)
  for (const intent of odd) {
    expect(await reader.eventsOf(intent)).toEqual([
      ...['created', 'pending_confirmations', 'succeeded'],
    ])
  }
})

const paid = { unpresentable, unwritable, withoutEvents }

test.each(
  Object.entries(paid).flatMap(([name, fault]) => counts.map((count) => ({ name, fault, count }))),
)('payments of $count intents that are $name delay no others', async ({ fault, count }) => {
  const odd = await createMany(count)
  const honest = await createHonest()
  await reader.readOnce()
  await fault.plant(odd)
  await payAll([...odd, honest])
  expect(await pollThrice()).toHaveProperty('size', count)
  await expectAll([honest], { status: 'pending_confirmations' })
  await fault.mend(odd)
  await retry(() => expectAll(odd, { status: 'pending_confirmations' }))
  expect((await run('select from transfers')).rowCount).toBe(count + 1)
})

test.each(
  Object.entries({ ...paid, unreadable }).flatMap(([name, fault]) =>
    counts.map((count) => ({ name, fault, count })),
  ),
)('$count intents that are $name keep no other from success', async ({ fault, count }) => {
  const odd = await createMany(count)
  const honest = await createHonest()
  await payAll([...odd, honest])
  await reader.readOnce()
  await fault.plant(odd)
  await chain.mine(5)
  expect(await pollThrice()).toEqual(new Set(odd.map(({ id }) => id)))
  await expectAll([honest], { status: 'succeeded' })
  await fault.mend(odd)
  await retry(() => expectAll(odd, { status: 'succeeded' }))
})

test.each(
  Object.entries(paid).flatMap(([name, fault]) => counts.map((count) => ({ name, fault, count }))),
)('$count intents that are $name keep no other from its end', async ({ fault, count }) => {
  const odd = await createMany(count, { expires_in_minutes: 5 })
  const otherIntent = await reader.create({ expires_in_minutes: 5 })
  const honest = await createHonest()
  await reader.readOnce()
  await fault.plant(odd)
  await chain.increaseTime(600)
  await payAll([honest])
  expect(await pollThrice()).toEqual(new Set(odd.map(({ id }) => id)))
  await expectAll([honest], { status: 'pending_confirmations' })
  await expectAll([otherIntent], { status: 'expired' })
  await fault.mend(odd)
  await retry(() => expectAll(odd, { status: 'expired' }))
})

test.each([...counts.map((count) => ({ count, moves: false })), { count: 3, moves: true }])(
  '$count intents that lose their payments and cannot be changed lose them later',
  async ({ count, moves }) => {
    const odd = await createMany(count)
    const honest = await createHonest()
    await reader.readOnce()
    await payAll([...odd, honest])
    await reader.readOnce()
    await unwritable.plant(odd)
    await chain.reorg(1)
    await chain.mine(2)
    expect(await pollThrice()).toEqual(new Set(odd.map(({ id }) => id)))
    await expectAll([honest], { exceptions: ['reorged'] })
    await expectAll(odd, { status: 'pending_confirmations', exceptions: [] })
    if (moves) await reader.takeLease()
    await unwritable.mend(odd)
    await retry(() => expectAll(odd, { status: 'requires_payment', exceptions: ['reorged'] }))
    // Paid again, each counts once.
    await payAll(odd)
    await chain.mine(5)
    await retry(async () => {
      for (const intent of odd) {
        const amount_received_units = intent.payable_amount_units
        await expectAll([intent], { status: 'succeeded', amount_received_units })
      }
    })
  },
)

test('the next process keeps its lease, names the rows that fail, and records the others', async () => {
  const odd = await createMany(3)
  const honest = await createHonest()
  const epoch = async () => (await run('select epoch from chain_cursors')).rows
  await reader.release()
  const logs: Logged[] = []
  const stop = followChain({ db: reader.db, urls: [chain.url], logs, pollMs: 10 })
  await until(async () => expect(logs.map(({ message }) => message)).toContain('following'))
  const before = await epoch()
  await unpresentable.plant(odd)
  // Invalid JSON: its events cannot be read for the log.
  await run(`update payment_intents set metadata = '{' where id = $1`, [honest.id])
  await payAll([...odd, honest])
  await until(async () => {
    const { rows } = await run('select status from payment_intents where id = $1', [honest.id])
    expect(rows).toEqual([{ status: 'pending_confirmations' }])
  })
  const named = () =>
    logs.filter(({ message }) => message.startsWith('a change cannot be recorded'))
  await until(async () => expect(named().length).toBeGreaterThanOrEqual(3))
  expect(await epoch()).toEqual(before)
  expect(logs.map(({ message }) => message)).not.toContain('the chain follower failed')
  await stop()
})
