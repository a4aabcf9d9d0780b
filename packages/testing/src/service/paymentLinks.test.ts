import { createClient } from '@payment-intents/node'
import { setupServer } from 'msw/node'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { dataUrls, pictures } from '../../../../tests/support/pictures/testPictures.ts'
import { createTestService } from './createTestService.ts'

const service = createTestService({ returnOrigins: ['https://shop.example'] })
const server = setupServer(...service.handlers)
const { paymentLinks } = createClient({ apiKey: service.apiKey, baseUrl: service.baseUrl })
const terms = { amount_units: 40_000_000, description: 'Term 2' }

beforeAll(() => server.listen())
afterAll(() => server.close())
beforeEach(() => service.reset())

test('a link is created, changed and listed as by the service', async () => {
  const return_url = 'https://shop.example/thanks'
  const link = await paymentLinks.create({ ...terms, return_url, metadata: { order_id: '7' } })
  expect(link).toMatchObject({ ...terms, return_url, active: true, chains: ['base', 'polygon'] })
  expect(link.url).toBe(`${service.baseUrl}/l/${link.id}`)
  const changed = await paymentLinks.update(link.id, { active: false, return_url: null })
  expect(changed).toEqual({ ...link, active: false, return_url: null })
  expect(await paymentLinks.retrieve(link.id)).toEqual(changed)
  const newer = await paymentLinks.create(terms)
  expect(await paymentLinks.list().autoPagingToArray({ limit: 10 })).toEqual([newer, changed])
  expect((await paymentLinks.list({ active: false })).data).toEqual([changed])
  service.reset()
  expect((await paymentLinks.list()).data).toEqual([])
})

test('a picture is served at the URL in its link', async () => {
  const link = await paymentLinks.create({ ...terms, picture: dataUrls.webp })
  expect(link.picture).toMatch(/^https:\/\/payments\.test\/v1\/pictures\/[\w-]{43}$/)
  const url = link.picture ?? ''
  const response = await fetch(url)
  expect(response.headers.get('content-type')).toBe('image/webp')
  const content = Buffer.from(await response.arrayBuffer())
  expect(content.toString('base64')).toBe(pictures.webp)
  expect((await paymentLinks.update(link.id, { active: false })).picture).toBe(url)
  expect((await paymentLinks.update(link.id, { picture: null })).picture).toBeNull()
  expect((await fetch(url)).status).toBe(404)
  await paymentLinks.update(link.id, { picture: dataUrls.webp })
  service.reset()
  expect((await fetch(url)).status).toBe(404)
  await expect(
    paymentLinks.create({ ...terms, picture: 'https://shop.example/lesson.png' }),
  ).rejects.toMatchObject({ code: 'invalid_body', issues: [{ path: 'picture' }] })
})

test('an idempotency key creates a single link for a day', async () => {
  const options = { idempotencyKey: 'link 7' }
  const link = await paymentLinks.create(terms, options)
  expect(await paymentLinks.create(terms, options)).toEqual(link)
  await expect(paymentLinks.create({ ...terms, amount_units: 1 }, options)).rejects.toMatchObject({
    reason: 'idempotency_key_reused',
  })
  service.clock.advance(24 * 60)
  expect((await paymentLinks.create(terms, options)).id).not.toBe(link.id)
})

test('an origin is registered in the form that browsers send', () => {
  for (const origin of ['https://shop.example/a', 'http://shop.example', 'shop.example']) {
    expect(() => createTestService({ returnOrigins: [origin] })).toThrow(/^`returnOrigins`/)
  }
})
