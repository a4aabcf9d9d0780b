import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../../../tests/support/until.ts'
import { chainOfFile } from '../support/chain/chainServer.ts'
import { payIntent, untilStatus } from '../support/chain/payments.ts'
import { anotherServer } from '../support/database/fixtures.ts'
import { merchantApi } from '../support/server/merchantApi.ts'
import { createKey, separateDatabase, startServer } from '../support/server/serverProcess.ts'
import { createIntent, createTestMerchant, resolveIntent } from '../support/server/testServer.ts'

const chain = chainOfFile()

/** Starts a server in a process of its own, which compares its clock with the chain's. */
async function start() {
  const database = await separateDatabase()
  const server = await startServer({ ...database, RPC_URL_BASE_TESTNET: chain.url })
  onTestFinished(async () => void (await server.end('SIGKILL')))
  const apiKey = await createKey(database.DATABASE_URL)
  return { server, apiKey }
}

test('on a full disk the server refuses creations temporarily, continues reads, is degraded, and logs it once', async () => {
  const server = await anotherServer()
  const { apiKey } = await createTestMerchant(server.db)
  const api = merchantApi(server, apiKey)
  const intent = await createIntent(server, apiKey)
  const admin = server.db.pool
  // This is PostgreSQL's error for a write to a full disk.
  await admin.query(
    `create function full_disk() returns trigger language plpgsql as $$ begin
       raise exception 'could not extend file "base/5/1259": No space left on device' using errcode = 'disk_full';
     end $$;
     create trigger full_disk before insert on payment_intents execute function full_disk()`,
  )
  for (let count = 0; count < 3; count++) {
    const refused = await api.post('/v1/payment_intents', { amount_units: 5_000_000 })
    expect(refused.status).toBe(500)
    expect(refused.headers.get('retry-after')).toMatch(/^[12]$/)
    const body = await refused.text()
    expect(JSON.parse(body)).toMatchObject({ error: 'internal_error' })
    expect(body).not.toContain('space')
  }
  expect(await resolveIntent(server, intent.client_secret)).toMatchObject({
    status: 'requires_payment',
  })
  const readiness = async () => {
    const response = await server.request('/readyz')
    return { code: response.status, ...(await response.json()) }
  }
  await until(async () => {
    expect(await readiness()).toMatchObject({
      ...{ code: 200, status: 'degraded', database: 'disk_full' },
      degraded: [expect.stringMatching(/^database: its disk is full/)],
    })
  })
  const full = server.logs.filter((line) => line.includes('the disk of the database is full'))
  expect(full).toEqual([expect.stringContaining('full: free some space there')])
  await admin.query('drop trigger full_disk on payment_intents')
  await until(async () => {
    expect(await readiness()).toMatchObject({ code: 200, status: 'ok', database: 'ok' })
  })
  const recoveries = server.logs.filter((line) => line.includes('the database takes writes again'))
  expect(recoveries).toEqual([expect.stringContaining('"failures":3')])
  expect(await createIntent(server, apiKey)).toMatchObject({ status: 'requires_payment' })
})

test('a server whose clock is off by ten minutes accepts payments by the chain’s clock, and reports its own', async () => {
  const setAt = Math.floor(Date.now() / 1_000)
  await chain.rpc('anvil_setTime', [setAt + 600])
  await chain.mine()
  const { server, apiKey } = await start()
  await chain.mine()
  const intent = await createIntent(server, apiKey)
  await payIntent(chain, intent)
  await chain.mine(4)
  await untilStatus(server, intent, 'succeeded')
  expect(await resolveIntent(server, intent.client_secret)).toMatchObject({ exceptions: [] })
  const [, skew] = await server.prints(
    /"clock_skew_seconds":(\d+).*this machine’s clock is \d+ seconds behind the chain’s/,
  )
  // The skew is measured by the last block, which was mined before the server started.
  const since = Math.ceil(Date.now() / 1_000) - setAt
  expect(Number(skew)).toBeGreaterThanOrEqual(600 - since)
  expect(Number(skew)).toBeLessThanOrEqual(605)
  await server.until(async () => {
    const ready = await server.request('/readyz')
    const { status, degraded } = await ready.json()
    expect([ready.status, status]).toEqual([200, 'degraded'])
    expect(degraded).toEqual([
      expect.stringMatching(/: this machine’s clock is \d+ seconds behind the chain’s/),
      expect.stringMatching(/: the database’s clock is \d+ seconds behind the chain’s/),
    ])
  })
})
