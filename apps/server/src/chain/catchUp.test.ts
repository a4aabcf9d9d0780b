import { type DevChain, startDevChain } from '@payment-intents/testing'
import { beforeEach, expect, test } from 'vitest'
import { acquireLease } from '../db/chainCursors.ts'
import { type FaultProxy, startFaultProxy } from '../test/faultProxy.ts'
import {
  createIntent,
  createTestMerchant,
  randomWallet,
  startTestServer,
  type TestServer,
} from '../test/testServer.ts'
import { connect } from './connection.ts'
import { createRpc } from './rpc.ts'
import { knownAtStart, tick } from './tick.ts'

let chain: DevChain
let proxy: FaultProxy
let server: TestServer

beforeEach(async () => {
  chain = await startDevChain({ blockTime: 0 })
  proxy = await startFaultProxy(chain.url)
  server = await startTestServer()
  const { apiKey } = await createTestMerchant(server.db, { wallet: randomWallet() })
  await createIntent(server, apiKey)
  return async () => {
    await server.close()
    await proxy.shut()
    await chain.stop()
  }
})

test.each([1, 2, 7, 10, 499])(
  'catching up by %i blocks a query asks for none past the head, which some nodes refuse',
  async (span) => {
    await chain.mine(40)
    const rpc = createRpc(connect(proxy.url), [chain.token])
    const lease = (await acquireLease(server.db, chain.chainId)) ?? expect.fail('the lease is held')
    let known = knownAtStart([])
    for (let read = 0; read < 100; read += 1) {
      const ticked = await tick({ db: server.db, rpc, lease, span, now: () => Date.now() }, known)
      if (!('known' in ticked)) expect.fail(ticked.type)
      if (ticked.type === 'current') return
      known = ticked.known
    }
    expect.fail('it never caught up')
  },
)
