import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { verifyWebhook } from '@payment-intents/node'
import { startDevChain } from '@payment-intents/testing'
import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { freePort } from '../../../packages/testing/src/freePort.ts'
import { connect } from './db/connect.ts'
import { createTestMerchant, type Json, shopWallet } from './test/testServer.ts'
import { startReceiver } from './test/webhookReceiver.ts'

const main = join(import.meta.dirname, 'main.ts')
const manifestPath = createRequire(import.meta.url).resolve('@payment-intents/node/package.json')
const manifest = JSON.parse(readFileSync(manifestPath, 'utf8'))
const cli = join(dirname(manifestPath), manifest.bin['payment-intents'])

const patience = { timeout: 40_000, interval: 100 }

test('payment-intents listen posts what happens at a real server, also across its death', async () => {
  const chain = await startDevChain({ blockTime: 0 })
  onTestFinished(() => chain.stop())
  const databaseUrl = await newDatabase()
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const serve = () =>
    startServer({
      ...{ PORT: String(port), HOST: '127.0.0.1', DATABASE_URL: databaseUrl },
      ...{ SERVER_SECRET: 'x'.repeat(32), POLL_INTERVAL_MS: '100', DEVELOPMENT_CHAIN: 'true' },
      ...{ RPC_URL_BASE_TESTNET: chain.url },
    })
  const server = await serve()
  const { apiKey } = await newMerchant(databaseUrl)
  const create = () => post(`${baseUrl}/v1/payment_intents`, apiKey, { amount_units: 25_000_000 })
  const earlier = await create()

  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const args = ['listen', '--format', 'json', '--forward-to', `${receiver.url}/hooks`]
  const { news, child } = startNode([cli, ...args], {
    ...{ PAYMENT_INTENTS_API_KEY: apiKey, PAYMENT_INTENTS_BASE_URL: baseUrl },
  })
  await until(() => expect(news()).toMatchObject([{ kind: 'ready' }]))
  const [{ secret }] = news() as [Json]
  const kinds = () => news().map(({ kind }) => kind)

  const paid = await create()
  const [, payer] = chain.accounts
  await chain.pay({
    from: payer?.address ?? shopWallet,
    to: paid.expected_wallet,
    amount: 25_000_000n,
    reference: paid.payment_reference,
  })
  await chain.mine(4)
  const types = () => receiver.received.map(({ body }) => JSON.parse(body).type)
  await until(() => expect(types()).toContain('payment_intent.succeeded'))

  await kill(server)
  await until(() => expect(kinds()).toContain('lost'))
  await serve()
  const after = await create()
  await until(() => expect(kinds()).toContain('regained'))
  await until(() => expect(JSON.stringify(receiver.received)).toContain(after.id))

  const shown = news().flatMap(({ kind, event }) => (kind === 'event' ? [event] : []))
  const { data: all } = await read(`${baseUrl}/v1/events?limit=100`, apiKey)
  expect(shown).toEqual(all.slice(all.findIndex(({ id }: Json) => id === shown[0].id)))
  const told = shown.map(({ type, data }) => `${type} ${data.object.id}`)
  expect(told).toContain(`payment_intent.created ${paid.id}`)
  expect(told).toContain(`payment_intent.succeeded ${paid.id}`)
  expect(told).not.toContain(`payment_intent.created ${earlier.id}`)

  const posted = await Promise.all(
    receiver.received.map(async ({ body, headers }) => {
      new Webhook(secret).verify(body, headers as Record<string, string>)
      return verifyWebhook(body, headers, secret, { mode: 'testnet' })
    }),
  )
  const byId = (one: Json, other: Json) => (one.id < other.id ? -1 : 1)
  expect(posted.sort(byId)).toEqual(shown.sort(byId))

  child.kill('SIGINT')
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
}, 120_000)

const until = (check: () => void) => vi.waitFor(check, patience)

/** A process of Node.js until the test is over, and the JSON that it writes a line. */
function startNode(args: string[], env: Record<string, string>) {
  const { PATH } = process.env
  const child = spawn(process.execPath, args, { env: { PATH, ...env }, stdio: 'pipe' })
  onTestFinished(() => kill(child))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk
    })
  }
  const news = () =>
    output
      .split('\n')
      .slice(0, -1)
      .map((line): Json => JSON.parse(line))
  return { child, news }
}

async function startServer(env: Record<string, string>): Promise<ChildProcess> {
  const { child } = startNode([main], env)
  await vi.waitFor(async () => {
    expect((await fetch(`http://127.0.0.1:${env.PORT}/readyz`)).status).toBe(200)
  }, patience)
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function newDatabase(): Promise<string> {
  const name = `listen_${randomBytes(8).toString('hex')}`
  const admin = new pg.Client({ connectionString: inject('clusterUrl') })
  await admin.connect()
  await admin.query(`create database ${name}`)
  await admin.end()
  return inject('clusterUrl').replace(/\/postgres$/, `/${name}`)
}

async function newMerchant(databaseUrl: string): Promise<{ apiKey: string }> {
  const db = connect({ url: databaseUrl, poolSize: 2, onError: () => {} })
  const merchant = await createTestMerchant(db)
  await db.pool.end()
  return merchant
}

async function post(url: string, apiKey: string, body: object): Promise<Json> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` }
  return answerOf(await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }))
}

async function read(url: string, apiKey: string): Promise<Json> {
  return answerOf(await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } }))
}

async function answerOf(response: Response): Promise<Json> {
  expect(response.status).toBe(200)
  return response.json()
}
