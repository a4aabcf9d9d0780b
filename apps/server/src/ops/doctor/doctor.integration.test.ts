import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listenLocally } from '../../../../../tests/support/listenLocally.ts'
import { chainOfFile } from '../../../test/support/chain/chainServer.ts'
import { startFaultProxy } from '../../../test/support/chain/faultProxy.ts'
import { anotherServer } from '../../../test/support/database/fixtures.ts'
import { startMailServer } from '../../../test/support/server/mailServer.ts'
import { merchantApi } from '../../../test/support/server/merchantApi.ts'
import { runHere } from '../../../test/support/server/runHere.ts'
import {
  createKey,
  separateDatabase,
  startServer,
} from '../../../test/support/server/serverProcess.ts'
import { startReceiver } from '../../../test/support/server/webhookReceiver.ts'
import { connect } from '../../store/connection/connect.ts'
import { checkDashboardUrl } from './checkDashboardUrl.ts'
import { doctor } from './doctor.ts'
import type { Finding } from './finding.ts'

const chain = chainOfFile()
const rpcKey = 'k3yThatNobodyMayRead'

/** The findings of a check, as level and summary. */
const of = (findings: readonly Finding[], check: string) =>
  findings.flatMap((finding) => (finding.check === check ? [[finding.level, finding.summary]] : []))

test('a healthy server has only ok lines, and the exit code 0', async () => {
  const database = await separateDatabase()
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const { host, port } = new URL(receiver.url)
  const byName = `localhost:${port}`
  const switches = { DEVELOPMENT_CHAIN: 'true', WEBHOOK_ALLOW_HOSTS: `${host},${byName}` }
  const { privateKey: RELAYER_KEY_BASE_TESTNET = '0x', address = '' } = chain.accounts[8] ?? {}
  const env = {
    ...{ ...database, ...switches, RPC_URL_BASE_TESTNET: chain.url, RELAYER_KEY_BASE_TESTNET },
  }
  const server = await startServer(env)
  onTestFinished(async () => void (await server.end('SIGTERM')))
  const api = merchantApi(server, await createKey(env.DATABASE_URL))
  await api.post('/v1/webhook_endpoints', { url: receiver.url })
  await api.post('/v1/webhook_endpoints', { url: `http://${byName}/hooks` })
  const requested = { ...env, PUBLIC_URL: server.url }
  const { code, output } = await runHere(['doctor'], requested)
  expect(output.match(/^(warn|fail) .*$/gm)).toBeNull()
  for (const check of ['configuration', 'database', 'schema', 'secret', 'public url', 'webhooks']) {
    expect(output).toMatch(new RegExp(`^ok +${check} `, 'm'))
  }
  expect(output).toMatch(
    /^ok +relayer Base Sepolia +0x[0-9a-f]{40} has 10000 ETH, enough for \d+ pay/m,
  )
  expect(output).toContain(address.toLowerCase())
  expect(output).not.toContain(RELAYER_KEY_BASE_TESTNET.slice(2))
  expect(output).toMatch(/^ok +rpc Base Sepolia +127\.0\.0\.1:\d+ is on chain 84532, with USDC/m)
  expect(output).toMatch(/^ok +rpc Base Sepolia .* serves log queries over \d+ blocks$/m)
  expect(code).toBe(0)
  expect(receiver.received.length).toBeGreaterThan(0)
  for (const { headers } of receiver.received) {
    expect(headers['user-agent']).toMatch(/^payment-intents-server\//)
  }

  await receiver.close()
  const otherEnv = { ...requested, SERVER_SECRET: randomBytes(16).toString('hex') }
  const result = await doctor(otherEnv)
  expect(of(result, 'secret')).toEqual([
    ['fail', expect.stringContaining('does not belong to this database')],
  ])
  const warned = of(result, 'webhooks')
  expect(warned).toHaveLength(2)
  for (const where of [host, byName]) {
    const sentence = new RegExp(`^we_\\w+ at ${where} does not respond \\(.*ECONNREFUSED`)
    expect(warned).toContainEqual(['warn', expect.stringMatching(sentence)])
  }
})

test('each fault is a line with its remedy, without a secret', async () => {
  await chain.mine(200)
  const dead = await startFaultProxy(chain.url, `/?key=${rpcKey}`)
  await dead.shut()
  const narrow = await startFaultProxy(chain.url, `/?key=${rpcKey}`)
  onTestFinished(narrow.shut)
  narrow.faults = { maxBlocks: 10 }
  const database = await separateDatabase('template1')
  const env = {
    ...database,
    RPC_URL_BASE_TESTNET: `${dead.url},${narrow.url}`,
    RPC_URL_POLYGON_MAINNET: chain.url,
    PUBLIC_URL: 'https://127.0.0.1:1',
  }
  const { code, printed } = await runHere(['doctor', '--json'], env)
  expect(code).toBe(1)
  const findings: Finding[] = JSON.parse(printed)
  for (const finding of findings) {
    if (finding.level !== 'ok') expect(finding.todo).not.toBe('')
  }
  expect(of(findings, 'schema')).toEqual([['fail', 'the database has no tables of this server']])
  expect(of(findings, 'rpc Base Sepolia')).toEqual([
    ['fail', expect.stringContaining(`${dead.host}: `)],
    ['ok', expect.stringContaining(narrow.host)],
    ['warn', `${narrow.host} serves log queries over 10 blocks`],
  ])
  expect(of(findings, 'rpc Polygon')).toEqual([
    ['fail', expect.stringContaining('serves chain 84532, but Polygon is chain 137.')],
    ['warn', 'Polygon has one provider host: nothing verifies its responses'],
  ])
  expect(of(findings, 'public url')).toEqual([
    ['fail', expect.stringContaining('does not respond')],
  ])
  const text = JSON.stringify(findings)
  for (const secret of [rpcKey, database.SERVER_SECRET, new URL(database.DATABASE_URL).password]) {
    expect(text).not.toContain(secret)
  }
})

test('names the variable if the database refuses or a value is invalid', async () => {
  const env = { ...(await separateDatabase()), RPC_URL_BASE_TESTNET: chain.url }
  const url = new URL(env.DATABASE_URL)
  url.password = 'hunter2hunter2'
  const refused = await doctor({ ...env, DATABASE_URL: url.href })
  expect(of(refused, 'database')).toEqual([
    ['fail', expect.stringMatching(/^DATABASE_URL: .*password/)],
  ])
  expect(JSON.stringify(refused)).not.toContain('hunter2')
  expect(of(await doctor({ PORT: 'x' }), 'configuration')).toEqual([
    ['fail', expect.stringMatching(/^PORT: /)],
  ])
})

test('reports tables of another release, another page at the URL and an endpoint that refuses, and writes nothing', async () => {
  const otherReceiver = await startReceiver()
  onTestFinished(() => otherReceiver.close())
  const database = await separateDatabase()
  const switches = { WEBHOOK_ALLOW_PRIVATE: 'true', PUBLIC_URL: otherReceiver.url }
  const env = { ...database, ...switches, RPC_URL_BASE_TESTNET: chain.url }
  await createKey(env.DATABASE_URL)
  const db = connect({ url: env.DATABASE_URL, poolSize: 1 })
  onTestFinished(() => db.pool.end())
  await db.pool.query(
    `insert into webhook_endpoints (id, merchant_id, mode, url, description, created_at, secret_key, failing_since)
     select 'we_1', id, 'testnet', $1, '', now(), '', '2026-01-02T03:04:05Z' from merchants`,
    [`${otherReceiver.url}/hooks`],
  )
  const result = await doctor(env)
  expect(of(result, 'public url')).toEqual([
    ['fail', `${otherReceiver.url}/livez responds 200, and is not this server`],
  ])
  // A merchant's shop may respond the same at this path.
  const shop = await listenLocally(createServer((_, response) => response.end('{"status":"ok"}')))
  onTestFinished(shop.close)
  expect(of(await doctor({ ...env, PUBLIC_URL: shop.url }), 'public url')).toEqual([
    ['fail', `${shop.url}/livez responds 200, and is not this server`],
  ])
  const elsewhere = await anotherServer()
  expect(of(await doctor({ ...env, PUBLIC_URL: elsewhere.url }), 'public url')).toEqual([
    ['fail', expect.stringContaining(`${elsewhere.url} has another SERVER_SECRET`)],
  ])
  const { host } = new URL(otherReceiver.url)
  const since = '2026-01-02T03:04:05.000Z'
  expect(of(result, 'webhooks')).toEqual([
    ['warn', `we_1 at ${host} responds, but has refused every event since ${since}`],
  ])
  expect((await db.pool.query('select from server_secret')).rowCount).toBe(0)
  const { rows } = await db.pool.query<{ name: string }>(
    'delete from migrations where name = (select max(name) from migrations) returning name',
  )
  expect(of(await doctor(env), 'schema')).toEqual([
    ['warn', `the database lacks the migration ${rows[0]?.name}`],
  ])
  await db.pool.query("insert into migrations (name, checksum) values ('9999_later.sql', '')")
  expect(of(await doctor(env), 'schema')).toEqual([
    ['fail', 'the database has 9999_later.sql, which this release does not know'],
  ])
})

test('names the variables that it uses, or says that none are set', async () => {
  const env = { ...(await separateDatabase()), RPC_URL_BASE_TESTNET: chain.url, OTHER: 'x' }
  const names = 'DATABASE_URL, SERVER_SECRET, RPC_URL_BASE_TESTNET'
  expect(of(await doctor(env), 'configuration')).toContainEqual([
    'ok',
    `doctor checks a server with ${names} as set in this environment`,
  ])
  expect(of(await doctor({ HOME: '/' }), 'configuration')).toContainEqual([
    'fail',
    expect.stringMatching(/^this environment sets no variable of the server/),
  ])
})

test('creates no database', async () => {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'payment-intents-doctor-'))
  onTestFinished(() => rm(DATA_DIR, { recursive: true }))
  const findings = await doctor({ DATA_DIR, RPC_URL_BASE_TESTNET: chain.url })
  expect(of(findings, 'database')).toEqual([['warn', `${DATA_DIR} has no database yet`]])
  expect(await readdir(DATA_DIR)).toEqual([])
})

test.each([
  [401, { error: 'session_invalid' }, 'ok', 'the dashboard responds at'],
  [403, { error: 'forbidden' }, 'fail', 'receives another Host header than browsers send'],
  [502, {}, 'fail', 'responds 502, and is not the dashboard'],
])('a dashboard that responds %s %j', async (status, body, level, result) => {
  const server = await listenLocally(
    createServer((_request, response) => response.writeHead(status).end(JSON.stringify(body))),
  )
  onTestFinished(() => server.close())
  const dashboard = { url: server.url, port: 4243 }
  expect(await checkDashboardUrl({ dashboard })).toMatchObject([
    { level, summary: expect.stringContaining(result) },
  ])
})

test('says whether a mail server accepts the login, and sends nothing', async () => {
  const login = { user: 'user', password: rpcKey }
  const mailServer = await startMailServer({ login })
  const mailOf = async (SMTP_URL: string) => {
    const MAIL_FROM = 'payments@example.com'
    const RPC_URL_BASE_TESTNET = chain.url
    const findings = await doctor({ RPC_URL_BASE_TESTNET, SMTP_URL, MAIL_FROM })
    expect(JSON.stringify(findings)).not.toContain(rpcKey)
    return findings.filter(({ check }) => check === 'mail')
  }
  const where = `127.0.0.1:${mailServer.port}`
  expect(await mailOf(mailServer.url)).toEqual([
    { check: 'mail', level: 'ok', summary: `${where} accepts the login` },
  ])
  expect(await mailOf(`smtp://user:${rpcKey}x@${where}`)).toEqual([
    {
      ...{ check: 'mail', level: 'fail', todo: 'correct user and password in SMTP_URL' },
      summary: expect.stringMatching(/accepts no mail \(.*No such login/),
    },
  ])
  expect(await mailOf(`smtps://user:${rpcKey}@${where}`)).toMatchObject([
    { level: 'fail', todo: expect.stringMatching(/^(use smtps|correct host, port and scheme)/) },
  ])
  await mailServer.close()
  expect(mailServer.received).toEqual([])
  expect(await mailOf(mailServer.url)).toMatchObject([
    { level: 'fail', todo: expect.stringMatching(/^correct host, port and scheme in SMTP_URL/) },
  ])
})
