import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { type ChainServer, startChainServer } from '../../test/chainServer.ts'
import { startFaultProxy } from '../../test/faultProxy.ts'
import { startReader } from '../../test/reader.ts'
import { connect } from './connection.ts'
import { createRpc } from './rpc.ts'

let shared: ChainServer

beforeAll(async () => {
  shared = await startChainServer()
  return shared.close
})

test.each([1, 2, 7, 10, 499])(
  'catching up by %i blocks a query asks for none past the head, which some nodes refuse',
  async (span) => {
    const reader = await startReader(shared)
    const proxy = await startFaultProxy(reader.chain.url)
    onTestFinished(proxy.shut)
    reader.rpc = createRpc(connect(proxy.url), [reader.chain.token])
    await reader.create()
    await reader.chain.mine(40)
    for (let readings = 0; readings < 100; readings += 1) {
      const { type } = await reader.readOnce({ span })
      if (type === 'current') return
      expect(type).toBe('catching_up')
    }
    expect.fail('it never caught up')
  },
)
