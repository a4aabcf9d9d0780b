import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, request } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { newFolder } from '../../../../tests/support/newFolder.ts'
import { apiKey, intent, listenInTest, ok, serve, text } from '../../test/stubServer.ts'
import { testCertificate } from '../../test/testCertificate.ts'
import { createClient } from '../createClient.ts'

afterEach(() => vi.unstubAllGlobals())

const create = (baseUrl: string, options = {}) =>
  createClient({ apiKey, baseUrl, ...options }).createPaymentIntent({ amount_units: 1 })

/** A header that only `fetch` itself sends. */
const markOfFetch = 'sec-fetch-mode'

test('a call uses node:http while fetch is Node’s own', async () => {
  const server = await serve(ok)
  expect(await create(server.url)).toEqual(intent)
  expect(server.requests[0]?.headers).not.toHaveProperty(markOfFetch)
})

test('a fetch that is passed carries the call', async () => {
  const server = await serve(ok)
  await create(server.url, { fetch: globalThis.fetch })
  expect(server.requests[0]?.headers).toHaveProperty(markOfFetch)
})

test('a replaced global fetch sends it until it is restored', async () => {
  const server = await serve(ok)
  const client = createClient({ apiKey, baseUrl: server.url })
  const replaced = vi.fn(globalThis.fetch)
  await client.createPaymentIntent({ amount_units: 1 })
  vi.stubGlobal('fetch', replaced)
  await client.createPaymentIntent({ amount_units: 2 })
  vi.unstubAllGlobals()
  await client.createPaymentIntent({ amount_units: 3 })
  expect(replaced).toHaveBeenCalledTimes(1)
  expect(server.requests.map(({ headers }) => markOfFetch in headers)).toEqual([false, true, false])
})

test('a kept connection that is reset costs an attempt under the same key', async () => {
  const used = new Set<Socket>()
  const keys: unknown[] = []
  let resets = 0
  const { url } = await listenInTest(
    createServer((request, response) => {
      keys.push(request.headers['idempotency-key'])
      if (!used.has(request.socket)) {
        used.add(request.socket)
        ok(response)
      } else if (resets === 0) {
        resets += 1
        request.socket.resetAndDestroy()
      } else ok(response)
    }),
  )
  for (let call = 0; call < 4; call += 1) await create(url)
  expect(resets).toBe(1)
  expect(keys).toHaveLength(5)
  expect(new Set(keys).size).toBe(4)
})

test('a global dispatcher of another undici version sends requests of fetch, without following redirects', async () => {
  const { Agent, getGlobalDispatcher, interceptors, setGlobalDispatcher } = await import('undici')
  const before = getGlobalDispatcher()
  onTestFinished(() => setGlobalDispatcher(before))
  let dispatched = 0
  const counting = new Agent().compose(
    interceptors.redirect({ maxRedirections: 5 }),
    (dispatch) => (options, handler) => {
      dispatched += 1
      return dispatch(options, handler)
    },
  )
  setGlobalDispatcher(counting)
  const server = await serve(ok, text(307, '', { location: '/elsewhere', 'x-request-id': 'req_1' }))
  const { fetch } = globalThis
  expect(await create(server.url, { fetch })).toEqual(intent)
  await expect(create(server.url, { fetch })).rejects.toMatchObject({
    status: 307,
    requestId: 'req_1',
  })
  expect(server.requests).toHaveLength(2)
  expect(dispatched).toBe(2)
})

test('a proxy set in the environment is used', async () => {
  const server = await serve(ok)
  const forwarded: (string | undefined)[] = []
  const proxy = createServer((incoming, response) => {
    forwarded.push(incoming.url)
    const { method, headers } = incoming
    const upstream = request(server.url, { method, headers, path: '/v1/payment_intents' })
    upstream.on('response', (reply) => {
      response.writeHead(reply.statusCode ?? 0, reply.headers)
      reply.pipe(response)
    })
    incoming.pipe(upstream)
  })
  const { url } = await listenInTest(proxy)
  const environment = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: url }
  expect(await createElsewhere('http://pay.invalid', environment)).toBe(intent.id)
  expect(forwarded).toEqual(['http://pay.invalid/v1/payment_intents'])
})

test('https uses the certificates that Node.js is configured with', async () => {
  const respond: RequestListener = (_, response) => ok(response)
  const { port } = await listenInTest(createTlsServer(testCertificate, respond))
  const url = `https://localhost:${port}`
  await expect(create(url, { maxRetries: 0 })).rejects.toMatchObject({
    code: 'network_error',
    message: expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT'),
  })
  const authority = join(newFolder(), 'authority.pem')
  await writeFile(authority, testCertificate.cert)
  expect(await createElsewhere(url, { NODE_EXTRA_CA_CERTS: authority })).toBe(intent.id)
})

/** Creates an intent in a process with this environment, by the built package, and returns its id. */
async function createElsewhere(baseUrl: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const script = `import { createClient } from '@payment-intents/node'
    const client = createClient({ apiKey: '${apiKey}', baseUrl: '${baseUrl}' })
    console.log((await client.createPaymentIntent({ amount_units: 1 })).id)`
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', script],
    { cwd: import.meta.dirname, env: { ...process.env, ...environment } },
  )
  return stdout.trim()
}
