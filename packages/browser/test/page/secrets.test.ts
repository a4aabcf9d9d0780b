import { expect, test } from 'vitest'
import { isFull } from '../../../../tests/support/tier.ts'
import { needlesOf, placesWith } from '../support/needles.ts'
import { apiOrigin, holdAt, received, setResponse } from '../support/origins.ts'
import {
  callbackCalls,
  close,
  context,
  open,
  openShop,
  page,
  type ShopWindow,
  screenOf,
} from '../support/shopPage.ts'
import { intent, txHash } from '../support/testIntents.ts'
import { type Journey, journeys } from '../walks/journeys.ts'

const hidden = 'Zk~f9+Qw/8=Lr2:Vx7mN4'
const secret = `pi_test_0001_secret_${hidden}`

type Watched = { sent: unknown[]; lines: unknown[]; requested: string[] }
let watched: Watched

/** Records what the page writes to the console, requests, throws, and posts to others. */
async function watch() {
  watched = { sent: [], lines: [], requested: [] }
  page.on('console', (message) => watched.lines.push(message.text(), message.location()))
  page.on('pageerror', ({ message, stack }) => watched.lines.push(message, stack))
  const debug = await context.newCDPSession(page)
  await debug.send('Network.enable')
  debug.on('Network.requestWillBeSent', ({ request, documentURL }) =>
    watched.requested.push(JSON.stringify([request.url, request.headers, documentURL])),
  )
  debug.on('Network.requestWillBeSentExtraInfo', ({ headers }) =>
    watched.requested.push(JSON.stringify(headers)),
  )
  await page.evaluate(() => {
    const posted: unknown[] = []
    Object.assign(window, { posted })
    const { postMessage } = BroadcastChannel.prototype
    BroadcastChannel.prototype.postMessage = function (message) {
      posted.push(message)
      postMessage.call(this, message)
    }
    window.addEventListener('message', ({ data }) => posted.push(data))
    window.addEventListener('error', ({ message, error }) => posted.push([message, error?.stack]))
    window.addEventListener('unhandledrejection', ({ reason }) =>
      posted.push(String(reason?.stack)),
    )
  })
}

/** Every place in the page and every output of it, by name, except request bodies. */
async function places(): Promise<Record<string, unknown>> {
  const inPage = await page.evaluate(async () => {
    const texts: string[] = []
    const walk = (node: Node) => {
      if (node instanceof Element) {
        for (const { name, value } of node.attributes) texts.push(`${name}=${value}`)
        if (node.shadowRoot) walk(node.shadowRoot)
        if (node instanceof HTMLInputElement) texts.push(node.value)
      } else texts.push(node.nodeValue ?? '')
      node.childNodes.forEach(walk)
    }
    walk(document)
    const { held = [], pending = [] } = await navigator.locks.query()
    const { shop, posted } = window as unknown as ShopWindow & { posted: unknown }
    return {
      dom: texts,
      localStorage: JSON.stringify(localStorage),
      sessionStorage: JSON.stringify(sessionStorage),
      databases: await indexedDB.databases(),
      caches: await caches.keys(),
      cookie: document.cookie,
      history: [history.length, history.state],
      address: [location.href, document.title, document.referrer, window.name],
      performance: performance.getEntries().map((entry) => entry.toJSON()),
      locks: [...held, ...pending].map(({ name }) => name),
      callbacks: shop.callbackCalls.map(([name, , value]) => [name, value]),
      posted,
      globals: Object.keys(window),
    }
  })
  const servers = [...received.shop, ...received.api, ...received.reports]
  return {
    ...inPage,
    cookies: await context.cookies(),
    console: watched.lines,
    requested: watched.requested,
    urls: servers.map(({ url }) => url),
    headers: servers.map(({ headers }) => headers),
    shop: received.shop,
  }
}

const leaks = async () => {
  const leakPlaces = await places()
  return [...placesWith(secret, leakPlaces), ...placesWith(hidden, leakPlaces)]
}

const sentInBody = () => received.api.filter(({ body }) => body.includes(hidden)).length

/** Opens the checkout with a wallet that responds as the journey says, and records its requests. */
function openWithWallet({ wallet }: Journey, locale?: string) {
  return page.evaluate(
    ({ wallet, secret, locale }) => {
      const walletMethods: unknown[] = []
      Object.assign(window, { walletMethods })
      const provider = {
        async request({ method, params }: { method: string; params?: unknown }) {
          walletMethods.push([method, params])
          const [first] = (params ?? []) as { data?: string }[]
          const key = method === 'eth_call' ? `eth_call ${first?.data?.slice(0, 10)}` : method
          const [reply] = wallet[key] ?? []
          if (!reply || 'rejection' in reply) throw reply?.rejection ?? { code: 4200 }
          return reply.result
        },
      }
      ;(window as unknown as ShopWindow).openServiceModal({
        clientSecret: secret,
        wallets: [{ name: 'Own', provider }],
        ...(locale ? { locale } : {}),
      })
    },
    { wallet, secret, locale },
  )
}

const journey = (name: string) => journeys.find((candidate) => candidate.name === name) as Journey

test('the search finds the secret in every form', () => {
  const bytes = Buffer.from(`before ${secret} after`)
  const forms = {
    plain: bytes.toString(),
    url: `https://x.example/?a=${encodeURIComponent(bytes.toString())}`,
    base64: bytes.toString('base64'),
    base64url: Buffer.concat([Buffer.from('x'), bytes]).toString('base64url'),
    shifted: Buffer.concat([Buffer.from('xy'), bytes]).toString('base64'),
    hex: bytes.toString('hex'),
    nested: { deep: [{ message: secret }] },
  }
  expect(placesWith(secret, { ...forms, innocent: 'pi_test_0001' })).toEqual(Object.keys(forms))
  expect(needlesOf(secret).every((needle) => needle.length > 20)).toBe(true)
})

const payments = [
  ['import', 'a payer who declines'],
  ['script', 'a payer who is announced'],
  ['script', 'a smart wallet'],
  ['import', 'a plain wallet'],
] as const

test.each(isFull ? payments : payments.slice(0, 2))(
  'a payment by %s with %s leaks nothing on its way',
  async (by, name) => {
    await openShop({ by })
    await watch()
    const steps = journey(name)
    setResponse(() => intent(steps.announced ? { manual: null } : {}))
    await openWithWallet(steps, 'de')
    await page.locator('[part=wallet]').click()
    await screenOf(steps.end?.includes('problem') ? 'problem' : 'sent').waitFor()
    expect(await leaks()).toEqual([])
    setResponse(() => intent({ status: 'succeeded', tx_hash: txHash, version: 5 }))
    await screenOf('paid').waitFor()
    expect(await leaks()).toEqual([])
    await close(secret)
    expect(await leaks()).toEqual([])
    const walletMethods = await page.evaluate(
      () => (window as unknown as { walletMethods: unknown }).walletMethods,
    )
    expect(placesWith(hidden, { walletMethods })).toEqual([])
    // The secret is sent, in bodies to the service only.
    expect(sentInBody()).toBeGreaterThan(1)
  },
)

test('the QR code, its link and the copied text contain no secret', async () => {
  await openShop({ by: 'script' })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await watch()
  setResponse(() => intent({ lane: 'manual' }))
  await open(secret)
  /** The browser's clipboard, which pages of other tests also use. */
  const copied = async () => {
    await page.locator('.fields button').last().click()
    return page.evaluate(() => navigator.clipboard.readText())
  }
  await expect.poll(copied).toBe(intent().expected_wallet)
  expect(await leaks()).toEqual([])
})

const failing = [
  ['is a 404', 404, 'not_found'],
  ['is a 500', 500, 'loading'],
  ['is a 429', 429, 'loading'],
] as const

test.each(isFull ? failing : failing.slice(0, 2))(
  'a response that %s leaks nothing',
  async (_, status, screen) => {
    await openShop({ by: 'script' })
    await watch()
    setResponse(() => status)
    await open(secret)
    await screenOf(screen).waitFor()
    await expect.poll(sentInBody).toBeGreaterThan(0)
    expect(await leaks()).toEqual([])
    await close(secret)
    expect(await leaks()).toEqual([])
  },
)

test('a failing network, a redirect and a modal that does not load leak nothing', async () => {
  await openShop({ by: 'import' })
  await watch()
  await page.route(`${apiOrigin}/**`, (route) => route.abort('connectionreset'))
  await open(secret)
  await screenOf('loading').waitFor()
  await close(secret)
  await page.unroute(`${apiOrigin}/**`)
  await page.route(`${apiOrigin}/**`, (route) =>
    route.fulfill({ status: 307, headers: { location: 'https://elsewhere.example/take' } }),
  )
  await open(secret)
  await screenOf('loading').waitFor()
  await close(secret)
  expect(await leaks()).toEqual([])
  await page.unroute(`${apiOrigin}/**`)
  await page.reload()
  await watch()
  await page.route(/modal-/, (route) => route.abort())
  await open(secret)
  await expect.poll(callbackCalls).toMatchObject([['error', secret, { code: 'network_error' }]])
  expect(await leaks()).toEqual([])
  await close(secret)
  expect(await leaks()).toEqual([])
})

test('callbacks that throw, and a page without storage, leak nothing', async () => {
  await openShop({ by: 'script' })
  await watch()
  setResponse(() => intent({ status: 'succeeded', tx_hash: txHash }))
  await page.evaluate((secret) => {
    const storage = Object.getOwnPropertyDescriptor(window, 'localStorage') ?? {}
    Object.assign(window, {
      giveBack: () => Object.defineProperty(window, 'localStorage', storage),
    })
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new DOMException('denied', 'SecurityError')
      },
      configurable: true,
    })
    ;(window as unknown as ShopWindow).openServiceModal({
      clientSecret: secret,
      onSuccess() {
        throw new Error('the shop failed')
      },
    })
  }, secret)
  await screenOf('paid').waitFor()
  await close(secret)
  await page.evaluate(() => (window as unknown as { giveBack: () => void }).giveBack())
  expect(watched.lines).toContain('the shop failed')
  expect(await leaks()).toEqual([])
})

test('a request is sent without a preflight, a referrer, cookies or a cache', async () => {
  await openShop({ by: 'import' })
  await context.addCookies([{ name: 'session', value: 'x', url: apiOrigin }])
  const hold = holdAt('headers')
  await open(secret)
  await hold.reached
  hold.release()
  const posts = received.api.filter(({ method }) => method === 'POST')
  expect(posts.length).toBeGreaterThan(0)
  expect(received.api.filter(({ method }) => method === 'OPTIONS')).toEqual([])
  for (const { headers, url } of posts) {
    expect(headers.referer).toBeUndefined()
    expect(headers.cookie).toBeUndefined()
    expect(headers['cache-control']).toBe('no-cache')
    expect(url).toMatch(/^\/v1\/payment_intents\/(resolve|handoff)$/)
  }
})
