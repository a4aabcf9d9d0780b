import { beforeEach, expect, test } from 'vitest'
import { patience } from '../../../../tests/support/patience.ts'
import { anotherServer } from '../../test/fixtures.ts'
import { readerOfTest } from '../../test/reader.ts'
import { createIntent } from '../../test/testServer.ts'
import { connect } from './connection.ts'
import { createProviders } from './providers.ts'
import { createRpc } from './rpc.ts'

const { reader, chain } = readerOfTest()
beforeEach(() => chain.mine(1))

test.each([30, -30, 600, -600])(
  'a payer loses nothing by a server whose clock is %d seconds off, from the first intent on',
  async (seconds) => {
    const now = () => Date.now() + seconds * 1000
    const connection = connect(chain.url)
    const rpc = createRpc(connection, [chain.token])
    const warned: object[] = []
    const providers = createProviders({
      candidates: [{ connection, rpc, check: async () => ({ type: 'ok' as const }) }],
      ...{ chainId: chain.chainId, now, random: Math.random },
      log: { warn: (fields) => void warned.push(fields) },
    })
    await providers.start(patience)
    const server = await anotherServer({ db: reader.db, clock: () => providers.time() })

    const intent = await createIntent(server, reader.merchant.apiKey, { expires_in_minutes: 5 })
    await reader.pay(intent, 'manual')
    await reader.settle()
    expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded', exceptions: [] })
    // A slow clock shows itself at the first block.
    expect(warned).toHaveLength(seconds < 0 ? 1 : 0)
  },
)
