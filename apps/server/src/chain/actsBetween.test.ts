import { type DevChain, startDevChain } from '@payment-intents/testing'
import { beforeEach, describe, expect, test } from 'vitest'
import { acceptIntent, assignTransfer } from '../db/act.ts'
import { acquireLease, type Lease } from '../db/chainCursors.ts'
import { type Db, transaction } from '../db/connect.ts'
import {
  createIntent,
  createTestMerchant,
  type Json,
  randomWallet,
  resolveIntent,
  startTestServer,
  type TestServer,
} from '../test/testServer.ts'
import { connect } from './connection.ts'
import { createRpc, type Rpc } from './rpc.ts'
import { type Known, knownAtStart, type Ticked, tick } from './tick.ts'

let chain: DevChain
let server: TestServer
let merchant: { id: string; apiKey: string }
let rpc: Rpc
let lease: Lease
let known: Known

beforeEach(async () => {
  chain = await startDevChain({ blockTime: 0 })
  server = await startTestServer()
  merchant = await createTestMerchant(server.db, { wallet: randomWallet() })
  rpc = createRpc(connect(chain.url), [chain.token])
  lease = (await acquireLease(server.db, chain.chainId)) ?? expect.fail('the lease is held')
  known = knownAtStart([])
  return async () => {
    await server.close()
    await chain.stop()
  }
})

async function readOnce(db: Db = server.db): Promise<Ticked> {
  const ticked = await tick({ db, rpc, lease, now: () => Date.now() }, known)
  if ('known' in ticked) known = ticked.known
  return ticked
}

/** Reads up to the head, and once more: what a reading finds deep already, the next one settles. */
async function read(): Promise<Ticked> {
  while ((await readOnce()).type === 'catching_up');
  return readOnce()
}

/** The database, with something done when a reading has asked all it asks and is about to write. */
function withBeforeWriting(work: () => Promise<unknown>): Db {
  const { pool, url } = server.db
  const connect = async () => {
    await work()
    return pool.connect()
  }
  return { url, pool: { query: pool.query.bind(pool), connect } as unknown as Db['pool'] }
}

async function untilSomebodyWaits(): Promise<'waiting'> {
  const waiting = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  const count = async () => (await server.db.pool.query(waiting)).rowCount
  await expect.poll(count, { timeout: 20_000 }).toBe(1)
  return 'waiting'
}

async function pay(intent: Json, amount: number, how: { reference?: boolean } = {}): Promise<void> {
  const [, payer] = chain.accounts
  if (!payer) throw new Error('no account')
  await chain.pay({
    from: payer.address,
    to: intent.expected_wallet,
    amount: BigInt(amount),
    ...(how.reference && { reference: intent.payment_reference }),
  })
}

const create = (body: Json = {}) => createIntent(server, merchant.apiKey, body)
const resolved = (intent: Json) => resolveIntent(server, intent.client_secret)
const who = () => ({ merchantId: merchant.id, mode: 'testnet' as const })

describe('a merchant’s hand', () => {
  test('on a transfer that is just being taken back is undone with it', async () => {
    const intent = await create()
    await pay(intent, 31_000_000)
    await read()
    const { rows } = await server.db.pool.query('select id from transfers')
    await chain.reorg(1)
    await chain.mine(3)
    const assign = () => assignTransfer(server.db, who(), rows[0].id, intent.id, Date.now())
    await readOnce(withBeforeWriting(async () => expect((await assign()).type).toBe('done')))
    expect(await resolved(intent)).toMatchObject({
      status: 'requires_payment',
      exceptions: ['reorged'],
      amount_received_units: 0,
    })
  })

  test('waits for a reading that is being written, and finds what that took back', async () => {
    const intent = await create()
    await pay(intent, 31_000_000)
    await read()
    const { rows } = await server.db.pool.query('select id from transfers')
    const assigned = await transaction(server.db, async (client) => {
      await client.query('update chain_cursors set scanned_at = now()')
      const assigning = assignTransfer(server.db, who(), rows[0].id, intent.id, Date.now())
      const first = await Promise.race([assigning, untilSomebodyWaits()])
      expect(first).toBe('waiting')
      await client.query('update transfers set orphaned = true')
      return { assigning }
    })
    expect((await assigned.assigning).type).toBe('refused')
  })

  test('on a payment whose late window is over, with nobody else waiting, still settles it', async () => {
    const intent = await create({ expires_in_minutes: 5 })
    await pay(intent, 1_000_000, { reference: true })
    await read()
    await chain.increaseTime(30 * 3_600)
    await chain.mine(5)
    await read()
    expect(await read()).toEqual({ type: 'idle' })
    const now = Date.now() + 30 * 3_600_000
    expect((await acceptIntent(server.db, who(), intent.id, now)).type).toBe('done')
    await read()
    expect(await resolved(intent)).toMatchObject({ status: 'succeeded', exceptions: ['underpaid'] })
  })
})

test('a wallet that a reference-only intent uses too is no intent’s alone', async () => {
  const wallet_address = randomWallet()
  // So near to the greatest amount that there is no second one to ask for.
  const amount_units = Number.MAX_SAFE_INTEGER
  const first = await create({ wallet_address, amount_units })
  const second = await create({ wallet_address, amount_units })
  expect((await resolved(second)).manual).toBeNull()
  await pay(second, 31_000_000)
  await read()
  for (const intent of [first, second]) {
    expect(await resolved(intent)).toMatchObject({ amount_received_units: 0 })
  }
})

describe('an outage longer than the headers that are kept', () => {
  test('does not hide that a payment was taken back', async () => {
    const intent = await create()
    await pay(intent, intent.payable_amount_units)
    await chain.mine(2)
    await read()
    expect(await resolved(intent)).toMatchObject({ status: 'pending_confirmations' })
    await chain.reorg(3)
    await chain.mine(400)
    await read()
    expect(await resolved(intent)).toMatchObject({
      status: 'requires_payment',
      exceptions: ['reorged'],
    })
  })

  test('loses no payment of the branch that came instead', async () => {
    const intent = await create()
    await chain.mine(40)
    await read()
    await chain.rpc('anvil_rollback', [30])
    await pay(intent, intent.payable_amount_units)
    await chain.mine(400)
    await read()
    await read()
    expect(await resolved(intent)).toMatchObject({ status: 'succeeded' })
  })
})
