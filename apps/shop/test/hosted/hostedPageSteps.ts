import { randomUUID } from 'node:crypto'
import { createClient } from '@payment-intents/node'
import type { TestWalletOptions } from '@payment-intents/testing/wallet'
import type { BrowserContext, Page } from 'playwright-core'
import { afterEach, beforeEach, expect } from 'vitest'
import { holdMessages } from '../../../../packages/browser/test/support/delayMessages.ts'
import { patientCalls } from '../../../../tests/support/patience.ts'
import { addWallet } from '../addWallet.ts'
import { browser, stack } from '../stack.ts'

let context: BrowserContext
/** The context's page, for the next test; null when a test has a lasting effect. */
let spare: Page | null = null
/** The client secret of the test's payment. */
export let secret: string
/** The secrets that no trace may contain; also matches truncated secrets. */
export let traced: string
export let link: string
/** URL and headers of every request. */
let requests: string[]
/** Every console line, uncaught error and policy violation. */
let lines: string[]

/** Lets each test of a group start with a payment, and end without a trace of its secret. */
export function tracePages(): void {
  beforeEach(async () => {
    const client = createClient({ apiKey: stack.apiKey, baseUrl: stack.apiUrl, ...patientCalls })
    follow((await client.createPaymentIntent({ amount_units: 7_000_000 })).client_secret)
    requests = []
    lines = []
    if (!spare) context = await newContext('en-US')
  })

  afterEach(async () => {
    for (const page of context.pages()) {
      expect(await stateOf(page)).not.toContain(traced)
      expect((await historyOf(page)).join()).not.toContain(traced)
    }
    if (spare) await spare.goto('about:blank')
    else await context.close()
    expect(requests.filter((request) => request.includes(traced))).toEqual([])
    expect(requests.filter((request) => !request.startsWith(`["${stack.apiUrl}/`))).toEqual([])
    expect(lines.filter((line) => !/status of (404|503)/.test(line))).toEqual([])
    expect((await serverLog()).filter((line) => line.includes(traced))).toEqual([])
  })
}

/** Sets the preferred language of the browser. */
export async function prefer(locale: string): Promise<void> {
  await context.close()
  spare = null
  context = await newContext(locale)
}

/** Sets the test's payment. */
export function follow(clientSecret: string): void {
  secret = clientSecret
  traced = secret.slice(0, -1)
  link = `${stack.apiUrl}/checkout/#${secret}`
}

/** Includes all earlier requests: the server logs them in order. */
async function serverLog(): Promise<readonly string[]> {
  const last = `/v1/${randomUUID()}`
  await fetch(stack.apiUrl + last)
  await expect.poll(() => stack.serverLog().join()).toContain(last)
  return stack.serverLog()
}

async function newContext(locale: string): Promise<BrowserContext> {
  const made = await browser.newContext({ locale })
  made.on('console', (message) => lines.push(message.text()))
  made.on('weberror', (error) => lines.push(error.error().message))
  made.on('request', (request) => {
    // A fragment stays in the browser.
    const [address] = request.url().split('#')
    requests.push(JSON.stringify([address, request.headers()]))
  })
  await made.addInitScript(holdMessages)
  await made.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      console.error(`policy: ${violatedDirective} refuses ${blockedURI}`),
    )
  })
  return made
}

/** A page of its own for the test. */
export async function openTab(decide?: TestWalletOptions['decide']): Promise<Page> {
  await spare?.close()
  const page = await context.newPage()
  await addWallet(page, { rpcUrl: stack.chain.url, ...(decide ? { decide } : {}) })
  spare = null
  return page
}

/** The page of the previous test, if available: a new page starts a process. */
export async function sharedTab(): Promise<Page> {
  const page = spare ?? (await openTab())
  spare = page
  return page
}

/** Opens the link and waits for its first screen. */
export async function openLink(page: Page, screen = 'pay'): Promise<void> {
  await page.goto(link)
  await screenOf(page, screen).waitFor()
  await untilSession(page)
}

/** Waits until the page has its session, and an address that survives a reload. */
export function untilSession(page: Page): Promise<void> {
  const [intentId] = secret.split('_secret_')
  return page.waitForURL(`${stack.apiUrl}/checkout/${intentId}`)
}

export const screenOf = (page: Page, name: string) => page.locator(`[data-screen=${name}]`)

/** Everything that a page stores or exposes to later scripts. */
export function stateOf(page: Page): Promise<string> {
  return page.evaluate(async () =>
    JSON.stringify([
      ...[{ ...localStorage }, { ...sessionStorage }, document.cookie, window.name],
      ...[history.state, document.referrer, location.href, document.title],
      ...[await indexedDB.databases(), await caches.keys()],
      document.documentElement.getHTML({
        shadowRoots: [...document.querySelectorAll('*')].flatMap(({ shadowRoot }) =>
          shadowRoot ? [shadowRoot] : [],
        ),
      }),
    ]),
  )
}

/** The URLs in the history. */
async function historyOf(page: Page): Promise<string[]> {
  const session = await context.newCDPSession(page)
  const { entries } = await session.send('Page.getNavigationHistory')
  await session.detach()
  return entries.map(({ url }) => url)
}
