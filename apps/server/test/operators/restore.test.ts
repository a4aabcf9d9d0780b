import type { DevChain } from '@payment-intents/testing'
import { expect, onTestFinished, test } from 'vitest'
import { isFull } from '../../../../tests/support/tier.ts'
import { until } from '../../../../tests/support/until.ts'
import { connect } from '../../src/store/connection/connect.ts'
import { chainOfFile } from '../support/chain/chainServer.ts'
import { startFaultProxy } from '../support/chain/faultProxy.ts'
import { followChain } from '../support/chain/followChain.ts'
import { payIntent, untilStatus } from '../support/chain/payments.ts'
import { merchantApi } from '../support/server/merchantApi.ts'
import { runHere } from '../support/server/runHere.ts'
import { createKey, separateDatabase } from '../support/server/serverProcess.ts'
import {
  createIntent,
  type Json,
  resolveIntent,
  startTestServer,
} from '../support/server/testServer.ts'

const chain = chainOfFile()

/** Starts a server in this process that follows the chain. */
async function start({ DATABASE_URL: url }: Record<'DATABASE_URL', string>, rpc = chain.url) {
  const onError = (error: Error) => {
    throw error
  }
  const db = connect({ url, poolSize: 10, onError })
  const server = await startTestServer({ db })
  const stopFollowing = followChain({ db, urls: [rpc] })
  let ended: Promise<void> | undefined
  const stop = async () => {
    await stopFollowing()
    await server.close()
    await db.pool.end()
  }
  const end = () => {
    ended ??= stop()
    return ended
  }
  onTestFinished(end)
  return { request: server.request, until, end }
}

type Server = Awaited<ReturnType<typeof start>>

async function headOf({ rpc }: DevChain): Promise<number> {
  return Number(await rpc<string>('eth_blockNumber', []))
}

const shown = ({ status, amount_received_units, tx_hash, exceptions }: Json) => ({
  ...{ status, amount_received_units, tx_hash, exceptions },
})

/** Backs up a database, and lets its server continue for a day. Returns the backup, and the state after that day. */
async function backUpAndGoOn() {
  const database = await separateDatabase()
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
  await yesterday.end()
  const { pathname } = new URL(database.DATABASE_URL)
  const { SERVER_SECRET } = database
  const backup = { ...(await separateDatabase(pathname.slice(1))), SERVER_SECRET }

  const today = await start(database)
  const created = await createIntent(today, apiKey)
  await payIntent(chain, byReference)
  await payIntent(chain, { ...byAmount, payment_reference: undefined })
  await payIntent(chain, created)
  await chain.mine(4)
  const current = [before, byReference, byAmount]
  for (const intent of [...current, created]) await untilStatus(today, intent, 'succeeded')
  const paid = await Promise.all(
    current.map(({ client_secret }) => resolveIntent(today, client_secret)),
  )
  const { tx_hash: lost } = await resolveIntent(today, created.client_secret)
  await today.end()
  return { backup, apiKey, currentIntents: current, paid, lost }
}

type Day = Awaited<ReturnType<typeof backUpAndGoOn>>

/** Expects that each of today's payments belongs to its order. */
async function expectAll(restored: Server, { apiKey, currentIntents: current, paid, lost }: Day) {
  for (const [index, { client_secret }] of current.entries()) {
    const resolved = await resolveIntent(restored, client_secret)
    expect(shown(resolved)).toEqual(shown(paid[index]))
  }
  // The backup does not have the order of this payment, but the transfer is still reported.
  const { data } = await merchantApi(restored, apiKey).read('/v1/transfers', { matched: 'false' })
  const its = data.filter(({ tx_hash }: Json) => tx_hash === lost)
  expect(its).toMatchObject([{ reason: 'no_intent' }])
}

async function rescan(backup: Record<string, string>): Promise<void> {
  const range = ['--from', '0', '--to', String(await headOf(chain))]
  const network = ['--mode', 'testnet', '--chain', 'base']
  const { code, output } = await runHere(['chain', 'rescan', ...network, ...range], backup)
  expect(code, output).toBe(0)
}

async function acceptsPayment(restored: Server, apiKey: string): Promise<void> {
  const next = await createIntent(restored, apiKey)
  await payIntent(chain, next)
  await chain.mine(4)
  await untilStatus(restored, next, 'succeeded')
}

test('after a restore of yesterday’s backup, today’s payments are found again, each for its order', async () => {
  const day = await backUpAndGoOn()
  const restored = await start(day.backup)
  await restored.until(() => expectAll(restored, day))
  await rescan(day.backup)
  await acceptsPayment(restored, day.apiKey)
  await expectAll(restored, day)
})

test.runIf(isFull)(
  'a rescan finds payments that a provider did not return after a restore, each for its order',
  async () => {
    const day = await backUpAndGoOn()
    const rpc = await startFaultProxy(chain.url)
    onTestFinished(rpc.shut)
    // The provider returns no logs while the server catches up, and while it reads those blocks a second time.
    rpc.faults = { emptyLogs: 1_000 }
    const restored = await start(day.backup, rpc.url)
    const db = connect({ url: day.backup.DATABASE_URL, poolSize: 1 })
    onTestFinished(() => db.pool.end())
    const paidIn = await headOf(chain)
    await chain.mine(100)
    await restored.until(async () => {
      const { rows } = await db.pool.query<{ reread: number }>(
        'select reread_to[1]::int as reread from chain_cursors where scanned_to >= $1',
        [paidIn + 100],
      )
      expect(rows[0]?.reread).toBeGreaterThan(paidIn)
    })
    rpc.faults = {}
    await acceptsPayment(restored, day.apiKey)
    for (const { client_secret } of day.currentIntents.slice(1)) {
      expect(await resolveIntent(restored, client_secret)).toMatchObject({
        status: 'requires_payment',
      })
    }
    await rescan(day.backup)
    await restored.until(() => expectAll(restored, day))
  },
)
