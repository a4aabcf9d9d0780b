import { describe, expect, test } from 'vitest'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import { connect } from '../../src/chain/rpc/rpcConnection.ts'
import { boasting } from '../support/chain/boasting.ts'
import { startFaultProxy } from '../support/chain/faultProxy.ts'
import { readerOfTest } from '../support/chain/readerOfTest.ts'
import { ofTest } from '../support/database/fixtures.ts'

const { reader, chain } = readerOfTest()
const proxy = ofTest(
  () => startFaultProxy(chain.url),
  (faultProxy) => faultProxy.shut(),
)

/** The number of newest blocks whose logs are not known yet. */
const lag = 6

test.each([0, 4, 8, 9, 10, 12, 30])(
  'a payment is recorded within three polls of its logs if the provider claims %i blocks too many',
  async (blocks) => {
    await chain.mine(30)
    reader.rpc = createRpc(connect(proxy.url), [chain.token])
    proxy.faults = { instead: boasting(chain, blocks), emptyLogs: lag }
    await reader.create()
    await reader.readOnce()
    const intent = await reader.paid('manual')
    for (let later = 0; later < lag; later += 1) {
      await reader.readOnce()
      await chain.mine(1)
    }
    for (let polls = 0; polls < 3; polls += 1) await reader.readOnce()
    expect(await reader.resolved(intent)).not.toMatchObject({ status: 'requires_payment' })
  },
)

describe('after a provider has claimed blocks that do not exist', () => {
  const claims = [1, 12, 60, 1_000_000]

  /** Reads from a provider that claims this many blocks too many. */
  async function readClaim(blocks: number): Promise<void> {
    reader.rpc = createRpc(connect(proxy.url), [chain.token])
    proxy.faults = { instead: boasting(chain, blocks) }
    await reader.readOnce()
    await reader.readOnce()
    proxy.faults = {}
  }
  const thrice = async () => {
    for (let polls = 0; polls < 3; polls += 1) await reader.readOnce()
  }

  test.each(claims)(
    'payments are recorded within three polls, by the same and by another process: %i blocks',
    async (blocks) => {
      await chain.mine(300)
      const before = await reader.create()
      await readClaim(blocks)
      await reader.pay(before, 'manual')
      const after = await reader.paid('reference')
      await thrice()
      for (const intent of [before, after]) {
        expect(await reader.resolved(intent)).toMatchObject({ status: 'pending_confirmations' })
      }
      reader.rpc = createRpc(connect(chain.url), [chain.token])
      const byOther = await reader.paid('manual')
      await thrice()
      expect(await reader.resolved(byOther)).toMatchObject({ status: 'pending_confirmations' })
    },
  )

  test('earlier records stay, and settle once the chain is as high', async () => {
    await chain.mine(300)
    const intent = await reader.create()
    await readClaim(12)
    await reader.pay(intent, 'reference')
    for (let blocks = 0; blocks < 20; blocks += 1) {
      await reader.readOnce()
      await chain.mine(1)
    }
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
    expect(await reader.eventsOf(intent)).toEqual(['created', 'pending_confirmations', 'succeeded'])
  })

  test('the cursor and its start stay unchanged', async () => {
    await chain.mine(300)
    await reader.create()
    await readClaim(60)
    const cursor = async () => (await reader.db.pool.query('select * from chain_cursors')).rows
    const [before] = await cursor()
    await reader.paid('manual')
    expect(await reader.readOnce()).toMatchObject({ type: 'provider_behind', events: [{}] })
    const [after] = await cursor()
    expect({ ...after, lease_until: null }).toEqual({ ...before, lease_until: null })
  })

  test('a node that is late takes nothing back, and credits nothing twice', async () => {
    await chain.mine(20)
    const intent = await reader.create()
    await reader.pay(intent, 'reference')
    await chain.mine(2)
    await reader.read()
    const before = await reader.reasons()
    proxy.faults = { behind: 2 }
    reader.rpc = createRpc(connect(proxy.url), [chain.token])
    await thrice()
    expect(await reader.reasons()).toEqual(before)
    expect(await reader.eventsOf(intent)).toEqual(['created', 'pending_confirmations'])
  })
})

test.each([12, 60, 1_000_000])(
  'a provider that claimed %i blocks too many, and no longer does, is read again after a minute',
  async (blocks) => {
    await chain.mine(300)
    reader.rpc = createRpc(connect(proxy.url), [chain.token])
    const before = await reader.create()
    await reader.readOnce()
    proxy.faults = { instead: boasting(chain, blocks) }
    await reader.readOnce()
    await reader.readOnce()
    proxy.faults = {}
    await reader.pay(before, 'manual')
    const after = await reader.paid('manual')
    await chain.mine(1)
    await reader.readOnce().catch(() => {})
    // The minute does not start again when the lease moves.
    await reader.takeLease()
    await reader.db.pool.query(
      `update chain_cursors set scanned_at = scanned_at - interval '61 seconds'`,
    )
    for (let polls = 0; polls < 3; polls += 1) await reader.readOnce()
    for (const intent of [before, after]) {
      expect(await reader.resolved(intent)).toMatchObject({ status: 'pending_confirmations' })
    }
    await reader.settle()
    for (const intent of [before, after]) {
      expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
    }
  },
)
