import { webhookEndpointSchema } from '@payment-intents/contract'
import { beforeEach, describe, expect, test } from 'vitest'
import { anotherServer, serverOfFile } from '../../../test/support/database/fixtures.ts'
import { merchantApi } from '../../../test/support/server/merchantApi.ts'
import { createTestMerchant, type Json } from '../../../test/support/server/testServer.ts'

const server = serverOfFile({ webhooks: 'kept' })
let apiKey: string

beforeEach(async () => {
  apiKey = (await createTestMerchant(server.db)).apiKey
})

const path = '/v1/webhook_endpoints'
const url = 'https://shop.example/hooks'

async function send(method: string, to: string, body?: unknown, key = apiKey) {
  const response = await merchantApi(server, key).send(method, to, body)
  const text = await response.text()
  return { status: response.status, body: (text ? JSON.parse(text) : null) as Json, text }
}

test('returns the secret once, and the requested fields', async () => {
  const { status, body } = await send('POST', path, {
    url,
    enabled_events: ['payment_intent.succeeded'],
    description: 'Orders',
  })
  expect(status).toBe(200)
  const { secret, ...endpoint } = body
  expect(Buffer.from(secret.replace('whsec_', ''), 'base64')).toHaveLength(32)
  expect(webhookEndpointSchema.safeParse(endpoint).error).toBeUndefined()
  expect(endpoint).toEqual({
    id: expect.stringMatching(/^we_[0-9a-z]{30}$/),
    url,
    description: 'Orders',
    enabled_events: ['payment_intent.succeeded'],
    mode: 'testnet',
    status: 'enabled',
    disabled_reason: null,
    failing_since: null,
    created_at: expect.any(String),
  })
  expect((await send('GET', `${path}/${body.id}`)).body).toEqual(endpoint)
  expect((await send('GET', path)).body).toEqual({ data: [endpoint], has_more: false })
  const everywhere = JSON.stringify(
    (await server.db.pool.query('select * from webhook_endpoints')).rows,
  )
  expect(everywhere).not.toContain(secret.replace('whsec_', ''))
  expect(server.logs.join()).not.toContain(secret.replace('whsec_', ''))
})

test('changes only the passed fields', async () => {
  const { body: created } = await send('POST', path, {
    url,
    enabled_events: ['payment_intent.succeeded'],
  })
  const to = `${path}/${created.id}`
  const patch = async (change: object) => (await send('PATCH', to, change)).body
  expect(await patch({ description: 'New' })).toMatchObject({
    url,
    description: 'New',
    enabled_events: ['payment_intent.succeeded'],
  })
  expect(await patch({ enabled_events: null })).toMatchObject({
    enabled_events: null,
    description: 'New',
  })
  expect(await patch({ status: 'disabled' })).toMatchObject({
    status: 'disabled',
    disabled_reason: 'merchant',
  })
  expect(await patch({})).toMatchObject({ status: 'disabled' })
  expect(await patch({ status: 'enabled' })).toMatchObject({
    status: 'enabled',
    disabled_reason: null,
  })
})

test('another merchant’s and another mode’s are not found', async () => {
  const { body } = await send('POST', path, { url })
  const { id, apiKey: live } = await createTestMerchant(server.db, { mode: 'mainnet' })
  expect(id).toMatch(/^mer_/)
  for (const [method, to, sent] of [
    ['GET', `${path}/${body.id}`],
    ['PATCH', `${path}/${body.id}`, { description: 'mine' }],
    ['DELETE', `${path}/${body.id}`],
    ['POST', `${path}/${body.id}/rotate_secret`, {}],
    ['POST', `${path}/${body.id}/recover`, { since: new Date().toISOString() }],
    ['GET', `${path}/${body.id}/deliveries`],
  ] as const) {
    expect(await send(method, to, sent, live)).toMatchObject({
      status: 404,
      body: { error: 'not_found' },
    })
  }
  expect((await send('GET', path, undefined, live)).body.data).toEqual([])
  expect((await send('GET', `${path}/${body.id}`)).body).toMatchObject({ description: '' })
})

describe('refuses', () => {
  test.each<[string, object]>([
    ['no URL', {}],
    ['what is no URL', { url: 'shop' }],
    ['another protocol', { url: 'ftp://shop.example/' }],
    ['a script', { url: 'javascript:alert(1)' }],
    ['a password in it', { url: 'https://me:secret@shop.example/' }],
    ['one that is too long', { url: `https://shop.example/${'x'.repeat(2048)}` }],
    ['a type that nobody knows', { url, enabled_events: ['payment_intent.dreamt'] }],
    ['no types', { url, enabled_events: [] }],
    ['a description that is too long', { url, description: 'x'.repeat(501) }],
    ['a property that is not there', { url, secret: 'whsec_mine' }],
  ])('%s, and stores nothing', async (_, body) => {
    expect(await send('POST', path, body)).toMatchObject({
      status: 400,
      body: { error: 'invalid_body', issues: [{ path: expect.any(String) }] },
    })
    expect((await send('GET', path)).body.data).toEqual([])
  })

  test('http in live mode, and accepts it in test mode', async () => {
    const { apiKey: live } = await createTestMerchant(server.db, { mode: 'mainnet' })
    const plain = { url: 'http://shop.example/' }
    expect(await send('POST', path, plain, live)).toMatchObject({
      status: 400,
      body: { message: '`url`: must be https in live mode' },
    })
    expect((await send('POST', path, plain)).status).toBe(200)
  })

  test('a seventeenth endpoint, even if twenty are requested at once', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => send('POST', path, { url })))
    const [made, refused] = [200, 409].map((status) =>
      all.filter((response) => response.status === status),
    )
    expect([made?.length, refused?.length]).toEqual([16, 4])
    expect(refused?.[0]?.body).toMatchObject({ error: 'conflict', reason: 'illegal_state' })
  })
})

test('a server for the public internet accepts no address of its own network', async () => {
  const strict = await anotherServer({ webhooks: 'public_only' })
  const { apiKey: key } = await createTestMerchant(strict.db)
  for (const host of ['127.0.0.1', '10.0.0.1', '[::1]', '0x7f.1', '169.254.169.254']) {
    const response = await merchantApi(strict, key).post(path, { url: `http://${host}/` })
    expect(response.status).toBe(400)
    expect((await response.json()).message).toContain('not on the public internet')
  }
})
