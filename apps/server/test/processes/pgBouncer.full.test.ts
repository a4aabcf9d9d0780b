import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { chainOfFile } from '../support/chain/chainServer.ts'
import { payIntent, untilStatus } from '../support/chain/payments.ts'
import { startPgBouncer } from '../support/database/pgBouncer.ts'
import { merchantApi } from '../support/server/merchantApi.ts'
import {
  createKey,
  runCommand,
  separateDatabase,
  startServer,
} from '../support/server/serverProcess.ts'
import { createIntent, type Json, resolveIntent } from '../support/server/testServer.ts'
import { startReceiver } from '../support/server/webhookReceiver.ts'

/** Debian's package `pgbouncer`. */
const isInstalled = spawnSync('pgbouncer', ['--version']).status === 0
const chain = chainOfFile()

test.skipIf(!isInstalled)(
  'behind PgBouncer in transaction mode, two servers migrate, accept payments, deliver and rotate',
  async () => {
    // Both servers migrate this empty database at once.
    const { DATABASE_URL: direct, SERVER_SECRET } = await separateDatabase('template1')
    const env = {
      ...{ DATABASE_URL: await startPgBouncer(direct), SERVER_SECRET },
      ...{ DEVELOPMENT_CHAIN: 'true', WEBHOOK_ALLOW_PRIVATE: 'true' },
      RPC_URL_BASE_TESTNET: chain.url,
      // Responses of both servers link to the same URL, as behind a load balancer.
      PUBLIC_URL: 'https://pay.example',
    }
    const servers = await Promise.all([startServer(env), startServer(env)])
    onTestFinished(async () => {
      await Promise.all(servers.map((server) => server.end('SIGKILL')))
    })
    const [firstServer, secondServer] = servers
    await firstServer.prints(/a pooler is in front of the database/)
    const apiKey = await createKey(direct)
    const receiver = await startReceiver()
    onTestFinished(() => receiver.close())
    await merchantApi(firstServer, apiKey).post('/v1/webhook_endpoints', { url: receiver.url })

    // Many requests with an idempotency key to two processes create a single intent.
    const headers = { 'idempotency-key': 'order-1' }
    const raced = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const api = merchantApi(index % 2 === 0 ? firstServer : secondServer, apiKey)
        const response = await api.post('/v1/payment_intents', { amount_units: 5_000_000 }, headers)
        return { status: response.status, body: await response.text() }
      }),
    )
    const made = raced.filter(({ status }) => status === 200)
    expect(new Set(made.map(({ body }) => body)).size).toBe(1)
    for (const { status } of raced) expect([200, 409]).toContain(status)

    // A held resolve of one server receives a change by the other.
    const waiting = await createIntent(firstServer, apiKey)
    const wait = { after_version: 1, wait_seconds: 25 }
    const { client_secret } = await createIntent(firstServer, apiKey)
    const unchanged = resolveIntent(secondServer, client_secret, wait)
    const pending = resolveIntent(secondServer, waiting.client_secret, wait)
    await merchantApi(firstServer, apiKey).post(`/v1/payment_intents/${waiting.id}/cancel`)
    expect(await Promise.race([pending, unchanged])).toMatchObject({
      version: 2,
      status: 'canceled',
    })

    const paid = await createIntent(secondServer, apiKey)
    await payIntent(chain, paid)
    await chain.mine(4)
    await untilStatus(firstServer, paid, 'succeeded')
    await firstServer.until(() => {
      const types = receiver.received.map(({ body }): Json => JSON.parse(body))
      expect(
        types.some(
          (event) => event.type === 'payment_intent.succeeded' && event.data.object.id === paid.id,
        ),
      ).toBe(true)
    })

    const rotated = {
      ...env,
      ...{ SERVER_SECRET: randomBytes(32).toString('hex'), SERVER_SECRET_PREVIOUS: SERVER_SECRET },
    }
    expect(await firstServer.end('SIGTERM')).toBe(0)
    const next = await startServer(rotated)
    onTestFinished(async () => void (await next.end('SIGKILL')))
    expect(await secondServer.end('SIGTERM')).toBe(0)
    expect((await runCommand(['secret', 'rotate'], rotated)).code).toBe(0)
    expect(await resolveIntent(next, paid.client_secret)).toMatchObject({ status: 'succeeded' })
    expect((await runCommand(['doctor'], rotated)).printed).toMatch(/^ok +database .* a pooler/m)

    // The background work of the servers had no faults.
    for (const server of servers) {
      expect(server.output().match(/^.*"level":"(?:warn|error)".*$/gm) ?? []).toEqual([])
    }
  },
)
