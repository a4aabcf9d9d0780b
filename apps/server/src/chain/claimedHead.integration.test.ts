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
