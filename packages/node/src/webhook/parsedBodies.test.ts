import { getRequestListener } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { keepGlobals, listen } from '../../test/testReceivers.ts'
import { body, event, secret, sign } from '../../test/testWebhook.ts'
import { webhookHandler as forExpress } from './express.ts'
import { webhookRoute } from './fastify.ts'
import { webhookHandler as forHono } from './hono.ts'
import { webhookHandler as forNext } from './next.ts'

const ignore = () => {}
const options = { secret, onError: ignore }

async function deliver(url: string, text = body) {
  const headers = { 'content-type': 'application/json', ...sign(text) }
  const response = await fetch(url, { method: 'POST', body: text, headers })
  return [response.status, (await response.json()) as unknown]
}

const refused = [
  500,
  { error: 'body_not_raw', message: expect.stringMatching(/parsed before.*express\.raw\(/) },
]
const accepted = [200, { received: true }]

describe('Express', () => {
  const app = (...before: express.RequestHandler[]) =>
    express().use(before).post('/webhooks', forExpress(ignore, options))

  test('says what to do when express.json() ran before', async () => {
    expect(await deliver(await listen(app(express.json())))).toEqual(refused)
  })

  const keepRawBody = express.json({
    verify: (request, _response, bytes) => {
      Object.assign(request, { rawBody: bytes })
    },
  })
  test.each<[string, express.RequestHandler]>([
    ['express.raw()', express.raw({ type: '*/*' })],
    ['express.text()', express.text({ type: '*/*' })],
    ['express.json() that keeps request.rawBody', keepRawBody],
    ['express.json() of other types only', express.json({ type: 'application/problem+json' })],
    ['express.urlencoded()', express.urlencoded()],
  ])('works after %s', async (_name, before) => {
    expect(await deliver(await listen(app(before)))).toEqual(accepted)
  })

  test('leaves the parser of later routes alone', async () => {
    const all = express().post('/webhooks', forExpress(ignore, options))
    all.use(express.json()).post('/other', ({ body }, response) => {
      response.json(body)
    })
    const url = await listen(all)
    expect(await deliver(url)).toEqual(accepted)
    expect(await deliver(url.replace('webhooks', 'other'))).toEqual([200, event])
  })
})

test.each(['before', 'after'])(
  'Fastify keeps the parsers of routes registered %s the plugin',
  async (when) => {
    const app = fastify({ bodyLimit: 100 })
    const plugin = webhookRoute('/webhooks', ignore, options)
    app.addContentTypeParser('text/x-shout', { parseAs: 'string' }, (_request, text, done) =>
      done(null, String(text).toUpperCase()),
    )
    if (when === 'after') app.register(plugin)
    app.post('/other', async ({ body }) => ({ body }))
    if (when === 'before') app.register(plugin)
    await app.ready()
    const url = await listen(app.routing)
    const other = url.replace('webhooks', 'other')
    expect(await deliver(url)).toEqual(accepted)
    expect(await deliver(other, '{"a":1}')).toEqual([200, { body: { a: 1 } }])
    expect((await deliver(other))[0]).toBe(413) // The app's own limit.
    const headers = { 'content-type': 'text/x-shout' }
    const shout = await fetch(other, { method: 'POST', body: 'hey', headers })
    expect(await shout.json()).toEqual({ body: 'HEY' })
  },
)

test('Hono says what to do when a middleware read the body before', async () => {
  const app = new Hono()
    .use(async (context, next) => {
      await context.req.json()
      await next()
    })
    .post('/webhooks', forHono(ignore, options))
  const message = expect.stringMatching(/a Request \(read it once.*c\.req\.text\(\)/)
  const url = await listen(getRequestListener(app.fetch, keepGlobals))
  expect(await deliver(url)).toEqual([500, { error: 'body_not_raw', message }])
})

test('Next.js says what to do when the body was read before', async () => {
  const handle = forNext(ignore, options)
  const url = await listen(
    getRequestListener(async (request) => {
      await request.text()
      return handle(request)
    }, keepGlobals),
  )
  const message = expect.stringMatching(/a Request \(read it once.*request\.text\(\)/)
  expect(await deliver(url)).toEqual([500, { error: 'body_not_raw', message }])
})
