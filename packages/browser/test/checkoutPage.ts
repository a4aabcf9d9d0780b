import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject } from 'vitest'
import { launchChromium } from '../../../tests/support/launchChromium.ts'
import type { Intent } from '../src/parseIntent.ts'
import type {} from './bundle.ts'
import { holdMessages } from './holdMessages.ts'
import { intent, txHash } from './intent.ts'
import { readMessages } from './readMessages.ts'

// Runs in a real browser, on a page whose policy allows only scripts, the service and data images.
const policy = "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:"

type Waiting = { after: number; send: () => void }
/** `options` are added to those of every opening; they are passed to the page as JSON. */
type Opening = { throwing?: boolean; options?: object | undefined }

let browser: Browser
let server: Server
let origin: string
let context: BrowserContext
export let page: Page
let complaints: string[]
let answers: Map<string, Intent | number>
export let requests: { client_secret: string; after_version?: number; payer?: string }[]
export let waiting: Waiting[]

beforeAll(async () => {
  const script = await readFile(join(inject('bundles'), 'script.js'), 'utf8')
  browser = await launchChromium()
  server = createServer(async (request, response) => {
    if (request.url === '/script.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
      return
    }
    const [, language] = /^\/v1\/locales\/(\w+)\.json$/.exec(request.url ?? '') ?? []
    if (language) {
      response.writeHead(200, { 'content-type': 'application/json' })
      return response.end(JSON.stringify(await readMessages(language)))
    }
    if (request.method !== 'POST') {
      const headers = { 'content-type': 'text/html', 'content-security-policy': policy }
      response.writeHead(200, headers).end(`<!doctype html><html lang="en"><title>Shop</title>
        <script src="/script.js" data-buttons></script><button id="pay" data-client-secret="button"
        data-merchant-name="Kiosk">Pay</button><button id="other">Other</button></html>`)
      return
    }
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const asked = JSON.parse(body)
      requests.push(asked)
      const send = () => {
        const answer = answers.get(asked.client_secret) ?? 404
        if (typeof answer === 'number') {
          const error = answer === 404 ? 'intent_not_found' : 'internal_error'
          response.writeHead(answer, { 'content-type': 'application/json' })
          return response.end(JSON.stringify({ error }))
        }
        const held = asked.after_version >= answer.version
        if (held) return waiting.push({ after: asked.after_version, send })
        response.writeHead(200, { 'content-type': 'application/json' })
        return response.end(JSON.stringify(answer))
      }
      send()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(async () => {
  await browser?.close()
  server?.closeAllConnections()
  server?.close()
})

beforeEach(async () => {
  answers = new Map()
  requests = []
  waiting = []
  complaints = []
  context = await browser.newContext({ reducedMotion: 'reduce' })
  await context.addInitScript(holdMessages)
  page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of \d/.test(message.text())) {
      complaints.push(message.text())
    }
  })
  await page.goto(origin)
})

afterEach(async () => {
  await context.close()
  expect(complaints).toEqual([])
})

/** Opens another tab of the same browser; the functions here then use it. */
export async function openTab(): Promise<Page> {
  page = await context.newPage()
  await page.goto(origin)
  return page
}

/** Selects the tab that the functions here use. */
export function switchTo(tab: Page) {
  page = tab
}

/** Ends the page's wait for messages of another language. */
export function giveUpOnMessages() {
  return page.evaluate(() => {
    const { giveUpOnMessages } = window as unknown as { giveUpOnMessages(): void }
    giveUpOnMessages()
  })
}

/** Sets the service's answer from now on, also for held requests. */
export function answerWith(secret: string, answer: Intent | number) {
  answers.set(secret, answer)
  for (const { send } of waiting.splice(0)) send()
}

export function open(clientSecret: string, { throwing = false, options = {} }: Opening = {}) {
  return page.evaluate(
    ({ clientSecret, throwing, options }) => {
      type Shop = {
        callbackCalls: unknown[]
        checkouts: Record<string, unknown>
        PaymentIntents: never
      }
      const shop = window as unknown as Shop
      shop.callbackCalls ??= []
      shop.checkouts ??= {}
      const callback = (name: string) => (value?: unknown) => {
        shop.callbackCalls.push([name, clientSecret, ...(value ? [value] : [])])
        if (throwing) throw new Error(`${name} throws`)
      }
      const { openServiceModal } = shop.PaymentIntents as {
        openServiceModal: (o: object) => object
      }
      shop.checkouts[clientSecret] = openServiceModal({
        clientSecret,
        merchantName: 'Kiosk',
        onSuccess: callback('success'),
        onPending: callback('pending'),
        onError: callback('error'),
        onClose: callback('close'),
        ...options,
      })
    },
    { clientSecret, throwing, options },
  )
}

export const callbackCalls = () =>
  page.evaluate(() => (window as unknown as { callbackCalls: unknown[] }).callbackCalls)
export const screenOf = (name: string) => page.locator(`[data-screen=${name}]`)
export const payment = { payment_intent_id: 'pi_test_0001', tx_hash: txHash }
export const pending = intent({
  status: 'pending_confirmations',
  tx_hash: txHash,
  confirmations: 2,
  version: 2,
})
export const paid = intent({ status: 'succeeded', tx_hash: txHash, confirmations: 5, version: 3 })

export function close(secret: string) {
  return page.evaluate(async (secret) => {
    type Shop = { checkouts: Record<string, { close(): void; closed: Promise<void> }> }
    const checkout = (window as unknown as Shop).checkouts[secret]
    checkout?.close()
    checkout?.close()
    await checkout?.closed
  }, secret)
}

/**
 * A wallet that announces itself and answers from a table, since functions cannot be passed to the page. `'never'`
 * never answers, `'held'` waits for `refuseHeld`, `'queued'` for its place in `queue`; `{ refuse: code }` refuses.
 */
export function addWallet(table: Record<string, unknown>) {
  return page.evaluate((table) => {
    const asked: string[] = []
    const requests: unknown[] = []
    Object.assign(window, { asked, requests, table })
    const provider = {
      request: async ({ method, params }: { method: string; params?: { data: string }[] }) => {
        asked.push(method)
        requests.push({ method, params })
        const data = method === 'eth_call' ? (params?.[0]?.data ?? '') : ''
        // For `eth_call`, the full calldata takes precedence over its selector.
        const [key = method] = data
          ? [`eth_call ${data}`, `eth_call ${data.slice(0, 10)}`].filter((name) => name in table)
          : [method]
        if (table[key] === 'never') return new Promise(() => {})
        if (table[key] === 'queued') {
          const shop = window as unknown as { queue?: ((how: string) => void)[] }
          shop.queue ??= []
          const { queue } = shop
          return new Promise((resolve, reject) => {
            queue.push((how) => {
              if (how === 'approve') resolve(`0x${'cd'.repeat(32)}`)
              else reject({ code: how === 'decline' ? 4001 : -32603 })
            })
          })
        }
        if (table[key] === 'held') {
          return new Promise((_, reject) => {
            Object.assign(window, { refuseHeld: () => reject({ code: 4001 }) })
          })
        }
        const later = (table[key] as { later?: unknown } | null)?.later
        if (later) {
          await new Promise((answer) => window.addEventListener('answer', answer, { once: true }))
          return later
        }
        if (!(key in table)) throw { code: 4200 }
        const answer = table[key] as { refuse?: number } | null
        if (answer?.refuse) throw { code: answer.refuse }
        return answer
      },
    }
    const info = { uuid: 'test', name: '<b>Test</b> Wallet', icon: 'https://evil.example/x.png' }
    const announce = () =>
      window.dispatchEvent(
        new CustomEvent('eip6963:announceProvider', { detail: { info, provider } }),
      )
    window.addEventListener('eip6963:requestProvider', announce)
    announce()
  }, table)
}

export const wallet = {
  eth_requestAccounts: [`0x${'22'.repeat(20)}`],
  eth_chainId: '0x14a34',
  'eth_call 0x70a08231': `0x${'0'.repeat(50)}ffffffffffffff`,
  'eth_call 0x5c975abb': `0x${'0'.repeat(64)}`,
  'eth_call 0xfe575a87': `0x${'0'.repeat(64)}`,
  eth_getCode: '0x',
  eth_getBalance: '0xde0b6b3a7640000',
  eth_estimateGas: '0xffff',
  eth_gasPrice: '0xffff',
  eth_sendTransaction: txHash,
}
