import { randomBytes, randomUUID } from 'node:crypto'
import { createClient } from '@payment-intents/node'
import { type Logo, logoOf } from '@payment-intents/server/src/brand/logo.ts'
import type { BrandChanges } from '@payment-intents/server/src/db/merchants/brands.ts'
import type { TestWalletOptions } from '@payment-intents/testing/wallet'
import type { BrowserContext, Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { holdClock } from '../../../packages/browser/test/holdClock.ts'
import { holdMessages } from '../../../packages/browser/test/holdMessages.ts'
import { accessibilityFaults } from '../../../tests/screens/src/inspect.ts'
import { drawLogo } from '../../../tests/support/drawLogo.ts'
import { patientCalls } from '../../../tests/support/patience.ts'
import { until } from '../../../tests/support/until.ts'
import { addWallet } from './addWallet.ts'
import { mineByHand, mineEachSecond } from './orderSteps.ts'
import { browser, stack } from './stack.ts'

let context: BrowserContext
/** Of the test's payment. */
let secret: string
/** What no trace may contain; also matches truncated secrets. */
let traced: string
let link: string
/** URL and headers of every request. */
let requests: string[]
/** Every console line, uncaught error and policy violation. */
let lines: string[]

describe('the hosted page', () => {
  beforeEach(async () => {
    const client = createClient({ apiKey: stack.apiKey, baseUrl: stack.apiUrl, ...patientCalls })
    secret = (await client.createPaymentIntent({ amount_units: 7_000_000 })).client_secret
    traced = secret.slice(0, -1)
    link = `${stack.apiUrl}/checkout/#${secret}`
    context = await newContext('en-US')
  })

  afterEach(async () => {
    for (const page of context.pages()) {
      expect(await heldBy(page)).not.toContain(traced)
      expect((await historyOf(page)).join()).not.toContain(traced)
    }
    await context.close()
    expect(requests.filter((request) => request.includes(traced))).toEqual([])
    expect(requests.filter((request) => !request.startsWith(`["${stack.apiUrl}/`))).toEqual([])
    expect(lines.filter((line) => !/status of (404|503)/.test(line))).toEqual([])
    expect((await wholeServerLog()).filter((line) => line.includes(traced))).toEqual([])
  })

  test('a link handed over while the service is away says so, and opens when the payer tries again', async () => {
    const handoff = await fetch(`${stack.apiUrl}/v1/payment_intents/handoff`, {
      method: 'POST',
      body: JSON.stringify({ client_secret: secret }),
    })
    const { url } = (await handoff.json()) as { url: string }
    const page = await openTab()
    await holdClock(page)
    await page.route('**/checkout/session', (route) => route.fulfill({ status: 503 }))
    await page.goto(url)
    await page.getByRole('alert').getByText('The payment service cannot be reached').waitFor()
    // Until the clock moves, only the payer tries again.
    await page.unroute('**/checkout/session')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.clock.resume()
    await screenOf(page, 'pay').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('a link alone: opened, paid, reloaded and opened again on the way, and paid', async () => {
    const page = await openTab()
    await page.goto(link, { waitUntil: 'domcontentloaded' })
    await screenOf(page, 'pay').waitFor()
    await untilSigned(page)
    await page.getByRole('dialog', { name: 'Hollow Hill' }).waitFor()
    expect(await page.title()).toContain('Hollow Hill')
    expect(await page.getByRole('button', { name: 'Close' }).count()).toBe(0)
    for (let press = 0; press < 3; press += 1) await page.keyboard.press('Escape')

    // Nothing is seen on the chain until blocks are mined.
    await mineByHand()
    await page.getByRole('button', { name: 'Test Wallet' }).click()
    await screenOf(page, 'sent').waitFor()
    const [intentId = ''] = secret.split('_secret_')
    expect(await heldBy(page)).toContain(intentId)
    expect(await heldBy(page)).not.toContain(traced)

    // The session outlives the page.
    await page.reload()
    await screenOf(page, 'sent').waitFor()
    await openLink(page, 'sent')
    // A page that is brought back may still be on its way when the browser says that it is there.
    const hash = () => page.evaluate(() => location.hash)
    await page.goBack()
    expect(await until(hash)).toBe('')
    await page.goForward()
    expect(await until(hash)).toBe('')

    await mineEachSecond()
    await page.getByRole('heading', { name: 'Paid' }).waitFor()
    const events = await stack.eventsOf(intentId)
    expect(events.map(({ type }) => type)).toEqual([
      'payment_intent.created',
      'payment_intent.pending_confirmations',
      'payment_intent.succeeded',
    ])
  })

  test.each([
    ['no fragment', () => '', 'Open your payment link again'],
    ['an empty fragment', () => '#', 'Open your payment link again'],
    [
      'a secret that is wrong',
      () => '#pi_00000000000000000000000000000_secret_0',
      'Payment not found',
    ],
    ['a secret that is cut short', () => link.slice(link.indexOf('#'), -1), 'Payment not found'],
  ])('%s: the page says what to do', async (_, fragment, name) => {
    const page = await openTab()
    await page.goto(`${stack.apiUrl}/checkout/${fragment()}`)
    await page.getByRole('heading', { name }).waitFor()
    expect(await page.evaluate(() => location.hash)).toBe('')
  })

  test('opened in two tabs: the wallet is not asked again in the second, also when the first is closed', async () => {
    const first = await openTab(({ method }) =>
      method === 'eth_sendTransaction' ? 'hang' : 'approve',
    )
    await openLink(first)
    await first.getByRole('button', { name: 'Test Wallet' }).click()
    await first.locator('[data-screen=wallet][data-detail=confirming]').waitFor()

    const second = await openTab()
    await openLink(second, 'asked')
    await first.close()
    await openLink(second, 'asked')
    expect(await second.locator('.primary, [role=tab], [part=wallet]').count()).toBe(0)

    // Only the payer knows that nothing was sent.
    await second.getByRole('button', { name: 'I am sure that it was not sent' }).click()
    await second.getByRole('button', { name: 'Test Wallet' }).click()
    await second.getByRole('heading', { name: 'Paid' }).waitFor()
  })

  test('after another amount is sent by hand, the page says that it has arrived, and not to pay again', async () => {
    const page = await openTab()
    await openLink(page)
    await page.getByRole('tab', { name: 'QR code' }).click()
    await sendByHand(stack.wallet, 6_990_000)
    const notice = page.locator('p.note', { hasText: 'A payment of 6.99 USDC has arrived' })
    await notice.filter({ hasText: 'do not pay again' }).waitFor()
  })

  test('the rest of a part payment is paid by QR at an address of its own', async () => {
    const wallet_address = `0x${randomBytes(20).toString('hex')}` as const
    const client = createClient({ apiKey: stack.apiKey, baseUrl: stack.apiUrl, ...patientCalls })
    const intent = await client.createPaymentIntent({ amount_units: 7_000_000, wallet_address })
    secret = intent.client_secret
    traced = secret.slice(0, -1)
    link = `${stack.apiUrl}/checkout/#${secret}`
    const page = await openTab()
    await openLink(page)
    await sendByHand(wallet_address, 3_000_000)
    await page.locator('p.note', { hasText: '3.00 USDC has arrived. This is the rest.' }).waitFor()
    await page.getByRole('tab', { name: 'QR code' }).click()
    await page.getByText('Payment request', { exact: true }).click()
    const rest = Number(intent.payable_amount_units) - 3_000_000
    await page.locator('p.note', { hasText: `Send exactly ${rest / 1_000_000} USDC` }).waitFor()
    await page.getByRole('img', { name: /QR code/ }).waitFor()
    await sendByHand(wallet_address, rest)
    await page.getByRole('heading', { name: 'Paid' }).waitFor()
  })

  test('a browser that prefers another language loads its messages from the server', async () => {
    await context.close()
    context = await newContext('es-MX')
    const messages = await (await fetch(`${stack.apiUrl}/v1/locales/es.json`)).json()
    const title: unknown = messages['no_link.title']
    expect(title).toMatch(/\w/)
    expect(title).not.toBe('Open your payment link again')
    const page = await openTab()
    await page.goto(`${stack.apiUrl}/checkout/`)
    await page.getByRole('heading', { name: String(title), exact: true }).waitFor()
  })

  test('the look of a shop comes with the session: until then the server’s drawing, and a second at most', async () => {
    await brandedLink({ accent: '#0f766e' })
    const page = await openTab()
    await holdClock(page)
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/checkout/session', async (route) => {
      await held
      await route.continue()
    })
    await page.goto(link)
    await screenOf(page, 'pay').waitFor({ state: 'attached' })
    expect(await screenOf(page, 'pay').isVisible()).toBe(false)
    await page.clock.runFor(3_000)
    await screenOf(page, 'pay').waitFor()
    expect(await accentOf(page)).toBe('')
    // It can be paid without a session; the session, which is late, changes nothing but the look and the address.
    await page.getByRole('tab', { name: 'QR code' }).click()
    release()
    await untilSigned(page)
    await until(async () => expect(await accentOf(page)).toBe('#0f766e'))
    expect(await page.getByRole('tab', { name: 'QR code', selected: true }).count()).toBe(1)
  })

  test.each(['#ffe600', '#0b0b12', '#fafafa'])(
    'a shop of the colour %s: its logo, and all can be read, on light and on dark',
    async (accent) => {
      await brandedLink({ accent, logo: logoOf(drawLogo()) as Logo })
      const page = await openTab(({ method }) =>
        method === 'eth_sendTransaction' ? 'reject' : 'approve',
      )
      await openLink(page)
      await page.getByRole('tab', { name: 'QR code' }).click()
      await page.getByText('Payment request', { exact: true }).click()
      await page.getByRole('button', { name: 'Copy the amount' }).waitFor()
      await inspect(page)
      const mark = page.locator('.monogram')
      const drawn = () => mark.evaluate((element) => getComputedStyle(element).backgroundImage)
      await until(async () => expect(await drawn()).toMatch(/^url\("[^"]*\/v1\/logos\//))

      await page.getByRole('tab', { name: 'Wallet' }).click()
      await page.getByRole('button', { name: 'Test Wallet' }).click()
      const again = page.getByRole('button', { name: 'Try again' })
      await again.waitFor()
      await inspect(page)
      const color = await again.evaluate((element) => getComputedStyle(element).backgroundColor)
      expect(hexOf(color)).toBe(accent)

      // What the server draws, when the page is opened again.
      await page.route('**/v1/checkout.js', (route) => route.fulfill({ body: '' }))
      await page.reload()
      const logo = page.locator('img.monogram')
      const width = () => logo.evaluate((image) => (image as HTMLImageElement).naturalWidth)
      await until(async () => expect(await width()).toBe(128))
      expect(await page.locator('meta[name=theme-color]').getAttribute('content')).toBe(accent)
      await inspect(page, ['axe has read no text of the dialog'])
    },
  )

  test('a logo that cannot be loaded leaves the initial of the name', async () => {
    await brandedLink({ accent: '#0f766e', logo: logoOf(drawLogo()) as Logo })
    const page = await openTab()
    await page.route('**/v1/logos/*', (route) => route.fulfill({ body: 'no picture' }))
    await openLink(page)
    const mark = page.locator('.monogram')
    const [color, image] = await mark.evaluate((element) => {
      const style = getComputedStyle(element)
      return [style.color, style.backgroundImage]
    })
    expect([color, image]).toEqual(['rgb(255, 255, 255)', 'none'])
  })

  test('a link can name another language and look than the browser has', async () => {
    const page = await openTab()
    await page.goto(
      `${stack.apiUrl}/checkout/?locale=ar&theme=dark${link.slice(link.indexOf('#'))}`,
    )
    await screenOf(page, 'pay').waitFor()
    const dialog = page.locator('dialog.dark')
    await dialog.waitFor()
    expect(await dialog.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl')
    expect(new URL(page.url()).hash).toBe('')
  })
})

/** The test's payment is one to a shop with a brand. */
async function brandedLink(brand: BrandChanges): Promise<void> {
  await stack.branded.set(brand)
  const client = createClient({
    apiKey: stack.branded.apiKey,
    baseUrl: stack.apiUrl,
    ...patientCalls,
  })
  secret = (await client.createPaymentIntent({ amount_units: 7_000_000 })).client_secret
  traced = secret.slice(0, -1)
  link = `${stack.apiUrl}/checkout/#${secret}`
}

/** axe finds nothing wrong, on light and on dark. */
async function inspect(page: Page, faults: string[] = []): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.locator(`dialog.${colorScheme}, main`).waitFor()
    expect(await accessibilityFaults(page), colorScheme).toEqual(faults)
  }
}

const accentOf = (page: Page) =>
  page.evaluate(() => document.documentElement.style.getPropertyValue('--payment-intents-accent'))

function hexOf(color: string): string {
  const parts = color.match(/\d+/g) ?? []
  return `#${parts.map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`
}

async function sendByHand(to: `0x${string}`, units: number): Promise<void> {
  const payer = stack.chain.accounts[6]
  if (!payer) throw new Error('The development chain has no seventh account.')
  await stack.chain.pay({ from: payer.address, to, amount: BigInt(units) })
}

/** Includes all earlier requests: the server logs them in order. */
async function wholeServerLog(): Promise<readonly string[]> {
  const last = `/v1/${randomUUID()}`
  await fetch(stack.apiUrl + last)
  await expect.poll(() => stack.serverLog().join()).toContain(last)
  return stack.serverLog()
}

async function newContext(locale: string): Promise<BrowserContext> {
  requests = []
  lines = []
  const made = await browser.newContext({ locale, reducedMotion: 'reduce' })
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

async function openTab(decide?: TestWalletOptions['decide']): Promise<Page> {
  const page = await context.newPage()
  await addWallet(page, { rpcUrl: stack.chain.url, ...(decide ? { decide } : {}) })
  return page
}

/** Opens the link and waits for its first screen. */
async function openLink(page: Page, screen = 'pay'): Promise<void> {
  await page.goto(link)
  await screenOf(page, screen).waitFor()
  await untilSigned(page)
}

/** The page has its session, and an address that opens again. */
function untilSigned(page: Page): Promise<void> {
  const [intentId] = secret.split('_secret_')
  return page.waitForURL(`${stack.apiUrl}/checkout/${intentId}`)
}

const screenOf = (page: Page, name: string) => page.locator(`[data-screen=${name}]`)

/** Everything that a page stores or exposes to later scripts. */
function heldBy(page: Page): Promise<string> {
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
  return entries.map(({ url }) => url)
}
