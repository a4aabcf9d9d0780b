import { beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../packages/testing/src/devChain/freePort.ts'
import { startTestServer } from '../../server/test/support/server/testServer.ts'

let url: string

beforeAll(async () => {
  url = `http://localhost:${await freePort()}`
  const server = await startTestServer({ dashboard: { url, now: Date.now } })
  return () => server.close()
})

async function read(path: string, method = 'GET') {
  const response = await fetch(url + path, { method })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test.each(['/', '/sign-in', '/payments/pi_1', '/..%2f..%2fpackage.json', '/%00'])(
  '%s serves the page, with a policy against frames and foreign scripts',
  async (path) => {
    const { status, headers, text } = await read(path)
    expect(status).toBe(200)
    expect(text).toContain('<div id="root">')
    expect(headers.get('content-security-policy')).toMatch(
      /script-src 'self';.*frame-ancestors 'none'; require-trusted-types-for 'script'/,
    )
    expect(headers.get('cache-control')).toBe('no-cache')
  },
)

test('only the dashboard can frame the preview, which sends no request', async () => {
  const { status, headers } = await read('/preview.html')
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-cache'])
  const policy = headers.get('content-security-policy')
  expect(policy).toMatch(
    /^default-src 'none'; script-src 'self';.*frame-ancestors 'self'; require-trusted-types-for 'script'/,
  )
  expect(policy).not.toContain('connect-src')
  const script = await read('/preview/checkout.js')
  expect([script.status, script.headers.get('content-type')]).toEqual([
    200,
    'text/javascript; charset=utf-8',
  ])
})

test('files that the page links to are immutable', async () => {
  const { text } = await read('/')
  const paths = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(
    ([, path]) => path ?? '',
  )
  expect(paths.length).toBeGreaterThan(1)
  for (const path of paths) {
    const { status, headers } = await read(path)
    expect([status, headers.get('cache-control')], path).toEqual([
      200,
      'public, max-age=31536000, immutable',
    ])
  }
})

test.each([
  ['GET', '/assets/nothing.js', 404],
  ['GET', '/v1/nothing', 404],
  ['POST', '/v1/nothing', 404],
  ['GET', '/account/nothing', 404],
  ['POST', '/payments', 404],
  ['GET', '/v1/events/evt_1/redeliver', 405],
  ['DELETE', '/v1/events', 405],
])('%s %s returns %i', async (method, path, status) => {
  expect((await read(path, method)).status).toBe(status)
})
