import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { serverOfFile } from '../../../test/support/database/fixtures.ts'

const server = serverOfFile()

const secret = 'pi_1_secret_2'
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'sha256-<styles>'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'cache-control': 'public, max-age=300',
}

/** The headers of a response, with a placeholder for the hash of the styles. */
function named({ headers }: { headers: Headers }) {
  const entries = [...headers].map(([name, value]) => [
    name,
    value.replace(/(?<='sha256-)[\w+/=]{44}(?=')/, '<styles>'),
  ])
  return Object.fromEntries(entries)
}

test.each([
  '/checkout',
  '/checkout/',
  '/checkout/h/token',
  `/checkout/${secret}?client_secret=${secret}`,
])('%s is the page, without any part of the request', async (path) => {
  const response = await server.request(path)
  expect(response.status).toBe(200)
  expect(named(response)).toMatchObject(headers)
  expect(response.headers.get('set-cookie')).toBeNull()
  expect(response.headers.get('access-control-allow-origin')).toBeNull()
  const html = await response.text()
  expect(html).toBe(await (await server.request('/checkout')).text())
  expect(html).not.toContain(secret)
})

test('is a document with a language, a title, a text for browsers without scripts, and one script of its origin', async () => {
  const html = await (await server.request('/checkout')).text()
  expect(html).toMatch(/^<!doctype html>\n<html lang="en" dir="ltr">/)
  expect(html).toMatch(/<title>\w.*<\/title>/)
  expect(html).toMatch(/<meta name="viewport" content="width=device-width/)
  expect(html).toMatch(/<noscript>\w.*<\/noscript>/)
  const loaded = [...html.matchAll(/\s(?:src|href)="([^"]*)"/g)].map(([, target]) => target)
  expect(loaded).toEqual(['data:,', '/v1/checkout.js'])
  // The policy would refuse inline scripts, and all styles except the hashed style.
  expect(html.match(/<script[^>]*>/g)).toEqual(['<script src="/v1/checkout.js">'])
  expect(html).not.toMatch(/\sstyle=|\son\w+=/)
  const [, styles = ''] = /<style>(.*?)<\/style>/s.exec(html) ?? []
  // In a browser that cannot mix colours, an unguarded declaration would leave no background.
  const mixing = styles.split('\n').filter((line) => line.includes('color-mix'))
  expect(mixing).toEqual([expect.stringMatching(/^@supports \(color:color-mix/)])
  const { headers } = await server.request('/checkout')
  expect(headers.get('content-security-policy')).toContain(
    `style-src 'sha256-${createHash('sha256').update(styles).digest('base64')}';`,
  )
  expect((await server.request('/v1/checkout.js')).status).toBe(200)
})

test('HEAD has the same headers and no body', async () => {
  const response = await server.request('/checkout/', { method: 'HEAD' })
  expect(response.status).toBe(200)
  expect(named(response)).toMatchObject(headers)
  expect(await response.text()).toBe('')
})

test.each(['/checkout', '/checkout/', '/checkout/any/where'])(
  '%s accepts only GET and HEAD',
  async (path) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const response = await server.request(path, { method })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
      expect(await response.json()).toMatchObject({ error: 'method_not_allowed' })
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
    }
  },
)

test('a path that only starts like the page’s is not found', async () => {
  const response = await server.request('/checkouts')
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ error: 'not_found' })
})
