import { createHash, randomBytes } from 'node:crypto'
import { limits } from '@payment-intents/contract'
import { beforeEach, expect, test } from 'vitest'
import { drawLogo } from '../../../../../tests/support/pictures/drawLogo.ts'
import { asPng, dataUrls, pictures } from '../../../../../tests/support/pictures/testPictures.ts'
import { serverOfFile } from '../../../test/support/database/fixtures.ts'
import {
  expectConflict,
  expectError,
  expectIssue,
  type MerchantApi,
  openShop,
} from '../../../test/support/server/merchantApi.ts'
import type { Json, TestResponse } from '../../../test/support/server/testServer.ts'

const server = serverOfFile()
const links = '/v1/payment_links'
const terms = { amount_units: 40_000_000, description: 'Lesson' }
let api: MerchantApi

beforeEach(async () => {
  api = (await openShop(server)).api
})

async function create(picture?: string): Promise<Json> {
  const response = await api.post(links, { ...terms, picture })
  expect(response.status).toBe(200)
  return response.json()
}

const change = (id: string, body: object) => api.send('PATCH', `${links}/${id}`, body)
const pathOf = ({ picture }: Json): string => new URL(picture).pathname
/** A picture that no other link shows. */
const newPicture = () =>
  asPng(Buffer.concat([Buffer.from(pictures.png, 'base64'), randomBytes(16)]))
const hashOf = (content: Uint8Array) => createHash('sha256').update(content).digest('base64url')
const resolve = (id: string) =>
  server.request(`${links}/resolve`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id }),
  })

test.each(['png', 'jpeg', 'webp'] as const)(
  'a %s is served by its hash, to any page',
  async (name) => {
    const content = Buffer.from(pictures[name], 'base64')
    const hash = hashOf(content)
    const link = await create(dataUrls[name])
    expect(link.picture).toBe(`http://localhost:4242/v1/pictures/${hash}`)
    expect(await api.read(`${links}/${link.id}`)).toEqual(link)
    expect((await api.read(links)).data).toEqual([link])
    expect(await (await resolve(link.id)).json()).toMatchObject({ picture: link.picture })
    const response = await server.request(pathOf(link), { headers: { 'accept-encoding': 'gzip' } })
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': `image/${name}`,
      'content-length': String(content.length),
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      etag: `"${hash}"`,
    })
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true)
    const pending = { 'if-none-match': `W/"${hash}"` }
    const secondResponse = await server.request(pathOf(link), { headers: pending })
    expect([secondResponse.status, await secondResponse.text()]).toEqual([304, ''])
    expect(secondResponse.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    // A picture of a link is not a logo.
    expect((await server.request(`/v1/logos/${hash}`)).status).toBe(404)
  },
)

test('an unknown hash is not found', async () => {
  const { picture } = await create(dataUrls.png)
  const hash = picture.slice(-43)
  for (const name of ['x', hashOf(randomBytes(16)), '..%2f..%2fv1', `${hash}.png`, `${hash}%00`]) {
    const none = await server.request(`/v1/pictures/${name}`)
    expect([none.status, (await none.json()).error], name).toEqual([404, 'not_found'])
    expect(none.headers.get('cache-control')).toBeNull()
  }
})

test('a picture that also contains markup is served as a picture', async () => {
  const markup = '<!doctype html><script>alert(1)</script>'
  const link = await create(asPng(Buffer.concat([drawLogo(), Buffer.from(markup)])))
  const response = await server.request(pathOf(link), { headers: { accept: 'text/html' } })
  expect(response.headers.get('content-type')).toBe('image/png')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
  expect(await response.text()).toContain(markup)
})

test('a picture is set, replaced and removed, and stays for other links that show it', async () => {
  const [shared, single] = [newPicture(), newPicture()]
  const [link, otherLink] = [await create(), await create(shared)]
  expect(link.picture).toBeNull()
  expect((await (await resolve(link.id)).json()).picture).toBeNull()
  const set = await (await change(link.id, { picture: shared })).json()
  expect(set).toEqual({ ...link, picture: otherLink.picture })
  expect(await (await change(link.id, { description: 'B' })).json()).toMatchObject({
    picture: otherLink.picture,
  })
  const replaced = await (await change(link.id, { picture: single })).json()
  expect(replaced.picture).not.toBe(otherLink.picture)
  for (const path of [pathOf(set), pathOf(replaced)]) {
    expect((await server.request(path)).status).toBe(200)
  }
  expect((await (await change(link.id, { picture: null })).json()).picture).toBeNull()
  expect((await (await change(link.id, { picture: null })).json()).picture).toBeNull()
  expect((await server.request(pathOf(replaced))).status).toBe(404)
  expect((await server.request(pathOf(otherLink))).status).toBe(200)
  await change(otherLink.id, { picture: null })
  expect((await server.request(pathOf(otherLink))).status).toBe(404)
})

test('a refused change writes nothing', async () => {
  const link = await create(dataUrls.png)
  const refused = { picture: dataUrls.webp, expires_at: '2020-01-01T00:00:00Z' }
  await expectIssue(await change(link.id, refused), 'expires_at')
  await expectIssue(await change(link.id, { picture: asPng('<svg/>'), active: false }), 'picture')
  expect(await api.read(`${links}/${link.id}`)).toEqual(link)
})

test('a creation is replayed byte for byte, and its key covers the picture', async () => {
  const headers = { 'idempotency-key': 'lesson 7' }
  const post = (picture?: string | null) => api.post(links, { ...terms, picture }, headers)
  const first = await (await post(dataUrls.png)).text()
  const { id } = JSON.parse(first)
  await change(id, { picture: dataUrls.webp })
  const replayed = await post(dataUrls.png)
  expect(replayed.headers.get('idempotent-replayed')).toBe('true')
  expect(await replayed.text()).toBe(first)
  for (const picture of [dataUrls.webp, null, undefined]) {
    await expectConflict(await post(picture), 'idempotency_key_reused')
  }
})

test('concurrent changes leave a single picture at its address', async () => {
  const { id } = await create()
  const changes = [dataUrls.png, null, dataUrls.webp, dataUrls.jpeg, null, dataUrls.png]
  const responses = await Promise.all(changes.map((picture) => change(id, { picture })))
  expect(responses.map(({ status }) => status)).toEqual(changes.map(() => 200))
  const { picture } = await (await change(id, { picture: dataUrls.jpeg })).json()
  expect((await api.read(`${links}/${id}`)).picture).toBe(picture)
  const { rows } = await server.db.pool.query(
    'select hash from payment_link_pictures where link_id = $1',
    [id],
  )
  expect(rows).toEqual([{ hash: picture.slice(-43) }])
})

test('the largest picture fits only into the bodies that may have a picture', async () => {
  const { pictureBytes, pictureRequestBytes, requestBytes } = limits
  const largest = asPng(Buffer.concat([drawLogo()], pictureBytes))
  // Some programs escape slashes.
  const escaped = JSON.stringify({ picture: largest }).replaceAll('/', '\\/')
  const link = await create(largest)
  expect((await api.send('PATCH', `${links}/${link.id}`, escaped)).status).toBe(200)
  const metadata = { a: 'x'.repeat(limits.metadataBytes - 10) }
  expect((await api.post(links, { ...terms, metadata, picture: largest })).status).toBe(200)
  const expectTooLarge = async (response: TestResponse, bytes: number) => {
    const { issues } = await expectError(response, 400, 'invalid_body')
    const message = `the request body is larger than ${bytes / 1024} KiB`
    expect(issues).toEqual([{ path: '', message }])
  }
  const ofBytes = (bytes: number) => JSON.stringify(' '.repeat(bytes - 2))
  for (const [method, path] of [
    ['POST', links],
    ['PATCH', `${links}/${link.id}`],
  ] as const) {
    const over = await api.send(method, path, ofBytes(pictureRequestBytes + 1))
    await expectTooLarge(over, pictureRequestBytes)
    const all = await api.send(method, path, ofBytes(pictureRequestBytes))
    expect((await all.json()).issues).toMatchObject([{ message: 'the body must be a JSON object' }])
  }
  for (const path of ['/v1/payment_intents', '/v1/refunds', '/v1/webhook_endpoints']) {
    await expectTooLarge(await api.post(path, ofBytes(requestBytes + 1)), requestBytes)
  }
})
