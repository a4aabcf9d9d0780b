import { expect, onTestFinished, test } from 'vitest'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import { connect } from '../../src/chain/rpc/rpcConnection.ts'
import { startFaultProxy } from '../support/chain/faultProxy.ts'
import { readerOfTest } from '../support/chain/readerOfTest.ts'

const { reader } = readerOfTest()

test.each([1, 2, 7, 10, 499])(
  'catching up by %i blocks per query requests no block past the head, which some nodes refuse',
  async (blocksPerQuery) => {
    const proxy = await startFaultProxy(reader.chain.url)
    onTestFinished(proxy.shut)
    reader.rpc = createRpc(connect(proxy.url), [reader.chain.token])
    await reader.create()
    await reader.chain.mine(40)
    for (let polls = 0; polls < 100; polls += 1) {
      const { type } = await reader.readOnce({ blocksPerQuery })
      if (type === 'current') return
      expect(type).toBe('catching_up')
    }
    expect.fail('it never caught up')
  },
)
