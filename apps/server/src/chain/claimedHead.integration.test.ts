import { expect, test } from 'vitest'
import { boasting } from '../../test/boasting.ts'
import { startFaultProxy } from '../../test/faultProxy.ts'
import { ofTest } from '../../test/fixtures.ts'
import { readerOfTest } from '../../test/reader.ts'
import { connect } from './connection.ts'
import { createRpc } from './rpc.ts'

const { reader, chain } = readerOfTest()
const proxy = ofTest(
  () => startFaultProxy(chain.url),
  (one) => one.shut(),
)

/** Blocks whose logs come later than the blocks. */
const lag = 6

test.each([0, 4, 8, 9, 10, 12, 30])(
  'a payment is recorded within three polls of when its logs come, by a provider that claims %i blocks more',
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

test.each([12, 60, 1_000_000])(
  'a provider that has claimed %i blocks more, and does not any more, is read on after a minute',
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
    // A lease that moves begins nothing anew.
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
