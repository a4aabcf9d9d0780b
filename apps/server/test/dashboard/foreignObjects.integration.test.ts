import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, expect, test } from 'vitest'
import { storeRefund } from '../support/database/storeRefund.ts'
import { storeTransfer } from '../support/database/storeTransfer.ts'
import { createTestDb, type TestDb } from '../support/database/testDb.ts'
import { createAuthenticator } from '../support/server/authenticator.ts'
import { type DashboardClient, dashboardUrl, signIn } from '../support/server/dashboardClient.ts'
import {
  createIntent,
  createTestMerchant,
  type Json,
  randomWallet,
  startTestServer,
  type TestServer,
} from '../support/server/testServer.ts'

// Covers each object of a merchant, at each route that names an object by its id, and in each list.

let db: TestDb
let server: TestServer
let merchant: { id: string; apiKey: string }
let owner: DashboardClient & { personId: string }
let requests: Request[]
/** Objects that both modes of a merchant share are not listed here. */
let idsOfMode: string[]
let idsOfAccount: string[]

type Request = { readonly route: string; readonly id: string; readonly body?: object }

beforeAll(async () => {
  db = await createTestDb()
  server = await startTestServer({ db, dashboard: { url: dashboardUrl, now: Date.now } })
  merchant = await createTestMerchant(db)
  owner = await signIn(server, merchant.id)
  requests = await createObjects()
  return async () => {
    await server.close()
    await db.close()
  }
})

async function createObjects(): Promise<Request[]> {
  const merchantId = merchant.id
  const create = async (path: string, body: object): Promise<Json> => owner.read('POST', path, body)
  const { id: intent } = await createIntent(server, merchant.apiKey)
  const [event] = (await owner.read('GET', '/v1/events')).data
  const transfer = await storeTransfer(db, { merchantId })
  const refund = await storeRefund(db, { merchantId, intentId: intent })
  const { id: link } = await create('/v1/payment_links', {
    ...{ amount_units: 1_000_000, description: 'Lesson' },
  })
  const { id: origin } = await create('/v1/return_origins', { origin: 'https://shop.example' })
  const { id: hook } = await create('/v1/webhook_endpoints', { url: 'http://localhost/hooks' })
  const { id: key } = await create('/account/api_keys', { mode: 'testnet' })
  const { person } = await create('/account/people', { name: 'Bob', role: 'support' })
  const { data: sessions } = await (await signIn(server, merchantId)).read(
    'GET',
    '/account/sessions',
  )
  const response = createAuthenticator(dashboardUrl).register(
    await owner.read('POST', '/account/passkeys/options'),
  )
  const { id: passkey } = await create('/account/passkeys', { label: 'Laptop', response })
  const [recipient, payer] = [randomWallet(), randomWallet()]
  await create('/account/allowed_recipients', { address: recipient })
  await create('/account/refund_wallets', { address: payer })
  const account = privateKeyToAccount(generatePrivateKey())
  const proven = { mode: 'testnet', address: account.address }
  const { message } = await create('/account/wallet_proofs/message', proven)
  const signature = await account.signMessage({ message })
  await create('/account/wallet_proofs', { address: account.address, message, signature })
  idsOfMode = [intent, event.id, transfer, refund, link, hook]
  idsOfAccount = [key, person.id, owner.personId, sessions[0].id, passkey, recipient, payer]

  const destination = randomWallet()
  const hash = `0x${'ab'.repeat(32)}`
  const authorization = {
    ...{ from: payer, to: destination, value: '10000', nonce: hash },
    ...{ validAfter: '0', validBefore: '4000000000' },
  }
  const of = (id: string, bodies: Record<string, object | undefined>): Request[] =>
    Object.entries(bodies).map(([route, body]) => ({ route, id, ...(body ? { body } : {}) }))
  const none = undefined
  return [
    ...of(intent, {
      'GET /v1/payment_intents/:id': none,
      'GET /v1/payment_intents/:id/receipt': none,
      'GET /v1/payment_intents/:id/timeline': none,
      'POST /v1/payment_intents/:id/accept': {},
      'POST /v1/payment_intents/:id/cancel': {},
    }),
    ...of(event.id, { 'GET /v1/events/:id': none, 'POST /v1/events/:id/redeliver': {} }),
    ...of(transfer, { 'POST /v1/transfers/:id/assign': { payment_intent: intent } }),
    ...of(refund, {
      'GET /v1/refunds/:id': none,
      'PATCH /v1/refunds/:id': { destination },
      'POST /v1/refunds/:id/confirm': { destination },
      'POST /v1/refunds/:id/authorize': { authorization, signature: `0x${'12'.repeat(65)}` },
      'POST /v1/refunds/:id/attach': { tx_hash: hash },
      'POST /v1/refunds/:id/cancel': {},
    }),
    ...of(link, {
      'GET /v1/payment_links/:id': none,
      'PATCH /v1/payment_links/:id': { active: false },
    }),
    ...of(hook, {
      'GET /v1/webhook_endpoints/:id': none,
      'GET /v1/webhook_endpoints/:id/deliveries': none,
      'GET /v1/webhook_endpoints/:id/attempts': none,
      'PATCH /v1/webhook_endpoints/:id': { description: 'mine' },
      'POST /v1/webhook_endpoints/:id/rotate_secret': {},
      'POST /v1/webhook_endpoints/:id/recover': { since: new Date().toISOString() },
      'POST /v1/webhook_endpoints/:id/test': {},
      'DELETE /v1/webhook_endpoints/:id': none,
    }),
    ...of(origin, { 'DELETE /v1/return_origins/:id': none }),
    ...of(key, {
      'PATCH /account/api_keys/:id': { label: 'mine' },
      'POST /account/api_keys/:id/roll': { expires_in_hours: 1 },
      'DELETE /account/api_keys/:id': none,
    }),
    ...of(person.id, {
      'PATCH /account/people/:id': { role: 'owner' },
      'POST /account/people/:id/invitation': {},
      'DELETE /account/people/:id': none,
    }),
    ...of(sessions[0].id, { 'DELETE /account/sessions/:id': none }),
    ...of(passkey, { 'DELETE /account/passkeys/:id': none }),
    ...of(recipient, { 'DELETE /account/allowed_recipients/:id': none }),
    ...of(payer, { 'DELETE /account/refund_wallets/:id': none }),
    ...of(account.address, { 'DELETE /account/wallet_proofs/:id': none }),
  ]
}

const isOfMode = ({ route }: Pick<Request, 'route'>) =>
  route.includes(' /v1/') && !route.includes('return_origins')

async function statusOf(client: DashboardClient, { route, id, body }: Request): Promise<number> {
  const [method = '', path = ''] = route.split(' ')
  return (await client.send(method, path.replace(':id', id), body)).status
}

const lists = () =>
  server
    .dashboardRoutes()
    .filter((route) => /^GET \/(v1|account)/.test(route) && !/:|\*/.test(route))
    .map((route) => route.slice('GET '.length))

async function namedInLists(
  client: DashboardClient,
  ids: readonly string[],
  paths = lists(),
): Promise<string[]> {
  const texts: string[] = []
  for (const path of paths) {
    const query = path === '/v1/export' ? '?type=payment_intents' : ''
    texts.push(await (await client.send('GET', path + query)).text())
  }
  return ids.filter((id) => texts.some((text) => text.includes(id)))
}

test('the requests cover every route that names an object', () => {
  const routes = server.dashboardRoutes().filter((route) => /\/(v1|account)\/.*:id/.test(route))
  expect(requests.map(({ route }) => route).sort()).toEqual(routes.sort())
})

test('an owner of another merchant finds no object, at no route and in no list', async () => {
  const stranger = await signIn(server, (await createTestMerchant(db)).id)
  // Check the lists first: later the stranger's audit log names the ids of the requests.
  expect(await namedInLists(stranger, [...idsOfMode, ...idsOfAccount])).toEqual([])
  for (const request of requests) expect(await statusOf(stranger, request), request.route).toBe(404)
})

test('the same owner in the other mode finds none of this mode', async () => {
  const elsewhere = await signIn(server, merchant.id, 'owner', { mode: 'mainnet' })
  for (const request of requests.filter(isOfMode)) {
    expect(await statusOf(elsewhere, request), request.route).toBe(404)
  }
  const ofMode = lists().filter((path) => path.startsWith('/v1'))
  expect(await namedInLists(elsewhere, idsOfMode, ofMode)).toEqual([])
})

test('their owner finds each object unchanged', async () => {
  const ids = [...idsOfMode, ...idsOfAccount]
  expect(await namedInLists(owner, ids)).toEqual(ids)
  for (const request of requests) {
    expect(await statusOf(owner, request), request.route).not.toBe(404)
  }
})
