import { get, type IncomingHttpHeaders } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { serverOfFile } from '../../../test/support/database/fixtures.ts'

const server = serverOfFile()

test.each(['/v1/browser.js', '/v1/locales/es.json', '/checkout'])(
  '%s is sent once, and then revalidated by its tag',
  async (path) => {
    const request = (tag: string) => server.request(path, { headers: { 'if-none-match': tag } })
    const firstResponse = await server.request(path)
    const etag = firstResponse.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]{43}(-br|-gzip)?"$/)
    for (const pending of [etag, `W/${etag}`, `"older", ${etag}`, '*']) {
      const secondResponse = await request(pending)
      expect([secondResponse.status, await secondResponse.text()]).toEqual([304, ''])
      for (const name of ['etag', 'cache-control', 'content-security-policy']) {
        expect(secondResponse.headers.get(name)).toBe(firstResponse.headers.get(name))
      }
    }
    const content = await firstResponse.text()
    for (const etagOfOther of ['"older"', etag.slice(0, -1), etag.replaceAll('"', '')]) {
      const secondResponse = await request(etagOfOther)
      expect([secondResponse.status, await secondResponse.text()]).toEqual([200, content])
    }
  },
)

test.each([
  ['br, gzip', 'br'],
  ['gzip, deflate, br;q=0.1', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['zstd', null],
  ['', null],
])('a browser that accepts "%s" is sent %s, and the same content', async (accepted, coding) => {
  const raw = (encodings: string) =>
    new Promise<{ headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
      // Unlike `fetch`, this does not decode the body.
      get(
        `${server.url}/v1/browser.js`,
        { headers: { 'accept-encoding': encodings } },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk) => chunks.push(chunk))
          response.on('end', () =>
            resolve({ headers: response.headers, body: Buffer.concat(chunks) }),
          )
        },
      ).on('error', reject)
    })
  const plain = await raw('identity')
  const { headers, body } = await raw(accepted)
  expect(headers['content-encoding'] ?? null).toBe(coding)
  expect(headers.vary).toBe('accept-encoding')
  expect(headers.etag === plain.headers.etag).toBe(coding === null)
  const decode = { br: brotliDecompressSync, gzip: gunzipSync }[coding ?? '']
  expect((decode ? decode(body) : body).equals(plain.body)).toBe(true)
  if (coding) expect(body.length).toBeLessThan(plain.body.length / 2)
})
