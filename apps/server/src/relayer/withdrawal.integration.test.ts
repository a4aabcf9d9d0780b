import { describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../../../../tests/support/until.ts'
import { othersOf } from '../../test/relayer/support/others.ts'
import { startRelaying } from '../../test/relayer/support/relaying.ts'
import { chainServerOfFile } from '../../test/support/chain/chainServer.ts'
import { startFaultProxy } from '../../test/support/chain/faultProxy.ts'
import { ofTest } from '../../test/support/database/fixtures.ts'
import { withdrawAuthorizations } from '../store/authorizations/withdrawAuthorizations.ts'
import { transaction } from '../store/connection/connect.ts'
import { lockIntents } from '../store/payment-intents/paymentIntents.ts'
import { newMemory } from './cycle/relayerMemory.ts'
import { relay } from './relay.ts'
import { withdrawUnbroadcast } from './withdrawUnbroadcast.ts'

const shared = chainServerOfFile()
const relaying = ofTest(
  () => startRelaying(shared),
  () => {},
)
const { submitElsewhere } = othersOf(relaying)

/** Makes every authorization too old. */
const age = () =>
  relaying.db.pool.query(`update authorizations set created_at = now() - interval '16 seconds'`)

const withdrawn = { status: 'refused', reason: 'gasless_unavailable', tx_hash: null }

test('an authorization that nobody broadcasts is withdrawn, whether or not a relayer runs, and no relayer sends it', async () => {
  const { id } = await relaying.submitAuthorization()
  expect(await relaying.withdraw(), 'in its time').toEqual(new Map())
  await age()
  expect(await relaying.withdraw()).toEqual(new Map([[relaying.chain.chainId, 1]]))
  expect(await relaying.status(id)).toMatchObject(withdrawn)
  expect(await relaying.cycle()).toBe('idle')
  expect(await relaying.rows()).toEqual([])
})

test('a relayer that has validated it meanwhile does not send it', async () => {
  const proxy = await startFaultProxy(relaying.chain.url)
  const { id } = await relaying.submitAuthorization()
  const other = await relaying.submitAuthorization()
  let isOver = false
  proxy.faults = {
    async instead(method, forward) {
      if (method === 'eth_getCode' && !isOver) {
        isOver = true
        await relaying.db.pool.query(
          `update authorizations set created_at = now() - interval '16 seconds' where id = $1`,
          [id],
        )
        await relaying.withdraw()
      }
      return forward()
    },
  }
  await relaying.cycle({ context: relaying.context({ urls: [proxy.url] }), memory: newMemory() })
  expect(await relaying.status(id)).toMatchObject(withdrawn)
  expect(await relaying.rows()).toMatchObject([{ authorization_id: other.id }])
})

describe('is not withdrawn', () => {
  test('while a relayer records its transaction', async () => {
    const { id, intent } = await relaying.submitAuthorization()
    await age()
    await transaction(relaying.db, async (client) => {
      await lockIntents(client, [intent.id])
      expect(await relaying.withdraw()).toEqual(new Map())
      await client.query(`update authorizations set tx_hash = '0x12' where id = $1`, [id])
    })
    expect(await relaying.withdraw()).toEqual(new Map())
    expect(await relaying.status(id)).toMatchObject({ status: 'in_flight' })
  })

  test('if it was broadcast, reverted or not', async () => {
    const { id } = await relaying.submitAuthorization()
    await relaying.cycle()
    await age()
    expect(await relaying.withdraw()).toEqual(new Map())
    await relaying.db.pool.query(
      `update relayer_transactions set state = 'final', succeeded = false`,
    )
    expect(await relaying.withdraw()).toEqual(new Map())
    expect(await relaying.status(id)).toMatchObject({ status: 'in_flight' })
  })

  test('if somebody else broadcast it, once a relayer has seen that', async () => {
    const submitted = await relaying.submitAuthorization()
    await submitElsewhere(submitted)
    await relaying.cycle()
    await age()
    expect(await relaying.withdraw()).toEqual(new Map())
    expect(await relaying.status(submitted.id)).toMatchObject({ status: 'in_flight' })
  })
})

test('an authorization whose intent is locked delays no other', async () => {
  const [pending, free] = [
    await relaying.submitAuthorization(),
    await relaying.submitAuthorization(),
  ]
  await age()
  await transaction(relaying.db, async (client) => {
    await lockIntents(client, [pending.intent.id])
    await relaying.withdraw()
    expect(await relaying.status(free.id)).toMatchObject(withdrawn)
    // Nor does it delay the relayer.
    const next = await relaying.submitAuthorization()
    await relaying.cycle()
    expect(await relaying.status(next.id)).toMatchObject({ tx_hash: expect.any(String) })
    expect(await relaying.status(pending.id)).toMatchObject({ status: 'in_flight', tx_hash: null })
  })
  await relaying.withdraw()
  expect(await relaying.status(pending.id)).toMatchObject(withdrawn)
})

test('of a concurrent withdrawal and broadcast, exactly one happens', async () => {
  const proxy = await startFaultProxy(relaying.chain.url)
  const used = { context: relaying.context({ urls: [proxy.url] }), memory: newMemory() }
  const outcomes = { broadcast: 0, withdrawn: 0 }
  for (let round = 0; round < 12; round++) {
    const all = await Promise.all(Array.from({ length: 8 }, () => relaying.submitAuthorization()))
    await age()
    const withdrawing: Promise<unknown>[] = []
    proxy.faults = {
      async instead(method, forward) {
        const result = await forward()
        // Withdraw at the last response before the cycle decides, and a little later each round.
        if (method === 'eth_getCode') withdrawing.push(withdrawAfter(round * 2))
        return result
      },
    }
    await relaying.cycle(used)
    await Promise.all(withdrawing)
    for (const { id } of all) {
      const { rows } = await relaying.db.pool.query(
        `select a.status, count(t.tx_hash)::int as sent from authorizations a
         left join relayer_transactions t on t.authorization_id = a.id where a.id = $1 group by 1`,
        [id],
      )
      const [{ status, sent }] = rows
      expect([
        ['refused', 0],
        ['in_flight', 1],
      ]).toContainEqual([status, sent])
      outcomes[status === 'refused' ? 'withdrawn' : 'broadcast'] += 1
    }
  }
  expect(outcomes.broadcast + outcomes.withdrawn).toBe(96)
  proxy.faults = {}
  await relaying.chain.mine()
  await relaying.settle(used)
  expect(await relaying.check()).toMatchObject({ successes: outcomes.broadcast, reverts: 0 })
})

async function withdrawAfter(statements: number): Promise<void> {
  for (let count = 0; count < statements; count++) await relaying.db.pool.query('select')
  await withdrawAuthorizations(relaying.db)
}

test('a server withdraws and counts, and its relayer counts the cycles that fail, even without a provider', async () => {
  const { id } = await relaying.submitAuthorization()
  await age()
  const counted = { withdrawn: 0, failed: 0 }
  const metrics = {
    relayed() {},
    relayerFailed() {
      counted.failed += 1
    },
    withdrawn(_chainId: number, count: number) {
      counted.withdrawn += count
    },
  }
  const proxy = await startFaultProxy(relaying.chain.url)
  const context = { ...relaying.context({ urls: [proxy.url] }), metrics }
  await context.providers.start(10_000)
  proxy.faults = {
    async instead(method) {
      throw new Error(`no ${method}`)
    },
  }
  const stopping = new AbortController()
  const worker = relay({ ...context, pollMs: 10, random: () => 0 })
  const withdrawing = withdrawUnbroadcast({ ...context, signal: stopping.signal })
  onTestFinished(async () => {
    stopping.abort()
    await Promise.all([worker.stop(), withdrawing])
  })
  await until(() => expect(counted.withdrawn).toBe(1))
  expect(await relaying.status(id)).toMatchObject(withdrawn)
  await until(async () => {
    if (counted.failed === 0) await relaying.submitAuthorization()
    expect(counted.failed).toBeGreaterThan(0)
  })
})
