import { limits } from '@payment-intents/contract'
import type { Json } from '@payment-intents/server/test/support/server/testServer.ts'
import { expect } from 'vitest'
import { asPng, dataUrls, pictures } from '../../support/pictures/testPictures.ts'
import { intents } from './accounts.ts'
import { authorizeIntent } from './authorizeIntent.ts'
import type { Observed } from './record.ts'
import { returnOrigin } from './sides.ts'

const links = '/v1/payment_links'
const most = Number.MAX_SAFE_INTEGER
const term = { amount_units: 40_000_000, description: 'Term 2' }
const open = { ...term, amount_units: null }

const creationsRefused: unknown[] = [
  ...[{}, { description: 'No amount' }, { amount_units: 1 }, { ...term, amount_units: 0 }],
  ...[
    { ...term, amount_units: 1.5 },
    { ...term, amount_units: most + 1 },
  ],
  ...[
    { ...term, amount_units: '1' },
    { ...term, extra: 1 },
    { ...term, active: false },
  ],
  ...[
    { ...term, min_units: 1 },
    { ...term, max_units: 1 },
    { ...open, min_units: 0 },
  ],
  { ...open, min_units: 3, max_units: 2 },
  ...[
    { ...term, description: '' },
    { ...term, description: 'x'.repeat(501) },
  ],
  ...[
    { ...term, description: 'a\u0000b' },
    { ...term, description: '\ud800' },
  ],
  ...[
    { ...term, metadata: [] },
    { ...term, metadata: { long: 'x'.repeat(16 * 1024) } },
  ],
  ...[
    { ...term, chains: [] },
    { ...term, chains: ['solana'] },
    { ...term, chains: 'base' },
  ],
  ...[
    { ...term, chains: ['base', 'base'] },
    { ...term, chains: ['base', 'polygon'] },
  ],
  ...[
    { ...term, max_payments: 0 },
    { ...term, max_payments: 1_000_001 },
  ],
  ...[
    { ...term, expires_at: '2026-01-31' },
    { ...term, expires_at: '2020-01-01T00:00:00Z' },
  ],
  { ...term, expires_at: '9999-12-31T23:59:59-14:00' },
  ...[
    { ...term, return_url: 'https://elsewhere.example/' },
    { ...term, return_url: 'thanks' },
  ],
  ...[
    { ...term, return_url: `http${returnOrigin.slice(5)}/` },
    { ...term, return_url: '' },
  ],
  ...['no JSON', '[]', '{"amount_units":1,"amount_units":2,"description":"Twice"}'],
]

const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>'
const png = Buffer.from(pictures.png, 'base64')
const largest = asPng(Buffer.concat([png], limits.pictureBytes))

/** The PNG with another width and height in its header. */
function ofSize(width: number, height: number): string {
  const resized = Buffer.from(png)
  resized.writeUInt32BE(width, 16)
  resized.writeUInt32BE(height, 20)
  return asPng(resized)
}

const picturesRefused: unknown[] = [
  ...['', 1, [], 'https://shop.example/lesson.png', 'data:text/html;base64,PGI+'],
  ...[asPng(svg), asPng(svg).replace('png', 'svg+xml'), asPng('<script>alert(1)</script>')],
  ...[asPng(png.subarray(0, -1)), dataUrls.png.slice(0, -1), `${dataUrls.webp}=`],
  ...[`${dataUrls.png} `, dataUrls.jpeg.replaceAll('/', '_'), 'data:image/png;base64,'],
  ...[ofSize(1, 1), ofSize(64, 63), ofSize(2_001, 2_000), ofSize(2_000, 100)],
  asPng(Buffer.concat([png], limits.pictureBytes + 1)),
  asPng(Buffer.concat([png], limits.pictureBytes + 100)),
]

const pictureHeaders = [
  'content-type',
  'cache-control',
  'content-security-policy',
  'cross-origin-resource-policy',
  'x-content-type-options',
]
/** After the type. */
const alike = [
  'public, max-age=31536000, immutable',
  ...["default-src 'none'; sandbox", 'cross-origin', 'nosniff'],
]

const visitors = {
  ada: 'visitor-ada-000000000001',
  bob: 'visitor-bob-000000000001',
  cy: 'visitor-cy-0000000000001',
}
const customer = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

/** The calls of a link's page. */
function pageOf({ call }: Observed, { id }: Json) {
  return {
    resolve: (body: object) =>
      call('POST', `${links}/resolve`, { body: { id, ...body }, headers: {} }),
    start: (visitor: string, body: object = {}) =>
      call('POST', `${links}/pay`, { body: { id, chain: 'base', visitor, ...body }, headers: {} }),
    read: ({ payment_intent }: Json) => call('GET', `${intents}/${payment_intent}`),
  }
}

async function authorizeOf(service: Observed, { payment_intent, client_secret }: Json) {
  const intent = await service.call('GET', `${intents}/${payment_intent}`)
  return authorizeIntent(service, { ...intent, client_secret })
}

export const linkScenarios: Record<string, (service: Observed) => Promise<void>> = {
  async 'a payment link, made and changed'({ call, later, advance }) {
    const create = async (body: object) => {
      const link = await call('POST', links, { body })
      // The test kit's clock stands still, the server's does not.
      await advance(1)
      await later()
      return link
    }
    const first = await create(term)
    const second = await create({
      ...{ ...open, min_units: 1, max_units: most, chains: ['base'], max_payments: 1_000_000 },
      ...{ expires_at: '9999-12-31T23:00:00+01:00', return_url: `${returnOrigin}/thanks?a=1` },
      metadata: { order_id: '1042', nested: [{ ü: null }], __proto: 1, n: 1.5 },
    })
    const nothing = { min_units: null, max_units: null, max_payments: null }
    await create({ ...term, ...nothing, expires_at: null, return_url: null })
    await call('GET', `${links}/${first.id}`)
    const path = `${links}/${second.id}`
    const change = (body: unknown) => call('PATCH', path, { body })
    for (const body of [
      ...[{ active: false }, {}, { active: true }, { active: false }],
      { description: 'Term 3', metadata: {}, max_payments: 1, expires_at: null, return_url: null },
      { metadata: { z: 1, a: 2 }, return_url: returnOrigin, max_payments: null },
      ...[{ active: null }, { description: null }, { metadata: null }, { max_payments: 0 }],
      ...[{ expires_at: '2020-01-01T00:00:00Z' }, { return_url: 'https://elsewhere.example/' }],
      ...[{ amount_units: 1 }, { chains: ['base'] }, { payments_count: 1 }],
      // Nothing of it is written.
      { description: 'Not this', active: true, expires_at: '2020-01-01T00:00:00Z' },
    ]) {
      await change(body)
    }
    await call('GET', path)
    for (const query of [
      ...['', '?active=true', '?active=false', '?limit=1', `?limit=1&starting_after=${second.id}`],
      `?created_after=${second.created_at}&active=true`,
      `?created_before=${second.created_at}`,
      ...['?active=yes', '?limit=0', '?starting_after=pi_1', '?description=Term', '?active='],
    ]) {
      await call('GET', `${links}${query}`)
    }
    for (const list of [intents, '/v1/events']) {
      await call('GET', `${list}?payment_link=${second.id}`)
      await call('GET', `${list}?payment_link=no-link`)
    }
  },

  async 'a payment link with a picture'({ call, request, apiKey, later }) {
    const { id } = await call('POST', links, { body: term })
    const change = (picture: unknown) => call('PATCH', `${links}/${id}`, { body: { picture } })
    const resolve = () => call('POST', `${links}/resolve`, { body: { id }, headers: {} })
    await change(null)
    for (const url of [dataUrls.png, dataUrls.jpeg, dataUrls.webp]) {
      const { picture } = await change(url)
      const { pathname } = new URL(picture)
      const response = await request(pathname)
      const content = Buffer.from(await response.arrayBuffer())
      if (!url.endsWith(`,${content.toString('base64')}`)) throw new Error('it is another picture')
      const etag = response.headers.get('etag') ?? ''
      const conditional = await request(pathname, { headers: { 'if-none-match': etag } })
      const head = await request(pathname, { method: 'HEAD' })
      const statuses = [response, conditional, head].map(({ status, headers }) => {
        return [status, ...pictureHeaders.map((name) => headers.get(name))]
      })
      // On the server and in the test kit.
      expect(statuses).toEqual([
        [200, url.slice('data:'.length).split(';')[0], ...alike],
        [304, null, ...alike],
        [200, url.slice('data:'.length).split(';')[0], ...alike],
      ])
    }
    await resolve()
    for (const picture of picturesRefused) {
      await change(picture)
    }
    await call('POST', links, { body: { ...term, picture: asPng(svg) } })
    await call('GET', `${links}/${id}`)
    const { picture } = await change(largest)
    await change(null)
    await resolve()
    const { pathname } = new URL(picture)
    await call('GET', pathname, { headers: {} })
    await call('GET', '/v1/pictures/x', { headers: {} })
    await call('POST', pathname, { headers: {} })
    await call('GET', `${pathname}/`, { headers: {} })
    // Requests and pictures that are too large.
    const ofBytes = (bytes: number) => JSON.stringify({ more: 'x'.repeat(bytes - 11) })
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    for (const [method, path, bytes] of [
      ['POST', links, limits.pictureRequestBytes],
      ['PATCH', `${links}/${id}`, limits.pictureRequestBytes],
      ['POST', intents, limits.requestBytes],
    ] as const) {
      await call(method, path, { body: ofBytes(bytes), headers })
      await call(method, path, { body: ofBytes(bytes + 1), headers })
    }
    await later()
    const keyed = { authorization: `Bearer ${apiKey}`, 'idempotency-key': 'link 9' }
    for (const url of [dataUrls.webp, dataUrls.webp, dataUrls.png, null]) {
      await call('POST', links, { body: { ...term, picture: url }, headers: keyed })
    }
    await call('GET', links)
  },

  async 'payment links refused'({ call, create, apiKey }) {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    for (const body of creationsRefused) {
      await call('POST', links, { body, headers })
    }
    await call('GET', links)
    await call('GET', `${links}/plink_unknown`)
    await call('PATCH', `${links}/plink_unknown`, { body: { active: false } })
    await call('PATCH', `${links}/plink_unknown`, { body: {}, headers: {} })
    await call('DELETE', `${links}/plink_unknown`)
    await call('POST', intents, { body: { amount_units: 1, payment_link: 'plink_1' } })
    const { id } = await create()
    const intent = await call('GET', `${intents}/${id}`)
    const { data } = await call('GET', `/v1/events?payment_intent=${id}&payment_link=plink_1`)
    if (intent.payment_link !== null || data.length > 0) throw new Error('it pays no link')
  },

  async 'a payment link, paid by its visitors'(service) {
    const { call, pay, confirm, reorg, advance } = service
    const link = await call('POST', links, {
      body: { ...term, max_payments: 1, metadata: { order_id: '7' }, return_url: returnOrigin },
    })
    const { resolve, start, read } = pageOf(service, link)
    await resolve({})
    await resolve({ visitor: visitors.ada })
    await resolve({ payer: customer })
    const ada = await start(visitors.ada)
    await resolve({ visitor: visitors.ada })
    // The same payment, and nobody else's.
    await start(visitors.ada)
    const bob = await start(visitors.bob)
    await resolve({ visitor: visitors.cy })
    // An amount is reserved once the payer pays by hand.
    const see = (client_secret: string, more: object = {}) =>
      call('POST', `${intents}/resolve`, { body: { client_secret, ...more }, headers: {} })
    await see(bob.client_secret)
    await see(bob.client_secret, { reserve_amount: true })
    await see(bob.client_secret, { reserve_amount: true })
    await pay(await read(ada), { confirmations: 1 })
    await resolve({ visitor: visitors.ada })
    await start(visitors.cy)
    // The chain is read on, and the others are canceled.
    await confirm(await read(ada), 1)
    await resolve({ visitor: visitors.bob })
    await see(bob.client_secret)
    await pay(await read(bob), { rail: 'manual', confirmations: 1 })
    await read(bob)
    // The place is free again.
    await reorg(await read(ada))
    await resolve({ visitor: visitors.cy })
    const cy = await start(visitors.cy)
    await pay(await read(cy))
    await resolve({ visitor: visitors.cy })
    await call('GET', `${links}/${link.id}`)
    await call('GET', `${intents}?payment_link=${link.id}`)
    await advance(31)
    await resolve({ visitor: visitors.ada })
  },

  async 'payers who are refused by a payment link'(service) {
    const { call, pay, submit, later } = service
    const open = await call('POST', links, {
      body: { ...term, amount_units: null, min_units: 2_000_000, max_units: 9_000_000 },
    })
    const { resolve, start, read } = pageOf(service, open)
    await resolve({ id: 'plink_unknown' })
    await resolve({ merchant: 'mer_unknown' })
    await resolve({ visitor: 'short' })
    await resolve({ more: 1 })
    for (const body of [
      ...[{}, { amount_units: 0 }, { amount_units: 1_999_999 }, { amount_units: 9_000_001 }],
      ...[{ amount_units: 2_000_000.5 }, { amount_units: '2000000' }],
      ...[{ amount_units: 2_000_000, chain: 'polygon' }, { chain: 'solana' }],
      { amount_units: 2_000_000, id: 'plink_unknown' },
      { amount_units: 2_000_000, merchant: 'mer_unknown' },
      { amount_units: 2_000_000, visitor: 'x'.repeat(65) },
      { amount_units: 2_000_000, wallet_address: customer },
    ]) {
      await start(visitors.ada, body)
    }
    const first = await start(visitors.ada, { amount_units: 2_000_000 })
    await later()
    // Another amount is another payment, and the first is canceled.
    const second = await start(visitors.ada, { amount_units: 9_000_000 })
    await read(first)
    const signed = await authorizeOf(service, second)
    await start(visitors.ada, { amount_units: 3_000_000 })
    await resolve({ visitor: visitors.ada })
    await submit(await read(second), signed)
    await start(visitors.ada, { amount_units: 3_000_000 })
    const part = await start(visitors.bob, { amount_units: 8_000_000 })
    await pay(await read(part), { amount_units: 5_000_000, confirmations: 1 })
    await start(visitors.bob, { amount_units: 3_000_000 })
    await call('PATCH', `${links}/${open.id}`, { body: { active: false } })
    await resolve({})
    await start(visitors.cy, { amount_units: 3_000_000 })
    const fixed = pageOf(service, await call('POST', links, { body: term }))
    await fixed.start(visitors.cy, { amount_units: 1 })
    await fixed.start(visitors.cy, { amount_units: term.amount_units })
  },

  async 'the last place of a payment link, taken by a signature'(service) {
    const { call, submit } = service
    const link = await call('POST', links, { body: { ...term, max_payments: 1 } })
    const { resolve, start, read } = pageOf(service, link)
    const [ada, bob] = [await start(visitors.ada), await start(visitors.bob)]
    const signed = await authorizeOf(service, ada)
    await resolve({})
    await authorizeOf(service, bob)
    await start(visitors.bob)
    await submit(await read(ada), signed)
    await read(bob)
    await call('PATCH', `${links}/${link.id}`, { body: { max_payments: 2 } })
    await resolve({ visitor: visitors.bob })
  },

  async 'one idempotency key, several payment links'({ call, apiKey, later }) {
    const authorization = `Bearer ${apiKey}`
    const send = (body: object, key = 'link 7') =>
      call('POST', links, { body, headers: { authorization, 'idempotency-key': key } })
    await send({ ...term, chains: [] })
    const link = await send(term)
    await send({ description: term.description, amount_units: term.amount_units })
    await send({ ...term, amount_units: 40_000_001 })
    await send({ ...term, metadata: { a: 1 } })
    await call('PATCH', `${links}/${link.id}`, { body: { description: 'Term 3' } })
    await send(term)
    await later()
    await send(term, 'link 8')
    await send(term, '')
    await call('GET', links)
  },
}
