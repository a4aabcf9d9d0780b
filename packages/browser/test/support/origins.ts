import { readFile } from 'node:fs/promises'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, inject } from 'vitest'
import { listenLocally } from '../../../../tests/support/listenLocally.ts'
import type { Intent } from '../../src/service/parseIntent.ts'
import type {} from '../bundleCheckout.ts'
import { readMessages } from './readMessages.ts'
import { intent } from './testIntents.ts'

// A shop and the service on two origins, so that CORS and the policy are real.

/** A request as a server received it. */
export type Received = { method: string; url: string; headers: IncomingHttpHeaders; body: string }

/** Points at which a response can be held until the test releases it. */
export type Hold = 'headers' | 'body' | 'modal' | 'messages'

/** How the page loads the checkout, by its path. */
export type Tag = keyof typeof tags

const script = (attribute: string) => () =>
  `<script src="${apiOrigin}/v1/browser.js"${attribute}></script>`
const tags = {
  import: () => '<script type="module" src="/shop.js"></script>',
  script: script(''),
  buttons: script(' data-buttons'),
  links: script(' data-buttons data-merchant="mer_1"'),
}

let extra: { policy: string; markup: string }
/** Returns a version of the intent, or an error status. */
type IntentResponse = (clientSecret: string, afterVersion: number) => Intent | number

let respond: IntentResponse
/** Responds to a submitted authorization: a status and a body, or a cut connection. */
type Authorized = (body: Authorizing) => [status: number, body: object] | 'cut'
type Authorizing = { client_secret: string; authorization: { value: string }; signature: string }
let authorized: Authorized
/** The handoff link of the service; null: it has none. */
let handoff: string | null
/** Responds to a payment link's request: a status and a body. */
type LinkResponder = (
  operation: 'resolve' | 'pay',
  body: LinkBody,
) => [status: number, body: object]
type LinkBody = { id: string; merchant?: string; visitor?: string; chain?: string }
let respondToLink: LinkResponder
let holding: { at: Hold; release: () => void; reached: () => void; released: Promise<void> } | null
export let shopOrigin: string
export let apiOrigin: string
export let received: { shop: Received[]; api: Received[]; reports: Received[] }
/** Unfinished responses of the service. */
export const unfinished = new Set<ServerResponse>()
/** Functions that send the responses that the service holds. */
export const waiting = new Set<() => void>()

beforeAll(async () => {
  const shop = await listenLocally(createServer(serveShop))
  const service = await listenLocally(createServer(serveApi))
  shopOrigin = shop.url
  apiOrigin = service.url
  return () => Promise.all([shop.close(), service.close()])
})

beforeEach(() => {
  received = { shop: [], api: [], reports: [] }
  holding = null
  handoff = null
  respondToLink = () => [404, { error: 'not_found' }]
  respond = () => intent()
  authorized = () => [200, {}]
})

afterEach(() => waiting.clear())

/** Moves the shop to an origin that no page has used, on the same site: browsers resolve these names themselves. */
export function moveShop(number: number) {
  shopOrigin = `http://v${number}.shop.localhost:${new URL(shopOrigin).port}`
}

/** Adds to the policy of the page, and inserts markup before its script tag. */
export function setPage(added: { policy: string; markup: string }) {
  extra = added
}

/** The bodies of the resolve requests. */
export function resolves(): { client_secret: string; payer?: string }[] {
  return received.api
    .filter(({ url }) => url.endsWith('/resolve'))
    .map(({ body }) => JSON.parse(body))
}

/** Sets the service's next responses, also to held requests. */
export function setResponse(next: IntentResponse) {
  respond = next
  for (const send of [...waiting]) send()
}

/** Sets the service's response to a submitted authorization. */
export function authorizeWith(next: Authorized) {
  authorized = next
}

/** Sets the service's responses to requests of payment links. */
export function setLinkResponse(next: LinkResponder) {
  respondToLink = next
}

/** The requests to payment links. */
export function linkRequests(): (LinkBody & { operation: string })[] {
  return received.api
    .filter(({ url }) => url.startsWith('/v1/payment_links/'))
    .map(({ url, body }) => ({ operation: url.split('/').at(-1) ?? '', ...JSON.parse(body) }))
}

export function submittedAuthorizations(): Authorizing[] {
  return received.api
    .filter(({ url }) => url.endsWith('/authorize'))
    .map(({ body }) => JSON.parse(body))
}

/** Sets the handoff link of the service. */
export function setHandoffUrl(url: string) {
  handoff = url
}

/** Holds the next response at a point; `reached` resolves there, `release` continues. */
export function holdAt(at: Hold) {
  let release = () => {}
  let reached = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const arrived = new Promise<void>((resolve) => {
    reached = resolve
  })
  holding = { at, release, reached, released: held }
  return { reached: arrived, release }
}

async function reachHold(at: Hold) {
  if (holding?.at !== at) return
  const { reached, released: held } = holding
  reached()
  await held
}

/** Sends the headers and the first character of a body that may begin with white space, and holds the rest. */
async function sendPart(response: ServerResponse, at: Hold) {
  response.write('\n')
  await reachHold(at)
}

async function serveShop(request: IncomingMessage, response: ServerResponse) {
  const requestBody = await read(request)
  const path = requestBody.url.split('?')[0] ?? ''
  if (path === '/reports') {
    received.reports.push(requestBody)
    return response.writeHead(204).end()
  }
  received.shop.push(requestBody)
  if (path.endsWith('.js')) {
    if (/modal/.test(path)) await reachHold('modal')
    const code = await readFile(join(inject('bundles'), path)).catch(() => null)
    response.writeHead(code ? 200 : 404, { 'content-type': 'text/javascript' })
    if (/\/(de|ar)-/.test(path)) await sendPart(response, 'messages')
    return response.end(code)
  }
  if (path === '/favicon.ico') return response.writeHead(204).end()
  const by = path.slice(1) as Tag
  response
    .writeHead(200, {
      'content-type': 'text/html',
      'content-security-policy': `default-src 'none'; script-src ${by === 'import' ? "'self'" : apiOrigin}; connect-src ${apiOrigin}; img-src data:; report-uri /reports${extra.policy}`,
    })
    .end(
      `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><body>${extra.markup}${tags[by]()}<button id="pay">Pay</button></body></html>`,
    )
}

async function serveApi(request: IncomingMessage, response: ServerResponse) {
  const requestBody = await read(request)
  received.api.push(requestBody)
  response.setHeader('access-control-allow-origin', '*')
  if (requestBody.method === 'OPTIONS') {
    const headers = {
      'access-control-allow-headers': 'content-type',
      'access-control-allow-methods': 'POST',
    }
    return response.writeHead(204, headers).end()
  }
  const file = { '/v1/browser.js': 'script.js', '/v1/link.js': 'link.js' }[requestBody.url]
  if (file) {
    response.writeHead(200, { 'content-type': 'text/javascript' })
    return response.end(await readFile(join(inject('bundles'), file)))
  }
  if (requestBody.url.startsWith('/v1/locales/')) {
    response.writeHead(200, { 'content-type': 'application/json' })
    await sendPart(response, 'messages')
    const language = /(\w+)\.json$/.exec(requestBody.url)?.[1] ?? ''
    return response.end(JSON.stringify(await readMessages(language)))
  }
  if (requestBody.url === '/v1/payment_intents/authorize') {
    const now = authorized(JSON.parse(requestBody.body))
    if (now === 'cut') return response.destroy()
    return response
      .writeHead(now[0], { 'content-type': 'application/json' })
      .end(JSON.stringify(now[1]))
  }
  if (requestBody.url.startsWith('/v1/payment_links/')) {
    const operation = requestBody.url.endsWith('/pay') ? 'pay' : 'resolve'
    const [status, body] = respondToLink(operation, JSON.parse(requestBody.body))
    return response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify(body))
  }
  if (requestBody.url.endsWith('/handoff')) {
    response.writeHead(handoff ? 200 : 404, { 'content-type': 'application/json' })
    return response.end(JSON.stringify(handoff ? { url: handoff } : { error: 'not_found' }))
  }
  return resolve(JSON.parse(requestBody.body), response)
}

async function resolve(
  request: { client_secret: string; after_version?: number },
  response: ServerResponse,
) {
  unfinished.add(response)
  response.once('close', () => unfinished.delete(response))
  await reachHold('headers')
  const send = async () => {
    const now = respond(request.client_secret, request.after_version ?? 0)
    const body =
      typeof now === 'number' ? { error: now === 404 ? 'intent_not_found' : 'internal_error' } : now
    if (typeof now !== 'number' && Number(request.after_version) >= now.version) return
    waiting.delete(send)
    response.writeHead(typeof now === 'number' ? now : 200, { 'content-type': 'application/json' })
    const text = JSON.stringify(body)
    response.write(text.slice(0, 10))
    await reachHold('body')
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
