import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import type { HttpContext } from '../transport/httpContext.ts'
import { docsRoutes } from './docs.ts'

/** Starts a server with these files as its documentation. */
async function serve(files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'payment-intents-site-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'assets'))
  await writeFile(`${folder}.secret`, 'not of the site')
  onTestFinished(() => rm(`${folder}.secret`))
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text)
  const app = Fastify()
  docsRoutes(app, { publicUrl: 'https://pay.example.com' } as HttpContext, folder)
  return { app, folder }
}

const site = {
  'index.html': '<h1>Documentation</h1>',
  'api.html': '<h1>API</h1>',
  'webhooks.html': '<h1>Webhooks</h1>',
  '404.html': '<h1>Not here</h1>',
  'assets/app.js': 'start()'.repeat(50),
  'assets/states.png': 'picture '.repeat(50),
  'assets/Dockerfile': 'FROM node',
}

test('the site is at /docs/, with the API reference at /docs/api', async () => {
  const { app } = await serve(site)
  const responses = [
    '/docs/',
    '/docs/api',
    '/docs/webhooks',
    '/docs/assets/Dockerfile',
    '/docs/gone',
  ]
  const result = await Promise.all(responses.map((url) => app.inject(url)))
  expect(result.map(({ statusCode, body }) => [statusCode, body])).toEqual([
    [200, site['index.html']],
    [200, site['api.html']],
    [200, site['webhooks.html']],
    [200, site['assets/Dockerfile']],
    [404, site['404.html']],
  ])
  expect(result.map(({ headers }) => headers['content-type'])).toEqual([
    'text/html; charset=utf-8',
    'text/html; charset=utf-8',
    'text/html; charset=utf-8',
    'text/plain; charset=utf-8',
    'text/html; charset=utf-8',
  ])
  const { statusCode, headers } = await app.inject('/docs')
  expect([statusCode, headers.location]).toEqual([301, '/docs/'])
})

test('a page runs no inline script and no inline style, and requests nothing from other origins', async () => {
  const { app } = await serve(site)
  for (const url of ['/docs/', '/docs/gone']) {
    const { headers } = await app.inject(url)
    const policy = String(headers['content-security-policy'])
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /)
    expect(policy).not.toMatch(/unsafe|http|\*/)
  }
})

test('text is sent compressed and a picture unchanged, and neither is sent twice', async () => {
  const { app } = await serve(site)
  const request = (url: string, headers = {}) =>
    app.inject({ url, headers: { 'accept-encoding': 'br', ...headers } })
  const script = await request('/docs/assets/app.js')
  expect(script.headers['content-encoding']).toBe('br')
  expect(script.rawPayload.length).toBeLessThan(100)
  const secondResponse = await request('/docs/assets/app.js', {
    'if-none-match': script.headers.etag,
  })
  expect(secondResponse.statusCode).toBe(304)
  const picture = await request('/docs/assets/states.png')
  expect(picture.headers['content-encoding']).toBeUndefined()
  expect(picture.body).toBe(site['assets/states.png'])
})

test('no file outside the folder can be read', async () => {
  const { app, folder } = await serve(site)
  const name = `${folder.split('/').at(-1)}.secret`
  for (const path of [`../${name}`, `..%2f${name}`, `assets/../../${name}`, `%2e%2e/${name}`]) {
    const { statusCode, body } = await app.inject(`/docs/${path}`)
    expect([statusCode, body.includes('not of the site')]).toEqual([404, false])
  }
})

test('if the site has not been built, /docs/ leads to the API reference, which says how to build it', async () => {
  const { app } = await serve({})
  const [reference, contents, page] = await Promise.all(
    ['/docs/api', '/docs/', '/docs/webhooks'].map((url) => app.inject(url)),
  )
  expect(reference?.body).toContain('createPaymentIntent')
  expect(reference?.body).toContain('pnpm docs:build')
  expect([contents?.statusCode, contents?.headers.location]).toEqual([302, '/docs/api'])
  expect(page?.statusCode).toBe(404)
})
