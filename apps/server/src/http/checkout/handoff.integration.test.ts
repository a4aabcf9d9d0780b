import { createHash } from 'node:crypto'
import { logoOf, type Picture } from '@payment-intents/core'
import { expect, test } from 'vitest'
import { allowReturnOrigin } from '../../../../../tests/support/allowReturnOrigin.ts'
import { drawLogo } from '../../../../../tests/support/pictures/drawLogo.ts'
import { anotherServer, serverOfFile } from '../../../test/support/database/fixtures.ts'
import {
  createIntent,
  createTestMerchant,
  type Json,
  post,
} from '../../../test/support/server/testServer.ts'
import { newToken } from '../../lib/crypto/token.ts'
import { updateSettings } from '../../store/merchants/settings.ts'
import { deleteHandoffs } from '../../store/payment-intents/handoffs.ts'

const server = serverOfFile()
const path = '/v1/payment_intents/handoff'
const sites = { 'sec-fetch-site': 'same-origin' }

async function intentOf(mode: 'testnet' | 'mainnet' = 'testnet', body = {}) {
  const merchant = await createTestMerchant(server.db, { mode })
  return { merchant, intent: await createIntent(server, merchant.apiKey, body) }
}

const handOff = (client_secret: string, more = {}) => post(server, path, { client_secret, ...more })

async function tokenFor(client_secret: string, more = {}): Promise<string> {
  const { url } = await (await handOff(client_secret, more)).json()
  const [, token = ''] = /^http:\/\/localhost:4242\/checkout\/h\/([\w-]{32})$/.exec(url) ?? []
  expect(token).not.toBe('')
  return token
}

const exchange = (body: object, headers: Record<string, string> = sites) =>
  post(server, '/checkout/session', body, headers)

/** The cookie as a browser sends it back. */
const cookieOf = (response: { headers: Headers }) =>
  (response.headers.get('set-cookie') ?? '').split(';')[0] ?? ''

const sessionOf = (id: string, cookie: string, headers: Record<string, string> = sites) =>
  post(server, `/checkout/${id}/session`, {}, { cookie, ...headers })

test('a token opens the hosted page once; its stored form cannot', async () => {
  const { intent } = await intentOf()
  const response = await handOff(intent.client_secret)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('cache-control')).toBe('no-store')
  const { url, expires_at } = await response.json()
  expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(4 * 60_000)
  expect(Date.parse(expires_at) - Date.now()).toBeLessThan(5.1 * 60_000)
  const token = url.slice(url.lastIndexOf('/') + 1)

  // Previews, prefetches and scanners send such requests.
  for (const method of ['GET', 'HEAD', 'GET']) {
    const previewed = await server.request(`/checkout/h/${token}`, { method })
    expect(previewed.status).toBe(200)
    expect(previewed.headers.get('set-cookie')).toBeNull()
  }
  const firstResponse = await exchange({ token })
  expect(await firstResponse.json()).toEqual({
    id: intent.id,
    client_secret: intent.client_secret,
    return_url: null,
    brand: null,
  })
  expect(firstResponse.headers.get('set-cookie')).toMatch(
    new RegExp(
      `^checkout_session=[\\w-]{32}; Path=/checkout/${intent.id}; Max-Age=\\d{4,6}; HttpOnly; SameSite=Lax$`,
    ),
  )
  expect(firstResponse.headers.get('access-control-allow-origin')).toBeNull()
  const secondResponse = await exchange({ token })
  expect([secondResponse.status, (await secondResponse.json()).error]).toEqual([
    404,
    'intent_not_found',
  ])
  expect(secondResponse.headers.get('set-cookie')).toBeNull()

  const { rows } = await server.db.pool.query(
    `select encode(hash, 'escape') as text, encode(hash, 'base64') as coded from checkout_sessions`,
  )
  expect(JSON.stringify(rows)).not.toContain(cookieOf(firstResponse).split('=')[1])
  expect(server.logs.join()).not.toContain(token)
})

test('one of several concurrent requests with a token gets the session', async () => {
  const { intent } = await intentOf()
  const token = await tokenFor(intent.client_secret)
  const responses = await Promise.all(Array.from({ length: 8 }, () => exchange({ token })))
  expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(404)])
})

test('an intent has five tokens, and newer tokens replace older tokens', async () => {
  const { intent } = await intentOf()
  const tokens: string[] = []
  for (let made = 0; made < 7; made += 1) tokens.push(await tokenFor(intent.client_secret))
  const statuses = []
  for (const token of tokens) statuses.push((await exchange({ token })).status)
  expect(statuses).toEqual([404, 404, 200, 200, 200, 200, 200])
})

test('a token ends after its time, or with its intent', async () => {
  const { intent, merchant } = await intentOf()
  const late = await tokenFor(intent.client_secret)
  await server.db.pool.query(
    `update handoff_tokens set expires_at = now() - interval '1 s' where intent_id = $1`,
    [intent.id],
  )
  expect((await exchange({ token: late })).status).toBe(404)

  const open = await tokenFor(intent.client_secret)
  const stored = await exchange({ client_secret: intent.client_secret })
  const authorization = `Bearer ${merchant.apiKey}`
  await post(server, `/v1/payment_intents/${intent.id}/cancel`, {}, { authorization })
  expect((await exchange({ token: open })).status).toBe(404)
  const refused = await handOff(intent.client_secret)
  expect([refused.status, await refused.json()]).toMatchObject([
    409,
    { error: 'conflict', reason: 'illegal_state' },
  ])
  // An open page shows the outcome of the payment, even after a reload.
  expect((await sessionOf(intent.id, cookieOf(stored))).status).toBe(200)
})

test('an intent of five minutes can be handed over if the database’s clock is ten minutes ahead of the chain’s', async () => {
  const now = () => Date.now() - 600_000
  const slow = await anotherServer({
    db: server.db,
    clock: () => ({ now: now(), earliest: now(), skewMs: 0, databaseSkewMs: -600_000 }),
  })
  const { apiKey } = await createTestMerchant(server.db)
  const intent = await createIntent(slow, apiKey, { expires_in_minutes: 5 })
  await server.db.pool.query(
    `insert into chain_cursors (chain_id, clock_ahead_ms) values ($1, -600000)
     on conflict (chain_id) do update set clock_ahead_ms = excluded.clock_ahead_ms`,
    [intent.chain_id],
  )
  expect(await tokenFor(intent.client_secret)).not.toBe('')
  await server.db.pool.query('update chain_cursors set clock_ahead_ms = null')
  expect((await handOff(intent.client_secret)).status).toBe(409)
})

test('invalid secrets and guessed tokens reveal nothing, and are limited by address', async () => {
  const { intent } = await intentOf()
  for (const secret of [`${intent.id}_secret_0`, 'pi_x', intent.client_secret.slice(0, -1)]) {
    const response = await handOff(secret)
    expect([response.status, (await response.json()).error]).toEqual([404, 'intent_not_found'])
    expect((await exchange({ client_secret: secret })).status).toBe(404)
  }
  expect((await exchange({ token: 'A'.repeat(32) })).status).toBe(404)
  expect((await exchange({ token: '' })).status).toBe(400)
  expect((await exchange({})).status).toBe(400)
})

test.each([8, 24, 80, 300])(
  'a sibling domain that sets %i cookies does not lock the payer out',
  async (count) => {
    const { intent } = await intentOf()
    const opened = await exchange({ client_secret: intent.client_secret })
    const sessionCookie = cookieOf(opened)
    const planted = Array.from({ length: count }, () => `checkout_session=${newToken()}`)
    for (const cookies of [
      [...planted, sessionCookie],
      [sessionCookie, ...planted],
      // An oversized cookie, and names with the same prefix, come first.
      [
        `checkout_session=${'x'.repeat(500)}`,
        'checkout_session',
        'checkout_session_=a',
        sessionCookie,
      ],
    ]) {
      const cookie = cookies.join('; ')
      expect((await sessionOf(intent.id, cookie)).status).toBe(200)
      const page = await server.request(`/checkout/${intent.id}`, { headers: { cookie } })
      expect(await page.text()).toContain('class="amount"><bdi>')
    }
    expect((await sessionOf(intent.id, planted.join('; '))).status).toBe(404)
  },
)

test('a session belongs to an intent, and to the holder of its cookie', async () => {
  const [mine, otherIntent] = [await intentOf(), await intentOf()]
  const cookie = cookieOf(await exchange({ client_secret: mine.intent.client_secret }))
  const response = await sessionOf(mine.intent.id, cookie)
  expect(await response.json()).toMatchObject({ client_secret: mine.intent.client_secret })
  expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin')
  expect((await sessionOf(otherIntent.intent.id, cookie)).status).toBe(404)
  expect((await sessionOf(mine.intent.id, 'checkout_session=guessed')).status).toBe(404)
  // A sibling domain can put another cookie of the same name before it.
  expect((await sessionOf(mine.intent.id, `checkout_session=x; ${cookie}`)).status).toBe(200)
  expect((await post(server, `/checkout/${mine.intent.id}/session`, {}, sites)).status).toBe(404)
})

test.each<[string, Record<string, string>]>([
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['a sibling domain', { 'sec-fetch-site': 'same-site' }],
  ['another origin, by an old browser', { origin: 'https://shop.example' }],
  ['a sandboxed frame', { origin: 'null' }],
])('%s gets no response, cookie or not, and uses no token up', async (_, headers) => {
  const { intent } = await intentOf()
  const cookie = cookieOf(await exchange({ client_secret: intent.client_secret }))
  expect((await sessionOf(intent.id, cookie, headers)).status).toBe(404)
  const token = await tokenFor(intent.client_secret)
  expect((await exchange({ token }, headers)).status).toBe(404)
  // A form cannot send JSON.
  const form = await exchange({ token }, { ...sites, 'content-type': 'text/plain' })
  expect(form.status).toBe(400)
  expect((await exchange({ token }, { origin: server.url })).status).toBe(200)
})

test('the page of a session shows merchant, amount and description before any script, as text', async () => {
  const metadata = { description: '<img src=x onerror=alert(1)> & "two mugs"\u202e' }
  const { intent } = await intentOf('testnet', { amount_units: 1_234_500_000, metadata })
  const page = (headers: Record<string, string>, query = '') =>
    server.request(`/checkout/${intent.id}${query}`, { headers })
  const blank = await (await page({})).text()
  expect(blank).toBe(await (await server.request('/checkout/')).text())

  const cookie = cookieOf(await exchange({ client_secret: intent.client_secret }))
  const response = await page({ cookie, 'accept-language': 'xx, de-DE;q=0.8' })
  expect(response.headers.get('cache-control')).toBe('private, no-cache')
  expect(response.headers.get('vary')).toContain('cookie')
  const html = await response.text()
  expect(html).toContain('<html lang="de-DE" dir="ltr">')
  expect(html).toContain('<h1>Test</h1>')
  expect(html).toContain('1.234,50 <small>USDC</small>')
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; &quot;two mugs&quot;</p>')
  expect(html).not.toContain(intent.client_secret)
  expect(await (await page({ cookie }, '?locale=ar&theme=dark')).text()).toContain(
    '<html lang="ar" dir="rtl" class="dark">',
  )
  expect(await (await page({ cookie: 'checkout_session=guessed' })).text()).toBe(blank)
})

test('a page has the brand of its merchant, by its session and before any script', async () => {
  const { intent, merchant } = await intentOf()
  const stranger = await intentOf()
  const logo = logoOf(drawLogo()) as Picture
  const path = `/v1/logos/${logo.hash}`
  await updateSettings(server.db, merchant.id, { accent: '#ffe600', logo })
  const brand = {
    accent: '#ffe600',
    logo: path,
    style: {
      '--payment-intents-accent': '#ffe600',
      '--payment-intents-on-accent': '#000000',
      '--accent-on-light': expect.stringMatching(/^#[0-9a-f]{6}$/),
      '--accent-on-dark': '#ffe600',
    },
  }
  const opened = await exchange({ client_secret: intent.client_secret })
  const cookie = cookieOf(opened)
  expect(await opened.json()).toMatchObject({ brand })
  expect(await (await sessionOf(intent.id, cookie)).json()).toMatchObject({ brand })
  const handed = await exchange({ token: await tokenFor(intent.client_secret) })
  expect(await handed.json()).toMatchObject({ brand })

  const page = await server.request(`/checkout/${intent.id}`, { headers: { cookie } })
  const html = await page.text()
  expect(html).toContain('<meta name="theme-color" content="#ffe600">')
  expect(html).toContain(`<img class="monogram" src="${path}" alt="">`)
  expect(html).toContain(':root{--payment-intents-accent:#ffe600;')
  const [, styles = ''] = /<style>(.*?)<\/style>/s.exec(html) ?? []
  const policy = page.headers.get('content-security-policy')
  const hash = createHash('sha256').update(styles).digest('base64')
  expect(policy).toContain(`style-src 'sha256-${hash}';`)
  expect(policy).toContain("img-src 'self' data:;")

  const other = await exchange({ client_secret: stranger.intent.client_secret })
  expect(await other.json()).toMatchObject({ brand: null })
  // The next response no longer has removed entries.
  await updateSettings(server.db, merchant.id, { accent: null, logo: null })
  expect(await (await sessionOf(intent.id, cookie)).json()).toMatchObject({ brand: null })
  expect((await server.request(path)).status).toBe(404)
})

test('a logo is served by its hash, as a picture and nothing else, and cached for good', async () => {
  const { merchant } = await intentOf()
  const content = drawLogo(96, 96)
  const logo = logoOf(content) as Picture
  const path = `/v1/logos/${logo.hash}`
  expect((await server.request(path)).status).toBe(404)
  await updateSettings(server.db, merchant.id, { logo })
  const response = await server.request(path, { headers: { 'accept-encoding': 'gzip' } })
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/png',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
    etag: `"${logo.hash}"`,
  })
  expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true)
  const pending = { 'if-none-match': `W/"${logo.hash}"` }
  const secondResponse = await server.request(path, { headers: pending })
  expect([secondResponse.status, await secondResponse.text()]).toEqual([304, ''])
  for (const name of ['x', 'A'.repeat(43), '..%2f..%2fv1', `${logo.hash}.png`]) {
    const none = await server.request(`/v1/logos/${name}`)
    expect([none.status, (await none.json()).error], name).toEqual([404, 'not_found'])
    expect(none.headers.get('cache-control')).toBeNull()
  }
})

test('a return_url needs a registered origin, and https unless it is this machine in test mode', async () => {
  const { intent, merchant } = await intentOf()
  const live = await intentOf('mainnet')
  for (const merchantId of [merchant.id, live.merchant.id]) {
    for (const origin of ['https://shop.example', 'http://localhost:3000']) {
      await allowReturnOrigin(server.db, merchantId, origin)
    }
  }
  const led = async ({ client_secret }: Json, return_url: string) =>
    (await (await exchange({ client_secret, return_url })).json()).return_url
  const valid = 'https://shop.example/thanks?order=1042#top'
  expect(await led(intent, valid)).toBe(valid)
  expect(await led(intent, 'http://localhost:3000/thanks')).toBe('http://localhost:3000/thanks')
  expect(await led(live.intent, valid)).toBe(valid)
  expect(await led(live.intent, 'http://localhost:3000/thanks')).toBeNull()
  for (const invalid of [
    'https://shop.example.evil.test/',
    'https://shop.example@evil.test/',
    'https://user:word@shop.example/',
    'https://shop.example:444/',
    'http://shop.example/',
    'https://sub.shop.example/',
    'javascript:alert(1)//https://shop.example',
    '//shop.example/',
    '/thanks',
    'data:text/html,https://shop.example',
    'https://shop.example/\u0000',
    'https://shop.example/\ud800',
  ]) {
    expect(await led(intent, invalid), invalid).toBeNull()
    const refused = await handOff(intent.client_secret, { return_url: invalid })
    expect([refused.status, (await refused.json()).issues?.[0].path], invalid).toEqual([
      400,
      'return_url',
    ])
  }
  const hint = 'return_url is ignored: register its origin with POST /v1/return_origins'
  expect(server.logs.join()).toContain(hint)
  // Only the origins of the intent's own merchant count.
  const stranger = await intentOf()
  expect(await led(stranger.intent, valid)).toBeNull()
  // A handoff keeps the return_url.
  const token = await tokenFor(intent.client_secret, { return_url: valid })
  expect(await (await exchange({ token })).json()).toMatchObject({ return_url: valid })
})

test('expired tokens and sessions are deleted, and no others', async () => {
  await server.db.pool.query('truncate handoff_tokens, checkout_sessions')
  const { intent } = await intentOf()
  await tokenFor(intent.client_secret)
  await exchange({ client_secret: intent.client_secret })
  const count = async () => {
    const { rows } = await server.db.pool.query(
      `select (select count(*) from handoff_tokens)::int as tokens,
        (select count(*) from checkout_sessions)::int as sessions`,
    )
    return rows[0]
  }
  const deleteAt = (before: number) => deleteHandoffs(server.db.pool, { before, limit: 500 })
  expect(await deleteAt(Date.now())).toBeNull()
  expect(await count()).toEqual({ tokens: 1, sessions: 1 })
  await deleteAt(Date.now() + 10 * 60_000)
  expect(await count()).toEqual({ tokens: 0, sessions: 1 })
  await deleteAt(Date.now() + 26 * 60 * 60_000)
  expect(await count()).toEqual({ tokens: 0, sessions: 0 })
})
