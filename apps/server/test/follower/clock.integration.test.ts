import { beforeEach, expect, test } from 'vitest'
import { patience } from '../../../../tests/support/patience.ts'
import { createProviders } from '../../src/chain/providers/providers.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import { connect } from '../../src/chain/rpc/rpcConnection.ts'
import { timeOfChains } from '../../src/store/clocks/timeOfChains.ts'
import { readerOfTest } from '../support/chain/readerOfTest.ts'
import { anotherServer } from '../support/database/fixtures.ts'
import { createIntent } from '../support/server/testServer.ts'

const { reader, chain } = readerOfTest()
beforeEach(() => chain.mine(1))

test.each([90, -90, 600, -600])(
  'payments are credited from the first intent on if the database’s clock is off by %d seconds',
  async (seconds) => {
    const databaseNow = () => Date.now() + seconds * 1000
    const connection = connect(chain.url)
    const rpc = createRpc(connection, [chain.token])
    const providers = createProviders({
      candidates: [{ connection, rpc, check: async () => ({ type: 'ok' as const }) }],
      ...{ chainId: chain.chainId, now: Date.now, databaseNow, random: Math.random },
      log: { warn() {} },
    })
    await providers.start(patience)
    const settled = providers.settleClock(patience)
    if (seconds > 0) await chain.mine(1)
    await settled
    const database = { now: databaseNow, chain: () => undefined }
    const clock = timeOfChains(null, database, () => providers.clock())
    const server = await anotherServer({ db: reader.db, clock })

    const intent = await createIntent(server, reader.merchant.apiKey, { expires_in_minutes: 5 })
    const { timestamp } = await chain.rpc<{ timestamp: string }>('eth_getBlockByNumber', [
      ...['latest', false],
    ])
    const age = Date.parse(intent.created_at) / 1_000 - Number(timestamp)
    expect(Math.abs(age)).toBeLessThan(Math.abs(seconds) / 2)
    await reader.pay(intent, 'manual')
    await reader.settle()
    expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded', exceptions: [] })
    expect(Math.sign(clock(chain.chainId).databaseSkewMs)).toBe(-Math.sign(seconds))
  },
)
