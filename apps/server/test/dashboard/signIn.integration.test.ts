import { beforeEach, describe, expect, test } from 'vitest'
import { invite } from '../../src/account/peopleEndpoints.ts'
import { countWaiting, lock } from '../support/database/locks.ts'
import { createTestDb, type TestDb } from '../support/database/testDb.ts'
import { createAuthenticator } from '../support/server/authenticator.ts'
import {
  type DashboardClient,
  dashboardClient,
  dashboardUrl,
  signIn,
} from '../support/server/dashboardClient.ts'
import {
  createTestMerchant,
  startTestServer,
  type TestServer,
} from '../support/server/testServer.ts'

let db: TestDb
let server: TestServer
let now: number
let merchantId: string

const minutes = (count: number) => count * 60_000

beforeEach(async () => {
  db = await createTestDb()
  now = Date.now()
  server = await startTestServer({ db, dashboard: { url: dashboardUrl, now: () => now } })
  merchantId = (await createTestMerchant(db)).id
  return async () => {
    await server.close()
    await db.close()
  }
})

const context = () => ({ dashboardUrl, now: () => now })
const owner = (role: 'owner' | 'reader' = 'owner') =>
  signIn(server, merchantId, role, { now: () => now })

async function link(role: 'owner' | 'support' | 'reader' = 'owner') {
  const invited = await invite(db.pool, context(), { merchantId, name: 'Ada', email: null, role })
  return { ...invited, token: new URL(invited.url).hash.slice(1) }
}

async function addPasskey(
  client: DashboardClient,
  authenticator = createAuthenticator(dashboardUrl),
) {
  const options = await client.read('POST', '/account/passkeys/options')
  const response = authenticator.register(options)
  await client.read('POST', '/account/passkeys', { label: 'Laptop', response })
  return authenticator
}

const byPasskey = async (
  client: DashboardClient,
  authenticator: ReturnType<typeof createAuthenticator>,
) => {
  const options = await client.read('POST', '/account/sign_in/passkey_options')
  const response = authenticator.authenticate(options)
  return client.send('POST', '/account/sign_in/passkey', { response })
}

async function status(client: DashboardClient, path = '/account/session') {
  return (await client.send('GET', path)).status
}

describe('a sign-in link', () => {
  test('signs its person in, once', async () => {
    const { token, person } = await link('support')
    const client = dashboardClient(server)
    const response = await client.send('POST', '/account/sign_in/link', { token })
    expect(response.status).toBe(200)
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-payment_intents_session=[\w-]{32}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/,
      ),
    ])
    expect(await client.read('GET', '/account/session')).toMatchObject({
      person: { id: person.id, name: 'Ada', role: 'support' },
      merchant: { id: merchantId, name: 'Test' },
      mode: 'testnet',
    })
    const replay = dashboardClient(server)
    expect((await replay.send('POST', '/account/sign_in/link', { token })).status).toBe(400)
    expect(await status(replay)).toBe(401)
  })

  test('accepts one of fifty concurrent requests', async () => {
    const { token } = await link()
    const responses = await Promise.all(
      Array.from({ length: 50 }, () =>
        dashboardClient(server).send('POST', '/account/sign_in/link', { token }),
      ),
    )
    expect(responses.filter((response) => response.status === 200).length).toBe(1)
    expect(responses.filter((response) => response.status === 400).length).toBe(49)
  })

  test.each([
    [
      'after its time',
      async () => {
        now += minutes(7 * 24 * 60) + 1
      },
    ],
    [
      'once a newer link replaces it',
      async (personId: string) => {
        const { createSignInLink } = await import('../../src/account/signInLink.ts')
        await createSignInLink(db.pool, context(), personId, 600)
      },
    ],
    [
      'of a person who was removed',
      async (personId: string) => {
        await (await owner()).read('DELETE', `/account/people/${personId}`)
      },
    ],
    [
      'of a merchant that was closed',
      async () => void (await db.pool.query('update merchants set closed_at = now()')),
    ],
  ])('%s, signs nobody in', async (_, before) => {
    const { token, person } = await link('reader')
    await before(person.id)
    const response = await dashboardClient(server).send('POST', '/account/sign_in/link', { token })
    expect(response.status).toBe(400)
  })

  test('cannot be guessed, since an address is refused after sixty attempts in a minute', async () => {
    await server.close()
    server = await startTestServer({
      ...{ db, dashboard: { url: dashboardUrl, now: () => now } },
      keyLimit: { max: 60, windowMs: 60_000 },
    })
    const statuses: number[] = []
    for (let tries = 0; tries < 62; tries += 1) {
      const token = 'x'.repeat(32)
      const response = await dashboardClient(server).send('POST', '/account/sign_in/link', {
        token,
      })
      statuses.push(response.status)
    }
    expect(statuses.slice(0, 60)).toEqual(Array(60).fill(400))
    expect(statuses.slice(60)).toEqual([429, 429])
  })
})

describe('a session', () => {
  test('that somebody else put into the browser is replaced at sign-in', async () => {
    const attacker = await owner()
    const victim = dashboardClient(server)
    victim.cookie = attacker.cookie
    const { token } = await link()
    await victim.read('POST', '/account/sign_in/link', { token })
    expect(victim.cookie).not.toBe(attacker.cookie)
    expect(await status(attacker)).toBe(401)
    expect(await status(victim)).toBe(200)
  })

  test('ends after twelve hours, at sign-out, when it is revoked, and when its person is removed', async () => {
    const [signedOut, revoked, three, four] = await Promise.all([
      owner(),
      owner(),
      owner(),
      owner(),
    ])
    await signedOut.read('POST', '/account/session/sign_out')
    expect(signedOut.cookie).toBe('__Host-payment_intents_session=')
    const { data } = await four.read('GET', '/account/sessions')
    expect(data.length).toBe(3)
    const of = (personId: string) =>
      data.find(({ person }: { person: { id: string } }) => person.id === personId)
    await four.read('DELETE', `/account/sessions/${of(revoked.personId).id}`)
    expect(await status(revoked)).toBe(401)
    await four.read('DELETE', `/account/people/${three.personId}`)
    expect(await status(three)).toBe(401)
    now += minutes(12 * 60)
    expect(await status(four)).toBe(401)
  })

  test('of a demoted owner loses the permissions of owners at once', async () => {
    const [firstOwner, secondOwner] = [await owner(), await owner()]
    const demote = (role: string) =>
      firstOwner.read('PATCH', `/account/people/${secondOwner.personId}`, { role })
    // The role is checked before the body is read, so 400 means that the role suffices.
    const statuses = async () => {
      const settings = await secondOwner.send('PATCH', '/v1/settings', { nonsense: true })
      const links = await secondOwner.send('POST', '/v1/payment_links', { nonsense: true })
      return [await status(secondOwner, '/account/people'), settings.status, links.status]
    }
    expect(await statuses()).toEqual([200, 400, 400])
    await demote('support')
    expect(await statuses()).toEqual([403, 403, 400])
    await demote('reader')
    expect(await statuses()).toEqual([403, 403, 403])
    expect(await status(secondOwner)).toBe(200)
  })

  test.each([
    ['a merchant that is closed', 'update merchants set closed_at = now()'],
    ['a person who is removed while it begins', 'update people set removed_at = now()'],
  ])('of %s ends', async (_, sql) => {
    const client = await owner()
    await db.pool.query(sql)
    expect(await status(client)).toBe(401)
  })
})

describe('access to the account', () => {
  test('needs a proof of the last ten minutes, which a passkey renews', async () => {
    const client = await owner()
    const authenticator = await addPasskey(client)
    now += minutes(10)
    const create = () => client.send('POST', '/account/api_keys', { mode: 'testnet' })
    const refused = await create()
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({ error: 'proof_required' })
    const options = await client.read('POST', '/account/session/passkey_options')
    await client.read('POST', '/account/session/proof', {
      response: authenticator.authenticate(options),
    })
    expect((await create()).status).toBe(200)
  })

  test('is not proved by somebody else’s passkey, of this merchant or another', async () => {
    const client = await owner()
    const colleague = await addPasskey(await owner())
    const otherMerchant = await createTestMerchant(db)
    const stranger = await addPasskey(
      await signIn(server, otherMerchant.id, 'owner', { now: () => now }),
    )
    for (const authenticator of [colleague, stranger]) {
      const options = await client.read('POST', '/account/session/passkey_options')
      const response = authenticator.authenticate(options)
      const refused = await client.send('POST', '/account/session/proof', { response })
      expect(refused.status).toBe(400)
    }
  })

  test('always has an owner, so that the service refuses the second of two who remove each other at once', async () => {
    const [firstOwner, secondOwner] = [await owner(), await owner()]
    // Both requests begin before either writes.
    const release = await lock(db, 'select from people for no key update')
    const responses = Promise.all([
      firstOwner.send('DELETE', `/account/people/${secondOwner.personId}`),
      secondOwner.send('PATCH', `/account/people/${firstOwner.personId}`, { role: 'reader' }),
    ])
    await expect.poll(() => countWaiting(db)).toBe(2)
    await release()
    expect((await responses).map((response) => response.status).sort()).toEqual([200, 409])
    const { rows } = await db.pool.query(
      `select count(*)::int from people where role = 'owner' and removed_at is null`,
    )
    expect(rows).toEqual([{ count: 1 }])
  })

  test('an owner creates no link for somebody who has signed in before', async () => {
    const [firstOwner, secondOwner] = [await owner(), await owner()]
    const repeated = await firstOwner.send(
      'POST',
      `/account/people/${secondOwner.personId}/invitation`,
    )
    expect(repeated.status).toBe(409)
    const invited = await firstOwner.read('POST', '/account/people', {
      name: 'Bob',
      role: 'support',
    })
    const renewed = await firstOwner.read('POST', `/account/people/${invited.person.id}/invitation`)
    const use = (link: string) =>
      dashboardClient(server).send('POST', '/account/sign_in/link', {
        token: new URL(link).hash.slice(1),
      })
    expect((await use(invited.invitation_url)).status).toBe(400)
    expect((await use(renewed.invitation_url)).status).toBe(200)
    expect((await use(renewed.invitation_url)).status).toBe(400)
  })
})

describe('a passkey', () => {
  test('signs its person in', async () => {
    const client = await owner()
    const authenticator = await addPasskey(client)
    const otherClient = dashboardClient(server)
    expect((await byPasskey(otherClient, authenticator)).status).toBe(200)
    expect(await otherClient.read('GET', '/account/session')).toMatchObject({
      person: { id: client.personId },
      passkeys: 1,
    })
  })

  // The counter of many authenticators stays 0.
  test.each([
    ['counts', {}],
    ['does not count', { isUncounted: true }],
  ])('that %s, and whose signature is sent again, signs nobody in', async (_, lies) => {
    const authenticator = await addPasskey(await owner(), createAuthenticator(dashboardUrl, lies))
    const client = dashboardClient(server)
    const options = await client.read('POST', '/account/sign_in/passkey_options')
    const response = authenticator.authenticate(options)
    const send = () =>
      dashboardClient(server).send('POST', '/account/sign_in/passkey', { response })
    expect((await send()).status).toBe(200)
    expect((await send()).status).toBe(400)
  })

  test.each([
    [
      'signs a challenge of nobody',
      async () => ({ challenge: Buffer.alloc(32).toString('base64url') }),
    ],
    [
      'signs a challenge that has expired',
      async (client: DashboardClient) => {
        const options = await client.read('POST', '/account/sign_in/passkey_options')
        now += minutes(5)
        return options
      },
    ],
    [
      'signs the challenge of a session',
      async () => (await owner()).read('POST', '/account/session/passkey_options'),
    ],
  ])('that %s signs nobody in', async (_, challenge) => {
    const authenticator = await addPasskey(await owner())
    const client = dashboardClient(server)
    const response = authenticator.authenticate(await challenge(client))
    expect((await client.send('POST', '/account/sign_in/passkey', { response })).status).toBe(400)
  })

  test('that was deleted or never registered, or whose counter goes back, signs nobody in', async () => {
    const client = await owner()
    const deleted = await addPasskey(client)
    const [{ id }] = (await client.read('GET', '/account/passkeys')).data
    await client.read('DELETE', `/account/passkeys/${id}`)
    const copied = await addPasskey(client)
    expect((await byPasskey(dashboardClient(server), copied)).status).toBe(200)
    copied.counter = 1
    for (const authenticator of [deleted, createAuthenticator(dashboardUrl), copied]) {
      expect((await byPasskey(dashboardClient(server), authenticator)).status).toBe(400)
    }
  })

  test.each([
    ['on another page', { origin: 'http://localhost:4242' }],
    ['without verifying the person', { isUnverified: true }],
  ])('%s is not registered', async (_, lies) => {
    const client = await owner()
    const authenticator = createAuthenticator(dashboardUrl, lies)
    const options = await client.read('POST', '/account/passkeys/options')
    const response = authenticator.register(options)
    const refused = await client.send('POST', '/account/passkeys', { label: 'Laptop', response })
    expect(refused.status).toBe(400)
    expect((await client.read('GET', '/account/passkeys')).data).toEqual([])
  })

  test('of somebody else is not deleted', async () => {
    const firstOwner = await owner()
    await addPasskey(firstOwner)
    const [{ id }] = (await firstOwner.read('GET', '/account/passkeys')).data
    expect((await (await owner()).send('DELETE', `/account/passkeys/${id}`)).status).toBe(404)
  })
})

describe('API keys', () => {
  test('of the read-only scope read, and change nothing', async () => {
    const client = await owner()
    const { key } = await client.read('POST', '/account/api_keys', {
      ...{ mode: 'testnet', label: 'reports', scope: 'read_only' },
    })
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    expect((await server.request('/v1/payment_intents', { headers })).status).toBe(200)
    const refused = await server.request('/v1/payment_intents', {
      ...{ method: 'POST', headers, body: JSON.stringify({ amount_units: 1_000_000 }) },
    })
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({ error: 'forbidden' })
  })

  test('are rolled, and the old key stays valid for the named time, but no longer', async () => {
    const client = await owner()
    const works = async (key: string) =>
      (await server.request('/v1/events', { headers: { authorization: `Bearer ${key}` } })).status
    const create = () =>
      client.read('POST', '/account/api_keys', { mode: 'testnet', label: 'shop' })
    const [first, second] = [await create(), await create()]
    const roll = (id: string, expires_in_hours?: number) =>
      client.read('POST', `/account/api_keys/${id}/roll`, { expires_in_hours })
    const rolled = await roll(first.id)
    expect(rolled).toMatchObject({ label: 'shop', scope: 'full', mode: 'testnet' })
    await roll(second.id, 1)
    expect(await works(rolled.key)).toBe(200)
    expect(await works(second.key)).toBe(200)
    await expect.poll(() => works(first.key)).toBe(401)
    await db.pool.query(`update api_keys set revoked_at = now() - interval '1 s' where id = $1`, [
      second.id,
    ])
    await expect.poll(() => works(second.key)).toBe(401)
    await client.read('DELETE', `/account/api_keys/${rolled.id}`)
    await expect.poll(() => works(rolled.key)).toBe(401)
  })

  test('of another merchant are not found', async () => {
    const otherMerchant = await createTestMerchant(db)
    const stranger = await signIn(server, otherMerchant.id, 'owner', { now: () => now })
    const { id } = await (await owner()).read('POST', '/account/api_keys', { mode: 'testnet' })
    for (const [method, path, body] of [
      ['DELETE', `/account/api_keys/${id}`],
      ['POST', `/account/api_keys/${id}/roll`, {}],
      ['PATCH', `/account/api_keys/${id}`, { label: 'mine' }],
    ] as const) {
      expect((await stranger.send(method, path, body)).status, path).toBe(404)
    }
  })
})

test('the audit log names each actor and action, without a secret, and refused actions', async () => {
  const client = await owner()
  // Entries within a millisecond have no order.
  now += 1
  const { id, key } = await client.read('POST', '/account/api_keys', {
    mode: 'testnet',
    label: 'shop',
  })
  const link = {
    amount_units: 5_000_000,
    description: 'Guitar lesson',
    metadata: { note: 'private' },
  }
  now += 1
  const { id: byPerson } = await client.read('POST', '/v1/payment_links', link)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const byKey = await (
    await server.request('/v1/payment_links', {
      method: 'POST',
      headers,
      body: JSON.stringify(link),
    })
  ).json()
  now += 1
  const refund = { payment_intent: 'pi_none', amount_units: 10_000 }
  const headersOfKey = { 'idempotency-key': 'refund-1' }
  const refused = await client.send('POST', '/v1/refunds', refund, headersOfKey)
  expect(refused.status).toBe(404)
  const { data, has_more } = await client.read('GET', '/account/audit_log')
  expect(has_more).toBe(false)
  const person = { id: client.personId, name: 'owner' }
  expect(data).toMatchObject([
    { action: 'createRefund', person, outcome: 'not_found', details: { amount_units: 10_000 } },
    {
      ...{ action: 'createPaymentLink', api_key: { id, label: 'shop' }, person: null },
      ...{ mode: 'testnet', outcome: 'done' },
    },
    {
      ...{ action: 'createPaymentLink', person, api_key: null, outcome: 'done' },
      details: { amount_units: 5_000_000, description: '…', metadata: '…' },
    },
    { action: 'createApiKey', person, subject: id, outcome: 'done', details: { label: 'shop' } },
    { action: 'signInByLink', person, outcome: 'done' },
  ])
  const text = JSON.stringify(data)
  for (const secret of [key, 'private', client.cookie.split('=')[1]]) {
    expect(text).not.toContain(secret)
  }
  expect([byPerson, byKey.id].every(Boolean)).toBe(true)
})
