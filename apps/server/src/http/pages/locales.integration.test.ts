import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { serverOfFile } from '../../../test/support/database/fixtures.ts'

const server = serverOfFile()

const languages = ['ar', 'de', 'es', 'fr', 'hi', 'it', 'ja', 'ko', 'pt', 'tr', 'zh']

test.each(languages)(
  '%s: has the messages of the checkout, for a page of any origin',
  async (language) => {
    const response = await server.request(`/v1/locales/${language}.json`)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
    })
    const words = await response.json()
    expect(Object.keys(words).length).toBeGreaterThan(50)
    for (const word of Object.values(words)) expect(word).toEqual(expect.any(String))
  },
)

test('en: has the messages that the script lacks', async () => {
  const response = await server.request('/v1/locales/en.json')
  expect(response.status).toBe(200)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(await response.json()).toMatchObject({
    'qr.open': 'Open in a wallet app',
    'get.title': 'How to get USDC',
  })
})

test.each([
  ...['xx.json', 'es', 'es.js', 'ES.json', '.json', '__proto__.json', 'constructor.json'],
  ...['..%2fscript.js', '..%2f..%2fpackage.json', '%2e%2e%2fscript.js', '..%5cpackage.json'],
  ...['../../../package.json', '%2fetc%2fpasswd', 'es.json%00.json', 'es.json/..', 'es.json/'],
])('%s: 404, as for any unknown path', async (name) => {
  const { status, type, body } = await getRaw(`/v1/locales/${name}`)
  expect([status, type]).toEqual([404, 'application/json; charset=utf-8'])
  expect(JSON.parse(body)).toEqual({
    error: 'not_found',
    message: expect.any(String),
    request_id: expect.any(String),
  })
})

test('a page that requests an unknown language can read which languages exist', async () => {
  const response = await server.request('/v1/locales/xx.json')
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  const { message } = await response.json()
  for (const language of ['en', ...languages]) expect(message).toContain(language)
})

test('accepts only GET and HEAD', async () => {
  const response = await server.request('/v1/locales/es.json', { method: 'POST' })
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

/** Sends the path unchanged. `fetch` would resolve its dots. */
async function getRaw(path: string) {
  const { hostname, port } = new URL(server.url)
  const sent = request({ hostname, port, path }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const { statusCode: status, headers } = response
  return { status, type: headers['content-type'], body: await text(response) }
}
