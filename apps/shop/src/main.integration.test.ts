import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { startProcess, type TestProcess } from '../../../tests/support/startProcess.ts'
import { type RequestOf, type ResponseOf, startStandInApi } from '../test/standInApi.ts'
import { formatUsdc } from './formatUsdc.ts'
import type { DescribedOrder } from './http/describeOrder.ts'
import { products } from './products.ts'

const apiKey = 'sk_test_a_key_that_must_not_be_seen'
const webhookSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
let api: Awaited<ReturnType<typeof startStandInApi>>
let requested: RequestOf[]
let events: (requested: RequestOf) => ResponseOf | Promise<ResponseOf>
let create: () => ResponseOf
/** For tests that do not change it. */
let common: Shop
const folders: string[] = []

beforeAll(async () => {
  api = await startStandInApi((question) => {
    if (question.path?.startsWith('/v1/events')) return events(question)
    requested.push(question)
    return create()
  })
  begin()
  common = await startShop()
})

beforeEach(begin)

afterAll(async () => {
  await common?.shop.end('SIGKILL')
  await api?.close()
  for (const folder of folders) rmSync(folder, { recursive: true })
})

function begin() {
  requested = []
  events = () => new Promise(() => {})
  create = () => ({ status: 200, body: intent })
}

const intent = {
  id: 'pi_1',
  status: 'requires_payment',
  client_secret: 'pi_1_secret_1',
  mode: 'testnet',
  chain: 'base',
  chain_id: 84532,
  confirmations_required: 5,
  amount_units: 24_000_000,
  decimals: 6,
  token_symbol: 'USDC',
  token_address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  expected_wallet: '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720',
  expires_at: '2026-01-01T00:30:00.000Z',
  expires_in_minutes: 30,
  lane: 'sdk',
  metadata: {},
}

type Shop = { shop: TestProcess; url: string }

/** Ends with the test. */
async function openShop(env?: Record<string, string>, folder?: string): Promise<Shop> {
  const opened: TestProcess[] = []
  onTestFinished(async () => {
    for (const shop of opened) await shop.end('SIGKILL')
  })
  return startShop(env, folder, (shop) => opened.push(shop))
}

async function startShop(
  env: Record<string, string> = {},
  folder = newFolder(),
  onStart: (shop: TestProcess) => void = () => {},
): Promise<Shop> {
  const shop = startProcess(join(import.meta.dirname, 'main.ts'), {
    env: {
      PORT: '0',
      DATA_DIR: folder,
      PAYMENT_INTENTS_API_KEY: apiKey,
      PAYMENT_INTENTS_WEBHOOK_SECRET: webhookSecret,
      PAYMENT_INTENTS_BASE_URL: api.url,
      ...env,
    },
  })
  onStart(shop)
  const [, url = ''] = await shop.prints(/open at (\S+)/)
  return { shop, url }
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'payment-intents-shop-'))
  folders.push(folder)
  return folder
}

function order(url: string, body: object): Promise<Response> {
  return fetch(`${url}/api/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

async function readOrder(url: string, id: string): Promise<DescribedOrder> {
  return (await fetch(`${url}/api/orders/${id}`)).json()
}

test('an order’s request has its own price, and its own id as idempotency key', async () => {
  const { url } = common
  const response = await order(url, { product_id: 'mug' })
  const { order_id, client_secret } = await response.json()
  expect(client_secret).toBe('pi_1_secret_1')
  expect(requested[0]).toMatchObject({
    headers: { authorization: `Bearer ${apiKey}`, 'idempotency-key': order_id },
    body: {
      amount_units: 24_000_000,
      chain: 'base',
      lane: 'sdk',
      metadata: {
        order_id,
        line_items: [{ name: 'Morning Mug', quantity: 1, amount: '24.00' }],
      },
    },
  })
})

test('an acknowledged order survives a SIGKILL', async () => {
  const folder = newFolder()
  const first = await openShop({}, folder)
  const { order_id } = await (await order(first.url, { product_id: 'mug' })).json()
  await first.shop.end('SIGKILL')
  const { url } = await openShop({}, folder)
  expect(await readOrder(url, order_id)).toMatchObject({
    status: 'requires_payment',
    transitions: [{ status: 'requires_payment' }],
  })
})

test('no page can read a key, a webhook secret or the client secret of an order', async () => {
  const client_secret = 'pi_2_secret_2'
  create = () => ({ status: 200, body: { ...intent, id: 'pi_2', client_secret } })
  const { url } = common
  const { order_id } = await (await order(url, { product_id: 'mug' })).json()
  const pages = [
    '/',
    '/plain.html',
    '/spoon.html',
    `/orders/${order_id}`,
    `/api/orders/${order_id}`,
    `/orders/${order_id}/deliveries`,
    `/api/orders/${order_id}/deliveries`,
    '/deliveries.html',
    '/api/deliveries',
  ]
  for (const path of pages) {
    const response = await fetch(url + path)
    expect(response.status).toBe(200)
    const body = await response.text()
    expect(body).not.toContain(apiKey)
    expect(body).not.toContain(webhookSecret)
    expect(body).not.toContain(client_secret)
  }
})

test('no order is created if the payment API refuses, and the page receives no details', async () => {
  create = () => ({ status: 401, body: { error: 'api_key_invalid', message: 'revoked' } })
  const { url, shop } = await openShop()
  const response = await order(url, { product_id: 'mug' })
  expect(response.status).toBe(502)
  expect(await response.json()).toEqual({ error: 'payment_unavailable' })
  await shop.end('SIGTERM')
  const said = shop.output()
  expect(said).toContain('An order failed')
  expect(said).not.toContain(apiKey)
})

test('refuses an order of an unknown product, lane or chain, or with its own amount', async () => {
  const { url } = common
  const bodies = [
    {},
    { product_id: 'yacht' },
    { product_id: 'mug', lane: 'card' },
    { product_id: 'mug', chain: 'polygon' },
    { product_id: 'mug', amount_units: 1 },
  ]
  for (const body of bodies) expect((await order(url, body)).status).toBe(400)
  expect(requested).toEqual([])
})

test('serves only pages, their files and orders', async () => {
  const { url } = common
  const paths = ['/orders', '/..%2fpackage.json', '/%2e%2e/src/main.ts', '/api/orders/ord_none']
  for (const path of paths) expect((await fetch(url + path)).status).toBe(404)
})

test('SIGTERM ends the shop at once, even while the API holds a response', async () => {
  const pending = Promise.withResolvers<void>()
  // Another shop of this file may send requests meanwhile.
  const otherKey = `${apiKey}_own`
  events = ({ headers }) => {
    if (headers.authorization === `Bearer ${otherKey}`) pending.resolve()
    return new Promise(() => {})
  }
  const { shop } = await openShop({ PAYMENT_INTENTS_API_KEY: otherKey })
  await pending.promise
  expect(await shop.end('SIGTERM')).toBe(0)
})

test('a port in use is reported in a sentence', async () => {
  const { url } = common
  await expect(openShop({ PORT: new URL(url).port })).rejects.toThrow(
    /exit code 1\. It printed:\nPort \d+ is taken.*PORT\.\n$/,
  )
})

test('the demo wallet is offered only with a development chain', async () => {
  expect(await (await fetch(common.url)).text()).not.toContain('demo-wallet')
  const { url } = await openShop({ RPC_URL: 'http://127.0.0.1:8545/?a="b"' })
  for (const path of ['/', '/plain.html']) {
    const page = await (await fetch(url + path)).text()
    expect(page).toContain('src="/demo-wallet.js"')
    expect(page).toContain('content="http://127.0.0.1:8545/?a=&#34;b&#34;"')
  }
  expect((await fetch(`${url}/demo-wallet.js`)).headers.get('content-type')).toMatch(/javascript/)
})

test('a shop that sells on two networks offers both on each page, and orders there', async () => {
  const { url } = await openShop({ SHOP_CHAINS: 'base,polygon' })
  const page = async (at: string, path: string) => (await fetch(at + path)).text()
  expect(await page(url, '/')).toContain('<meta name="shop-chains" content="base polygon" />')
  for (const path of ['/plain.html', '/spoon.html']) {
    expect(await page(url, path)).toContain('<option value="polygon">Polygon</option>')
    expect(await page(common.url, path)).not.toContain('Network')
  }
  await order(url, { product_id: 'mug', chain: 'polygon' })
  await order(url, { product_id: 'mug' })
  expect(requested).toMatchObject([{ body: { chain: 'polygon' } }, { body: { chain: 'base' } }])
})

test('a missing key is reported in a sentence', async () => {
  await expect(openShop({ PAYMENT_INTENTS_API_KEY: '' })).rejects.toThrow(
    /exit code 1\. It printed:\nThe shop needs PAYMENT_INTENTS_API_KEY: .*\.\n$/,
  )
})

test.each(['teapot', 'spoon'])('the page of the %s shows the price of the order', (id) => {
  const file = id === 'teapot' ? '../public/plain.html' : '../spoon.html'
  const page = readFileSync(join(import.meta.dirname, file), 'utf8')
  const product = products.find((candidate) => candidate.id === id)
  expect(page).toContain(`>${formatUsdc(product?.amountUnits ?? 0)}<`)
})

test('every page allows only its own files, the service, and the chain of the demo wallet', async () => {
  const { url } = common
  const service = new URL(api.url).origin
  const policy = async (path: string) =>
    (await fetch(url + path)).headers.get('content-security-policy')
  const strict = (connect: string) =>
    [
      "default-src 'none'",
      `script-src 'self' ${service}/v1/browser.js`,
      "style-src 'self'",
      "img-src 'self' data:",
      `connect-src ${connect}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; ')
  for (const path of ['/', '/plain.html', '/spoon.html', '/deliveries.html', '/orders/ord_1']) {
    expect(await policy(path)).toBe(strict(`'self' ${service}`))
  }
  expect(await policy('/shop.css')).toBeNull()
  const RPC_URL_POLYGON = 'http://127.0.0.1:8546'
  const tried = await openShop({ RPC_URL: 'http://127.0.0.1:8545/?a="b"', RPC_URL_POLYGON })
  const { headers } = await fetch(tried.url)
  expect(headers.get('content-security-policy')).toBe(
    strict(`'self' ${service} http://127.0.0.1:8545 ${RPC_URL_POLYGON}`),
  )
})

test('the script tag is pinned to the script of the installed package', async () => {
  const { url } = common
  const page = await (await fetch(`${url}/plain.html`)).text()
  const file = join(import.meta.dirname, '../../../packages/browser/dist/script.js')
  const hash = createHash('sha384').update(readFileSync(file)).digest('base64')
  expect(page).toContain(`integrity="sha384-${hash}" crossorigin="anonymous"`)
})
