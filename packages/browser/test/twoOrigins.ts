import { readFile } from 'node:fs/promises'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest'
import { launchChromium } from '../../../tests/support/launchChromium.ts'
import type { OpenServiceModalOptions } from '../src/options.ts'
import type { Intent } from '../src/parseIntent.ts'
import type {} from './bundle.ts'
import { holdMessages } from './holdMessages.ts'
import { intent } from './intent.ts'
import { installProbe, type Probe } from './pageProbe.ts'
import { readMessages } from './readMessages.ts'

// A shop and the service on two origins, so that CORS and the policy are real.

/** A request as a server received it. */
export type Received = { method: string; url: string; headers: IncomingHttpHeaders; body: string }

/** Where an answer can be held until the test releases it. */
export type Hold = 'headers' | 'body' | 'modal' | 'messages'

type Shop = {
  callbackCalls: [name: string, clientSecret: string, value?: unknown][]
  checkouts: Record<string, { close(): void; closed: Promise<void> }>
}

export type ShopWindow = {
  shop: Shop
  probe: Probe
  openServiceModal: (options: Partial<OpenServiceModalOptions>) => Shop['checkouts'][string]
  /** The original function, without added options. */
  openBare: (options: Partial<OpenServiceModalOptions>) => void
}

export type Visit = {
  /** How the page loads the checkout; `buttons` is a script tag whose button opens it. */
  by?: keyof typeof tags
  /** What follows `#` in the address. */
  fragment?: string
  /** Added to the policy of the page. */
  policy?: string
  /** Placed before the script tag. */
  markup?: string
  motion?: 'reduce' | 'no-preference'
  /** Runs before all scripts of the page, after the probe. */
  before?: () => void
  /** Whether to record what the checkout leaves in the page. */
  probed?: boolean
}

const script = (attribute: string) => () =>
  `<script src="${apiOrigin}/v1/browser.js"${attribute}></script>`
const tags = {
  import: () => '<script type="module" src="/shop.js"></script>',
  script: script(''),
  page: script(' data-page'),
  buttons: script(' data-buttons'),
}

let browser: Browser
let shop: Server
let service: Server
let extraPolicy: string
let extraMarkup: string
/** Returns a version of the intent, or an error status. */
type Answer = (clientSecret: string, afterVersion: number) => Intent | number

let answer: Answer
let holding: { at: Hold; release: () => void; reached: () => void; held: Promise<void> } | null
let shopOrigin: string
export let apiOrigin: string
export let context: BrowserContext
export let page: Page
export let received: { shop: Received[]; api: Received[]; reports: Received[] }
/** What the page has written to its console as errors, except failed requests. */
export let complaints: string[]
/** Answers of the service that are not finished. */
export const unfinished = new Set<ServerResponse>()
/** Sends the answers that the service holds. */
export const waiting = new Set<() => void>()

beforeAll(async () => {
  browser = await launchChromium()
  shop = createServer(serveShop)
  service = createServer(serveApi)
  ;[shopOrigin, apiOrigin] = await Promise.all([listen(shop), listen(service)])
})

afterAll(async () => {
  await browser?.close()
  for (const server of [shop, service]) {
    server?.closeAllConnections()
    server?.close()
  }
})

beforeEach(() => {
  received = { shop: [], api: [], reports: [] }
  complaints = []
  extraPolicy = ''
  extraMarkup = ''
  holding = null
  answer = () => intent()
})

afterEach(async () => {
  await context?.close()
  waiting.clear()
})

/** Opens the shop in its own browser context, with the probe before all scripts of the page. */
export async function visit({
  by = 'import',
  policy = '',
  markup = '',
  motion = 'reduce',
  before,
  fragment = '',
  probed = true,
}: Visit = {}) {
  extraPolicy = policy
  extraMarkup = markup
  context = await browser.newContext({ reducedMotion: motion })
  await context.addInitScript(holdMessages)
  context.on('console', (message) => {
    const isError = message.type() === 'error' && !/status of \d/.test(message.text())
    if (isError) complaints.push(message.text())
  })
  page = await context.newPage()
  if (probed) await page.addInitScript(installProbe)
  if (before) await page.addInitScript(before)
  await page.goto(`${shopOrigin}/${by}${fragment && `#${fragment}`}`)
  await prepare({ by })
}

/** Opens another tab of the same browser; the functions here then use it. */
export async function openTab(): Promise<Page> {
  const { href } = new URL(page.url())
  page = await context.newPage()
  await page.goto(href)
  return page
}

/** Selects the tab that the functions here use. */
export function switchTo(tab: Page) {
  page = tab
}

/** The bodies that the service was sent. */
export function resolves(): { client_secret: string; payer?: string }[] {
  return received.api.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body))
}

/** Prepares a loaded page for `open` and `callbackCalls`. */
export async function prepare({ by }: Pick<Visit, 'by'>) {
  await page.evaluate(
    ({ baseUrl, by }) => {
      const here = window as unknown as ShopWindow & {
        PaymentIntents?: { openServiceModal: ShopWindow['openServiceModal'] }
      }
      here.shop = { callbackCalls: [], checkouts: {} }
      const { openServiceModal } =
        by !== 'import' && here.PaymentIntents ? here.PaymentIntents : here
      here.openBare = openServiceModal
      here.openServiceModal = (options) => {
        const secret = String(options.clientSecret)
        const record = (name: string) => (value?: unknown) => {
          here.shop.callbackCalls.push(value === undefined ? [name, secret] : [name, secret, value])
        }
        const checkout = openServiceModal({
          merchantName: 'Kiosk',
          baseUrl,
          onSuccess: record('success'),
          onPending: record('pending'),
          onError: record('error'),
          onClose: record('close'),
          ...options,
        })
        here.shop.checkouts[secret] = checkout
        return checkout
      }
    },
    { baseUrl: apiOrigin, by },
  )
}

/** Opens a checkout; the other options are added in the page. */
export function open(
  clientSecret: string,
  options: Pick<OpenServiceModalOptions, 'locale' | 'nonce'> = {},
) {
  return page.evaluate(
    (options) => {
      ;(window as unknown as ShopWindow).openServiceModal(options)
    },
    { clientSecret, ...options },
  )
}

export function close(clientSecret: string) {
  return page.evaluate(async (secret) => {
    const checkout = (window as unknown as ShopWindow).shop.checkouts[secret]
    checkout?.close()
    await checkout?.closed
  }, clientSecret)
}

export const callbackCalls = () =>
  page.evaluate(() => (window as unknown as ShopWindow).shop.callbackCalls)
export const screenOf = (name: string) => page.locator(`[data-screen=${name}]`)

/** Sets the service's answer from now on, also for held requests. */
export function answerWith(next: Answer) {
  answer = next
  for (const send of [...waiting]) send()
}

/** Holds the next answer at a point; `reached` resolves there, `release` continues. */
export function holdAt(at: Hold) {
  let release = () => {}
  let reached = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const arrived = new Promise<void>((resolve) => {
    reached = resolve
  })
  holding = { at, release, reached, held }
  return { reached: arrived, release }
}

async function pass(at: Hold) {
  if (holding?.at !== at) return
  const { reached, held } = holding
  reached()
  await held
}

async function serveShop(request: IncomingMessage, response: ServerResponse) {
  const got = await read(request)
  const path = got.url.split('?')[0] ?? ''
  if (path === '/reports') {
    received.reports.push(got)
    return response.writeHead(204).end()
  }
  received.shop.push(got)
  if (path.endsWith('.js')) {
    if (/modal/.test(path)) await pass('modal')
    const code = await readFile(join(inject('bundles'), path)).catch(() => null)
    if (path.includes('/de') || path.includes('/ar')) await pass('messages')
    return response.writeHead(code ? 200 : 404, { 'content-type': 'text/javascript' }).end(code)
  }
  if (path === '/favicon.ico') return response.writeHead(204).end()
  const by = path.slice(1) as keyof typeof tags
  response
    .writeHead(200, {
      'content-type': 'text/html',
      'content-security-policy': `default-src 'none'; script-src ${by === 'import' ? "'self'" : apiOrigin}; connect-src ${apiOrigin}; img-src data:; report-uri /reports${extraPolicy}`,
    })
    .end(
      `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><body>${extraMarkup}${tags[by]()}<button id="pay">Pay</button></body></html>`,
    )
}

async function serveApi(request: IncomingMessage, response: ServerResponse) {
  const got = await read(request)
  received.api.push(got)
  response.setHeader('access-control-allow-origin', '*')
  if (got.method === 'OPTIONS') {
    const headers = {
      'access-control-allow-headers': 'content-type',
      'access-control-allow-methods': 'POST',
    }
    return response.writeHead(204, headers).end()
  }
  if (got.url === '/v1/browser.js') {
    response.writeHead(200, { 'content-type': 'text/javascript' })
    return response.end(await readFile(join(inject('bundles'), 'script.js')))
  }
  if (got.url.startsWith('/v1/locales/')) {
    await pass('messages')
    response.writeHead(200, { 'content-type': 'application/json' })
    const language = /(\w+)\.json$/.exec(got.url)?.[1] ?? ''
    return response.end(JSON.stringify(await readMessages(language)))
  }
  return resolve(JSON.parse(got.body), response)
}

async function resolve(
  asked: { client_secret: string; after_version?: number },
  response: ServerResponse,
) {
  unfinished.add(response)
  response.once('close', () => unfinished.delete(response))
  await pass('headers')
  const send = async () => {
    const now = answer(asked.client_secret, asked.after_version ?? 0)
    const body =
      typeof now === 'number' ? { error: now === 404 ? 'intent_not_found' : 'internal_error' } : now
    if (typeof now !== 'number' && Number(asked.after_version) >= now.version) return
    waiting.delete(send)
    response.writeHead(typeof now === 'number' ? now : 200, { 'content-type': 'application/json' })
    const text = JSON.stringify(body)
    response.write(text.slice(0, 10))
    await pass('body')
    response.end(text.slice(10))
  }
  waiting.add(send)
  response.once('close', () => waiting.delete(send))
  await send()
}

async function read(request: IncomingMessage): Promise<Received> {
  let body = ''
  for await (const chunk of request) body += chunk
  const { method = '', url = '', headers } = request
  return { method, url, headers, body }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
