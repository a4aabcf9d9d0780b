import { describe, expect, test } from 'vitest'
import { advanceCursor, lockOutPolls } from '../../src/store/chains/cursors.ts'
import { type Db, transaction } from '../../src/store/connection/connect.ts'
import { readerOfTest, wallClock } from '../support/chain/readerOfTest.ts'
import { countWaiting } from '../support/database/locks.ts'
import { acceptIntent, assignTransfer } from '../support/server/directActions.ts'
import { randomWallet } from '../support/server/testServer.ts'

const { reader } = readerOfTest()

/** The database, except that this work runs when a poll has read everything and is about to write. */
function withBeforeWriting(work: () => Promise<unknown>): Db {
  const { pool } = reader.db
  const connect = async () => {
    await work()
    return pool.connect()
  }
  return { pool: { query: pool.query.bind(pool), connect } as unknown as Db['pool'] }
}

async function untilSomebodyWaits(): Promise<'waiting'> {
  await expect.poll(() => countWaiting(reader.db)).toBe(1)
  return 'waiting'
}

const actor = () => ({ merchantId: reader.merchant.id, mode: 'testnet' as const })

describe('a merchant’s action', () => {
  test('on a transfer that the chain is taking back is undone with it', async () => {
    const intent = await reader.paid('manual', 31_000_000)
    await reader.read()
    const { rows } = await reader.db.pool.query('select id from transfers')
    await reader.chain.reorg(1)
    await reader.chain.mine(3)
    const assign = () => assignTransfer(reader.db, actor(), rows[0].id, intent.id, wallClock)
    await reader.readOnce({
      db: withBeforeWriting(async () => expect((await assign()).type).toBe('done')),
    })
    expect(await reader.resolved(intent)).toMatchObject({
      status: 'requires_payment',
      exceptions: ['reorged'],
      amount_received_units: 0,
    })
  })

  test('waits for a poll that is being recorded, and reads the result', async () => {
    const intent = await reader.paid('manual', 31_000_000)
    await reader.read()
    const { rows } = await reader.db.pool.query('select id from transfers')
    const assigned = await transaction(reader.db, async (client) => {
      await client.query('set local idle_in_transaction_session_timeout = 0')
      const cursor = {
        to: 0n,
        timestamp: 0,
        head: 0n,
        rereadTo: null,
        delayedTransfers: 0,
        isFresh: true,
      }
      await advanceCursor(client, reader.lease, cursor)
      const assigning = assignTransfer(reader.db, actor(), rows[0].id, intent.id, wallClock)
      const first = await Promise.race([assigning, untilSomebodyWaits()])
      expect(first).toBe('waiting')
      await client.query('update transfers set orphaned = true')
      return { assigning }
    })
    expect((await assigned.assigning).type).toBe('refused')
  })

  test('that never pauses delays no poll', async () => {
    await reader.paid('manual', 31_000_000)
    await reader.read()
    let resting = false
    let begun = 0
    const isAwaited = async () => {
      const queued = `select from pg_locks where locktype = 'advisory' and not granted`
      return (await reader.db.pool.query(queued)).rowCount !== 0
    }
    const actions = Array.from({ length: 3 }, async () => {
      while (!resting) {
        await transaction(reader.db, async (client) => {
          await client.query('set local idle_in_transaction_session_timeout = 0')
          await lockOutPolls(client, reader.chain.chainId)
          begun += 1
          const mine = begun
          // Wait until the next action has begun, so that an action is always active, or until it cannot begin.
          await expect.poll(async () => resting || begun > mine || (await isAwaited())).toBe(true)
        })
      }
    })
    try {
      await expect.poll(() => begun).toBeGreaterThan(3)
      const paid = await reader.paid('reference')
      await reader.readOnce()
      expect(await reader.resolved(paid)).toMatchObject({ status: 'pending_confirmations' })
    } finally {
      resting = true
      await Promise.all(actions)
    }
  })

  test('on a payment whose late window is over, with nobody else waiting, still settles it', async () => {
    const intent = await reader.create({ expires_in_minutes: 5 })
    await reader.pay(intent, 'reference', 1_000_000)
    await reader.read()
    await reader.chain.increaseTime(30 * 3_600)
    await reader.settle()
    expect(await reader.read()).toEqual({ type: 'idle' })
    const clock = () => ({ now: Date.now() + 30 * 3_600_000 })
    expect((await acceptIntent(reader.db, actor(), intent.id, clock)).type).toBe('done')
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({
      status: 'succeeded',
      exceptions: ['underpaid'],
    })
  })
})

test('a wallet that a reference-only intent also uses does not identify a payment', async () => {
  const wallet_address = randomWallet()
  // The price is so near the greatest amount that there is no second amount.
  const amount_units = Number.MAX_SAFE_INTEGER
  const firstIntent = await reader.create({ wallet_address, amount_units })
  const secondIntent = await reader.create({ wallet_address, amount_units })
  expect((await reader.resolved(secondIntent)).manual).toBeNull()
  await reader.pay(secondIntent, 'manual', 31_000_000)
  await reader.read()
  for (const intent of [firstIntent, secondIntent]) {
    expect(await reader.resolved(intent)).toMatchObject({ amount_received_units: 0 })
  }
})

describe('an outage longer than the kept headers', () => {
  test('does not hide that a payment was taken back', async () => {
    const intent = await reader.paid('manual')
    await reader.chain.mine(2)
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({ status: 'pending_confirmations' })
    await reader.chain.reorg(3)
    await reader.chain.mine(400)
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({
      status: 'requires_payment',
      exceptions: ['reorged'],
    })
  })

  test('loses no payment of the new branch', async () => {
    const intent = await reader.create()
    await reader.chain.mine(40)
    await reader.read()
    await reader.chain.rpc('anvil_rollback', [30])
    await reader.pay(intent, 'manual')
    await reader.chain.mine(400)
    await reader.read()
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
  })
})
