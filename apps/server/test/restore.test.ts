import { expect, onTestFinished, test } from 'vitest'
import { chainOfFile } from './chainServer.ts'
import { merchantApi } from './merchantApi.ts'
import { payIntent, untilStatus } from './payments.ts'
import {
  createKey,
  ownDatabase,
  runCommand,
  type ServerProcess,
  startServer,
} from './serverProcess.ts'
import { createIntent, type Json, resolveIntent } from './testServer.ts'

const chain = chainOfFile()

async function start(database: Record<string, string>): Promise<ServerProcess> {
  const server = await startServer({ ...database, RPC_URL_BASE_TESTNET: chain.url })
  onTestFinished(async () => void (await server.end('SIGKILL')))
  return server
}

const shown = ({ status, amount_received_units, tx_hash, exceptions }: Json) => ({
  ...{ status, amount_received_units, tx_hash, exceptions },
})

test('after yesterday’s backup is restored, today’s payments are found again, each for its order', async () => {
  const database = await ownDatabase()
  const apiKey = await createKey(database.DATABASE_URL)
  const yesterday = await start(database)
  const [before, byReference, byAmount] = [
    await createIntent(yesterday, apiKey),
    await createIntent(yesterday, apiKey),
    await createIntent(yesterday, apiKey),
  ]
  await payIntent(chain, before)
  await chain.mine(4)
  await untilStatus(yesterday, before, 'succeeded')
  await yesterday.end('SIGTERM')
  const { pathname } = new URL(database.DATABASE_URL)
  const backup = await ownDatabase(pathname.slice(1))

  const today = await start(database)
  const created = await createIntent(today, apiKey)
  await payIntent(chain, byReference)
  await payIntent(chain, { ...byAmount, payment_reference: undefined })
  await payIntent(chain, created)
  await chain.mine(4)
  const known = [before, byReference, byAmount]
  for (const intent of [...known, created]) await untilStatus(today, intent, 'succeeded')
  const paid = await Promise.all(
    known.map(({ client_secret }) => resolveIntent(today, client_secret)),
  )
  const { tx_hash: lost } = await resolveIntent(today, created.client_secret)
  await today.end('SIGTERM')

  const restored = await start({ ...backup, SERVER_SECRET: database.SERVER_SECRET })
  const api = merchantApi(restored, apiKey)
  const expectAll = async () => {
    for (const [index, { client_secret }] of known.entries()) {
      const resolved = await resolveIntent(restored, client_secret)
      expect(shown(resolved)).toEqual(shown(paid[index]))
    }
    // Its order is in no table any more; its money is reported all the same.
    const { data } = await api.read('/v1/transfers', { matched: 'false' })
    // The chain of the tests gives this wallet its own money in its first block.
    const unmatched = data.filter(({ block_number }: Json) => block_number > 1)
    expect(unmatched).toMatchObject([{ tx_hash: lost, reason: 'no_intent' }])
  }
  await restored.until(expectAll)

  const { number } = await chain.rpc<{ number: string }>('eth_getBlockByNumber', ['latest', false])
  const range = ['--from', '0', '--to', String(Number(number))]
  const network = ['--mode', 'testnet', '--chain', 'base']
  const rescan = await runCommand(['chain', 'rescan', ...network, ...range], backup)
  expect(rescan.code, rescan.output).toBe(0)
  const next = await createIntent(restored, apiKey)
  await payIntent(chain, next)
  await chain.mine(4)
  await untilStatus(restored, next, 'succeeded')
  await expectAll()
})
