import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../../../tests/support/until.ts'
import { chainOfFile } from '../support/chain/chainServer.ts'
import { payIntent, untilStatus } from '../support/chain/payments.ts'
import { startDatabaseProxy } from '../support/database/databaseProxy.ts'
import { merchantApi } from '../support/server/merchantApi.ts'
import { hasReplicas, startReplicas } from '../support/server/replicas.ts'
import { createKey, startServer } from '../support/server/serverProcess.ts'
import { createIntent, type Json, resolveIntent } from '../support/server/testServer.ts'

const chain = chainOfFile()

test.skipIf(!hasReplicas)(
  'when the primary dies and its standby is promoted, the server continues without a restart',
  async () => {
    const { primaryUrl, standbyUrl, killPrimary, promoteStandby } = await startReplicas()
    // The address moves to the standby, as with a managed PostgreSQL or HAProxy.
    const address = await startDatabaseProxy(primaryUrl)
    onTestFinished(() => address.cut())
    const server = await startServer({
      ...{ DATABASE_URL: address.url, SERVER_SECRET: randomBytes(32).toString('hex') },
      ...{ DEVELOPMENT_CHAIN: 'true', DATABASE_TIMEOUT_MS: '2000' },
      RPC_URL_BASE_TESTNET: chain.url,
    })
    onTestFinished(async () => void (await server.end('SIGKILL')))
    const apiKey = await createKey(primaryUrl)
    const api = merchantApi(server, apiKey)
    const acknowledged: Json[] = []
    const create = async () => acknowledged.push(await createIntent(server, apiKey))
    for (let count = 0; count < 20; count += 1) await create()
    const [paid] = acknowledged as [Json]
    const wait = { after_version: 1, wait_seconds: 25 }
    const unchanged = resolveIntent(server, String(acknowledged[1]?.client_secret), wait)
    const pending = resolveIntent(server, paid.client_secret, wait)
    // The end of the test handles their failures.
    for (const waiting of [pending, unchanged]) waiting.catch(() => {})
    // Once another request completes, they have read.
    await resolveIntent(server, paid.client_secret)

    const killedAt = performance.now()
    killPrimary()
    const refused = await api.post('/v1/payment_intents', { amount_units: 5_000_000 })
    expect(refused.headers.get('retry-after')).toMatch(/^[12]$/)
    expect(refused.status).toBeGreaterThanOrEqual(500)
    await payIntent(chain, paid)
    await chain.mine(4)
    promoteStandby()
    address.moveTo(standbyUrl)
    const movedAt = performance.now()
    await until(create)
    const createdAt = performance.now()

    expect((await Promise.race([pending, unchanged])).version).toBeGreaterThan(1)
    await untilStatus(server, paid, 'succeeded')
    for (const { id } of acknowledged) {
      expect((await api.get(`/v1/payment_intents/${id}`)).status).toBe(200)
    }
    expect(server.output().match(/the database does not respond"/g)).toHaveLength(1)
    const [promotion, after] = [movedAt - killedAt, createdAt - movedAt].map(Math.round)
    console.info(
      `from kill to promotion ${promotion} ms; from there to the first creation ${after} ms`,
    )
  },
)
