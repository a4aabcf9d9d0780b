import { beforeAll, describe, expect, test } from 'vitest'
import { createTestDb, type TestDb } from '../support/database/testDb.ts'
import {
  type DashboardClient,
  dashboardUrl,
  requestDashboard,
  signIn,
} from '../support/server/dashboardClient.ts'
import {
  createTestKey,
  createTestMerchant,
  startTestServer,
  type TestServer,
} from '../support/server/testServer.ts'

// This states the least role of each route independently of the tables of endpoints.

/** The least caller that an endpoint accepts. `proved` is an owner with a recent proof. */
type Least = 'anybody' | 'reader' | 'reader proved' | 'support' | 'owner' | 'proved'

const ofMerchants: Record<string, Least> = {
  'GET /v1/payment_intents': 'reader',
  'POST /v1/payment_intents': 'support',
  'GET /v1/payment_intents/:id': 'reader',
  'GET /v1/payment_intents/:id/receipt': 'reader',
  'GET /v1/payment_intents/:id/timeline': 'reader',
  'POST /v1/payment_intents/:id/cancel': 'support',
  'POST /v1/payment_intents/:id/accept': 'support',
  'GET /v1/events': 'reader',
  'GET /v1/events/:id': 'reader',
  'POST /v1/events/:id/redeliver': 'support',
  'GET /v1/export': 'reader',
  'GET /v1/transfers': 'reader',
  'POST /v1/transfers/:id/assign': 'support',
  'GET /v1/attention': 'reader',
  'GET /v1/refunds': 'reader',
  'POST /v1/refunds': 'owner',
  'GET /v1/refunds/:id': 'reader',
  'PATCH /v1/refunds/:id': 'owner',
  'POST /v1/refunds/:id/confirm': 'owner',
  'POST /v1/refunds/:id/authorize': 'owner',
  'POST /v1/refunds/:id/attach': 'owner',
  'POST /v1/refunds/:id/cancel': 'owner',
  'GET /v1/summary': 'reader',
  'GET /v1/settings': 'reader',
  'PATCH /v1/settings': 'owner',
  'GET /v1/return_origins': 'reader',
  'POST /v1/return_origins': 'owner',
  'DELETE /v1/return_origins/:id': 'owner',
  'GET /v1/payment_links': 'reader',
  'POST /v1/payment_links': 'support',
  'GET /v1/payment_links/:id': 'reader',
  'PATCH /v1/payment_links/:id': 'support',
  'GET /v1/webhook_endpoints': 'reader',
  'POST /v1/webhook_endpoints': 'owner',
  'GET /v1/webhook_endpoints/:id': 'reader',
  'PATCH /v1/webhook_endpoints/:id': 'owner',
  'DELETE /v1/webhook_endpoints/:id': 'owner',
  'POST /v1/webhook_endpoints/:id/rotate_secret': 'owner',
  'POST /v1/webhook_endpoints/:id/recover': 'support',
  'GET /v1/webhook_endpoints/:id/deliveries': 'reader',
  'GET /v1/webhook_endpoints/:id/attempts': 'reader',
  'POST /v1/webhook_endpoints/:id/test': 'support',
}

const ofAccount: Record<string, Least> = {
  'POST /account/sign_in/link': 'anybody',
  'POST /account/sign_in/passkey_options': 'anybody',
  'POST /account/sign_in/passkey': 'anybody',
  'GET /account/session': 'reader',
  'POST /account/session/passkey_options': 'reader',
  'POST /account/session/proof': 'reader',
  'POST /account/session/sign_out': 'reader',
  'GET /account/sessions': 'reader',
  'DELETE /account/sessions/:id': 'reader',
  'GET /account/passkeys': 'reader',
  'POST /account/passkeys/options': 'reader proved',
  'POST /account/passkeys': 'reader proved',
  'DELETE /account/passkeys/:id': 'reader proved',
  'GET /account/people': 'owner',
  'POST /account/people': 'proved',
  'POST /account/people/:id/invitation': 'proved',
  'PATCH /account/people/:id': 'proved',
  'DELETE /account/people/:id': 'proved',
  'GET /account/api_keys': 'owner',
  'POST /account/api_keys': 'proved',
  'PATCH /account/api_keys/:id': 'proved',
  'POST /account/api_keys/:id/roll': 'proved',
  'DELETE /account/api_keys/:id': 'proved',
  'GET /account/wallets': 'reader',
  'POST /account/wallets': 'proved',
  'POST /account/allowed_recipients': 'proved',
  'DELETE /account/allowed_recipients/:id': 'proved',
  'POST /account/refund_wallets': 'proved',
  'DELETE /account/refund_wallets/:id': 'proved',
  'POST /account/wallet_proofs/message': 'proved',
  'POST /account/wallet_proofs': 'proved',
  'DELETE /account/wallet_proofs/:id': 'proved',
  'GET /account/audit_log': 'owner',
}

const routes = Object.entries({ ...ofMerchants, ...ofAccount }).map(([route, least]) => {
  const [method = '', path = ''] = route.split(' ')
  return { route, method, path: path.replace(':id', 'none_1'), least }
})

let db: TestDb
let server: TestServer
let now: number
let merchant: { id: string; apiKey: string }
let readOnlyKey: string

beforeAll(async () => {
  db = await createTestDb()
  now = Date.now()
  server = await startTestServer({ db, dashboard: { url: dashboardUrl, now: () => now } })
  merchant = await createTestMerchant(db)
  readOnlyKey = await createTestKey(db, merchant.id, 'testnet', 'read_only')
  return async () => {
    await server.close()
    await db.close()
  }
})

const person = (role: 'owner' | 'support' | 'reader') =>
  signIn(server, merchant.id, role, { now: () => now })

/** A body that no endpoint accepts, so that a permitted caller gets 400. */
const nonsense = { nonsense: true }

async function refusal(response: { status: number; json(): Promise<{ error: string }> }) {
  if (response.status !== 401 && response.status !== 403) return null
  return (await response.json()).error
}

const send = (client: DashboardClient, { method, path }: { method: string; path: string }) =>
  client.send(method, path, method === 'GET' ? undefined : nonsense)

/**
 * The page and the preview of the checkout, which show no data and exist only once they are built, and public
 * pictures.
 */
const forEverybody = new Set([
  ...['GET *', 'GET /preview.html', 'GET /preview/checkout.js'],
  ...['GET /v1/logos/:hash', 'GET /v1/pictures/:hash'],
])

test('the table names every route of the dashboard', () => {
  const memberRoutes = server.dashboardRoutes().filter((route) => !forEverybody.has(route))
  expect(routes.map(({ route }) => route).sort()).toEqual(memberRoutes.sort())
})

describe('a person who is signed in', () => {
  const rank = { anybody: 0, reader: 1, 'reader proved': 1, support: 2, owner: 3, proved: 3 }

  test.each(['reader', 'support', 'owner'] as const)('as %s', async (role) => {
    const refused: string[] = []
    for (const route of routes) {
      const code = await refusal(await send(await person(role), route))
      expect([null, 'forbidden'], route.route).toContain(code)
      if (code) refused.push(route.route)
    }
    expect(refused).toEqual(
      routes.filter(({ least }) => rank[least] > rank[role]).map(({ route }) => route),
    )
  })

  test('as an owner whose proof is ten minutes old', async () => {
    const client = await person('owner')
    now += 10 * 60_000
    const refused: string[] = []
    for (const route of routes.filter(({ path }) => !path.endsWith('sign_out'))) {
      const code = await refusal(await send(client, route))
      expect([null, 'proof_required'], route.route).toContain(code)
      if (code) refused.push(route.route)
    }
    expect(refused).toEqual(
      routes.filter(({ least }) => least.endsWith('proved')).map(({ route }) => route),
    )
  })
})

describe('a request that only the sign-in accepts', () => {
  const guarded = routes.filter(({ least }) => least !== 'anybody')

  test.each<[string, string, (client: DashboardClient) => Promise<void> | void]>([
    [
      'without a session',
      'session_invalid',
      (client) => {
        client.cookie = ''
      },
    ],
    [
      'with a session that was never given out',
      'session_invalid',
      (client) => {
        client.cookie = `__Host-payment_intents_session=${'x'.repeat(32)}`
      },
    ],
    [
      'of a session that was revoked',
      'session_invalid',
      async (client) => {
        const { cookie } = client
        await client.read('POST', '/account/session/sign_out')
        client.cookie = cookie
      },
    ],
    [
      'of a session that has expired',
      'session_invalid',
      () => {
        now += 12 * 60 * 60_000
      },
    ],
  ])('%s', async (_, expected, spoil) => {
    const client = await person('owner')
    await spoil(client)
    for (const route of guarded) {
      expect(await refusal(await send(client, route)), route.route).toBe(expected)
    }
  })
})

describe('a request of another page is refused everywhere', () => {
  const checkout = 'https://pay.desk.example'

  test.each<[string, Record<string, string | null>]>([
    [
      'from the checkout’s origin, on the same site',
      { origin: checkout, 'sec-fetch-site': 'same-site' },
    ],
    ['from another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['by a link of another site', { origin: null, 'sec-fetch-site': 'cross-site' }],
    ['by an address that is typed', { origin: null, 'sec-fetch-site': 'none' }],
    ['from a sandboxed frame', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['of a form of an old browser', { origin: checkout, 'sec-fetch-site': null }],
  ])('%s', async (_, headers) => {
    const client = await person('owner')
    for (const { method, path, route } of routes) {
      const body = method === 'GET' ? undefined : nonsense
      const response = await client.send(method, path, body, headers)
      expect([response.status, await refusal(response)], route).toEqual([403, 'forbidden'])
      expect(response.headers.get('access-control-allow-origin'), route).toBeNull()
    }
  })

  test('without the header that only pages of the same origin can add', async () => {
    const client = await person('owner')
    for (const { method, path, route } of routes) {
      const body = method === 'GET' ? undefined : nonsense
      const response = await client.send(method, path, body, { 'payment-intents-mode': null })
      expect(response.status, route).toBe(400)
    }
  })

  test('and no preflight gets a response', async () => {
    for (const { method, path, route } of routes) {
      const headers = {
        ...{ origin: checkout, 'access-control-request-method': method },
        'access-control-request-headers': 'payment-intents-mode',
      }
      const response = await requestDashboard(server, path, { method: 'OPTIONS', headers })
      expect(response.status, route).toBe(405)
      expect(response.headers.get('access-control-allow-origin'), route).toBeNull()
    }
  })

  test('to another name of this host', async () => {
    const client = await person('owner')
    const response = await client.send('GET', '/account/session', undefined, {
      host: 'evil.example',
    })
    expect(response.status).toBe(403)
  })
})

describe('an API key', () => {
  const keys = { full: () => merchant.apiKey, 'read-only': () => readOnlyKey }

  test.each(['full', 'read-only'] as const)(
    'that is %s reaches nothing of the dashboard’s origin',
    async (kind) => {
      for (const { method, path, route, least } of routes) {
        if (least === 'anybody') continue
        const headers = {
          authorization: `Bearer ${keys[kind]()}`,
          'payment-intents-mode': 'testnet',
          origin: dashboardUrl,
        }
        const response = await requestDashboard(server, path, { method, headers })
        expect(await refusal(response), route).toBe('session_invalid')
      }
    },
  )

  test('reaches nothing of the account at the service', async () => {
    for (const { method, path, route } of routes.filter(({ path }) =>
      path.startsWith('/account'),
    )) {
      const headers = { authorization: `Bearer ${merchant.apiKey}` }
      expect((await server.request(path, { method, headers })).status, route).toBe(404)
    }
  })

  test.each([
    ['full', 'does everything', null],
    ['read-only', 'changes nothing', 'forbidden'],
  ] as const)('that is %s %s at the service', async (kind, _, expected) => {
    for (const { method, path, route } of routes.filter(({ path }) => path.startsWith('/v1'))) {
      const headers = { authorization: `Bearer ${keys[kind]()}` }
      const code = await refusal(await server.request(path, { method, headers }))
      expect(code, route).toBe(method === 'GET' ? null : expected)
    }
  })
})

test('a session is ignored at the service', async () => {
  const { cookie } = await person('owner')
  const headers = { cookie, 'payment-intents-mode': 'testnet', origin: dashboardUrl }
  for (const { method, path, route } of routes.filter(({ path }) => path.startsWith('/v1'))) {
    const code = await refusal(await server.request(path, { method, headers }))
    expect(code, route).toBe('api_key_missing')
  }
})
