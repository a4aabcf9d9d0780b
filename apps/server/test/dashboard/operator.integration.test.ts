import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { createTestDb, type TestDb } from '../support/database/testDb.ts'
import { dashboardClient, dashboardUrl } from '../support/server/dashboardClient.ts'
import { runHere } from '../support/server/runHere.ts'
import {
  createTestMerchant,
  startTestServer,
  type TestServer,
} from '../support/server/testServer.ts'

let db: TestDb
let server: TestServer
let env: Record<string, string>

beforeAll(async () => {
  db = await createTestDb()
  server = await startTestServer({ db, dashboard: { url: dashboardUrl, now: Date.now } })
  const SERVER_SECRET = randomBytes(32).toString('hex')
  env = { DATABASE_URL: db.url, SERVER_SECRET, DASHBOARD_URL: dashboardUrl }
  return async () => {
    await server.close()
    await db.close()
  }
})

const dashboard = (...args: string[]) => runHere(['dashboard', ...args], env)

async function use(link: string) {
  const client = dashboardClient(server)
  const token = new URL(link.trim()).hash.slice(1)
  await client.read('POST', '/account/sign_in/link', { token })
  return client
}

test('the operator signs the first owner in, and the same owner again', async () => {
  const refused = await dashboard()
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('merchant create') })
  const { id } = await createTestMerchant(db)
  const { code, output } = await dashboard()
  expect(code).toBe(0)
  expect(output).toMatch(/^https:\/\/desk\.example\/sign-in#[\w-]{32}$/m)
  const [link = ''] = /^https.*$/m.exec(output) ?? []
  const first = await use(link)
  const { data } = await first.read('GET', '/account/audit_log')
  const entry = { action: 'dashboard', person: null, api_key: null, subject: id, outcome: 'done' }
  expect(data).toMatchObject([{ action: 'signInByLink' }, entry])
  expect(Date.parse(data[1].created_at)).toBeLessThanOrEqual(Date.parse(data[0].created_at))
  const { person } = await first.read('GET', '/account/session')
  expect(person).toMatchObject({ name: 'Owner', role: 'owner' })
  const secondOutput = await dashboard(id)
  const [secondLink = ''] = /^https.*$/m.exec(secondOutput.output) ?? []
  expect((await (await use(secondLink)).read('GET', '/account/session')).person.id).toBe(person.id)

  const invited = await first.read('POST', '/account/people', { name: 'Ada', role: 'support' })
  const support = await dashboard(id, '--person', invited.person.id)
  const [toAda = ''] = /^https.*$/m.exec(support.output) ?? []
  expect(await (await use(toAda)).read('GET', '/account/session')).toMatchObject({
    person: { name: 'Ada', role: 'support' },
  })
  expect(await dashboard(id, '--person', 'per_none')).toMatchObject({
    ...{ code: 1, output: expect.stringContaining('has no person per_none') },
  })
})

test('the operator’s changes are in the log of the merchant', async () => {
  const { id } = await createTestMerchant(db)
  await runHere(['key', 'create', id, '--mode', 'testnet', '--label', 'till'], env)
  await runHere(['key', 'list', id], env)
  const [link = ''] = /^https.*$/m.exec((await dashboard(id)).output) ?? []
  const { data } = await (await use(link)).read('GET', '/account/audit_log')
  expect(data).toMatchObject([
    { action: 'signInByLink' },
    { action: 'dashboard', person: null, api_key: null, outcome: 'done' },
    { action: 'key create', details: { mode: 'testnet', label: 'till' }, outcome: 'done' },
  ])
})

test('without DASHBOARD_URL there is no sign-in', async () => {
  const { DASHBOARD_URL: _, ...others } = env
  const { id } = await createTestMerchant(db)
  expect(await runHere(['dashboard', id], others)).toMatchObject({
    ...{ code: 1, output: expect.stringContaining('DASHBOARD_URL is not set') },
  })
})
