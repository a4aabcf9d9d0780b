import { type DevChain, startDevChain } from '@payment-intents/testing'
import { connect, type Db } from '../../apps/server/src/store/connection/connect.ts'
import { median } from '../numbers.ts'
import { startFollowing } from '../watch/measurePolling.ts'
import { createSetting, type Setting } from '../watch/watchSetting.ts'

export type Recording = {
  /** Milliseconds of a reading that finds one payment, the median. */
  readonly paymentMs: number
  /** SQL statements of readings that find so many. */
  readonly statements: Record<number, number>
}

const samples = 15

/** Readings that find payments, among so many open intents of one merchant at one wallet. */
export async function recording(intents: number, result: readonly number[]): Promise<Recording> {
  const setting = await createSetting()
  const chain = await startDevChain({ blockTime: 0 })
  try {
    await fill(setting, intents)
    const follower = await startFollowing(setting, chain.url)
    const times: number[] = []
    for (let sample = 0; sample < samples; sample += 1) {
      await pay(chain, setting, 1, sample % 2 === 0)
      const begun = performance.now()
      await follower.read()
      times.push(performance.now() - begun)
    }
    const statements: Record<number, number> = {}
    for (const payments of result) {
      await pay(chain, setting, payments, true)
      setting.queries()
      await follower.read()
      statements[payments] = setting.queries()
    }
    await follower.stop()
    return { paymentMs: median(times), statements }
  } finally {
    await chain.stop()
    await setting.close()
  }
}

/** Seconds until so many overdue intents have expired, each with its event. */
export async function expiry(intents: number): Promise<number> {
  const setting = await createSetting()
  const chain = await startDevChain({ blockTime: 0 })
  try {
    await fill(setting, intents)
    await atLength(setting.db, [
      `update payment_intents set expires_at = now() - interval '1 hour'`,
    ])
    await chain.mine(1)
    const follower = await startFollowing(setting, chain.url)
    const begun = performance.now()
    while ((await follower.read()) === 'catching_up') {}
    const seconds = (performance.now() - begun) / 1000
    await follower.stop()
    return seconds
  } finally {
    await chain.stop()
    await setting.close()
  }
}

export async function pay(
  { accounts: [, payer], pay: send }: DevChain,
  setting: Setting,
  payments: number,
  byReference: boolean,
): Promise<void> {
  if (!payer) throw new Error('the chain has no accounts')
  for (let paid = 0; paid < payments; paid += 1) {
    const intent = await setting.create()
    const { expected_wallet: to, payable_amount_units: amount, payment_reference } = intent
    await send({
      ...{ from: payer.address, to, amount: BigInt(amount) },
      ...(byReference ? { reference: payment_reference } : {}),
    })
  }
}

/** Copies of one open intent, each with an amount of its own. */
export async function fill({ db, create }: Setting, intents: number): Promise<void> {
  const { id } = await create()
  const copies = (table: string, fields: string, where: string) => `
    insert into ${table} select (jsonb_populate_record(t, jsonb_build_object(${fields}))).*
    from ${table} t, generate_series(2, ${intents}) n where ${where}`
  const copyId = `'pi_' || lpad(n::text, 20, '0')`
  const amount = '100000000 + n * 100'
  await atLength(db, [
    copies(
      'payment_intents',
      `'id', ${copyId}, 'payment_reference', '0x' || lpad(to_hex(n), 64, '0'),
       'amount_units', ${amount}, 'payable_amount_units', ${amount} + 1`,
      `t.id = '${id}'`,
    ),
    copies(
      'payable_reservations',
      `'intent_id', ${copyId}, 'payable_amount_units', ${amount} + 1`,
      `t.intent_id = '${id}'`,
    ),
    'analyze payment_intents, payable_reservations',
  ])
}

/** Runs statements that take longer than the server ever waits for a statement. */
export async function atLength({ pool }: Db, statements: readonly string[]): Promise<void> {
  const statement = 60 * 60 * 1_000
  const db = connect({
    url: String(pool.options.connectionString),
    poolSize: 1,
    timeouts: { connect: 10_000, statement, lock: 10_000 },
    onError(error) {
      throw error
    },
  })
  for (const text of statements) await db.pool.query(text)
  await db.pool.end()
}
