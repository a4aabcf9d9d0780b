import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../test/testServer.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

test.each(['/v1/browser.js', '/v1/locales/es.json', '/checkout'])(
  '%s is sent once, and then confirmed by its tag',
  async (path) => {
    const ask = (tag: string) => server.request(path, { headers: { 'if-none-match': tag } })
    const first = await server.request(path)
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]{43}"$/)
    for (const held of [etag, `W/${etag}`, `"older", ${etag}`, '*']) {
      const again = await ask(held)
      expect([again.status, await again.text()]).toEqual([304, ''])
      for (const name of ['etag', 'cache-control', 'content-security-policy']) {
        expect(again.headers.get(name)).toBe(first.headers.get(name))
      }
    }
    const content = await first.text()
    for (const other of ['"older"', etag.slice(0, -1), etag.replaceAll('"', '')]) {
      const again = await ask(other)
      expect([again.status, await again.text()]).toEqual([200, content])
    }
  },
)
