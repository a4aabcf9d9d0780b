import { createClient } from '@payment-intents/node'
import type { BrowserContext, Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { patientCalls } from '../../../tests/support/patience.ts'
import { isFull } from '../../../tests/support/tier.ts'
import { until } from '../../../tests/support/until.ts'
import { addWallet } from './addWallet.ts'
import { help } from './orderSteps.ts'
import { browser, stack } from './stack.ts'

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } as const

let contexts: BrowserContext[]
let secret: string
let intentId: string
/** The address of the hosted page, which returns to the shop. */
let link: string

/** A separate browser: cookies, storage, and perhaps the wallet whose browser it is. */
async function openBrowser(device: object = phone): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: 'en-US', ...device })
  contexts.push(context)
  return context
}

async function walletPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  await addWallet(page, { rpcUrl: stack.chain.url })
  return page
}

const screenOf = (page: Page, name: string) => page.locator(`[data-screen=${name}]`)

/** The link of a wallet app, which a phone opens in the wallet's own browser. */
async function handedTo(page: Page, wallet: string): Promise<string> {
  const opener = page.getByRole('link', { name: `Open in ${wallet}` })
  await opener.and(page.locator('[href]')).waitFor()
  const { pathname, host } = new URL((await opener.getAttribute('href')) ?? '')
  expect(host).toBe('link.metamask.io')
  return `http://${pathname.slice('/dapp/'.length)}`
}

const pathOf = (page: Page) => new URL(page.url()).pathname

async function handOff(): Promise<string> {
  const response = await fetch(`${stack.apiUrl}/v1/payment_intents/handoff`, {
    method: 'POST',
    body: JSON.stringify({ client_secret: secret }),
  })
  const { url } = (await response.json()) as { url: string }
  return url
}

describe('on a phone', () => {
  beforeEach(async () => {
    contexts = []
    const client = createClient({ apiKey: stack.apiKey, baseUrl: stack.apiUrl, ...patientCalls })
    const metadata = { description: 'Two mugs, hand-thrown' }
    const intent = await client.createPaymentIntent({ amount_units: 24_000_000, metadata })
    secret = intent.client_secret
    intentId = intent.id
    const back = encodeURIComponent(`${stack.shopUrl}/plain.html?order=1042`)
    link = `${stack.apiUrl}/checkout/?return_url=${back}#${secret}`
  })

  afterEach(async () => {
    for (const context of contexts) await context.close()
  })

  test('a link opens a wallet app, which pays and returns to the shop, with reloads on the way', async () => {
    const safari = await (await openBrowser()).newPage()
    await safari.goto(link)
    await screenOf(safari, 'pay').waitFor()
    await safari.waitForURL(`${stack.apiUrl}/checkout/${intentId}`)
    // The server draws merchant, amount and description before a script has run.
    const drawn = await safari.reload({ waitUntil: 'commit' })
    const html = (await drawn?.text()) ?? ''
    expect(html).toContain('<h1>Hollow Hill</h1>')
    expect(html).toContain('24.00 <small>USDC</small>')
    expect(html).toContain('Two mugs, hand-thrown')
    expect(html).not.toContain(secret)
    await screenOf(safari, 'pay').waitFor()

    const handed = await handedTo(safari, 'MetaMask')
    // Previews do not use the link up.
    for (let previewed = 0; previewed < 3; previewed += 1) await fetch(handed)
    const wallet = await openBrowser()
    const page = await walletPage(wallet)
    await page.goto(handed)
    await screenOf(page, 'pay').waitFor()
    expect(pathOf(page)).toBe(`/checkout/${intentId}`)
    await page.reload()
    await screenOf(page, 'pay').waitFor()

    // The app is closed for lack of memory, and opened again with its cookies.
    const { cookies } = await wallet.storageState()
    await page.close()
    const reopened = await walletPage(wallet)
    await wallet.clearCookies()
    await wallet.addCookies(cookies)
    await reopened.goto(`${stack.apiUrl}/checkout/${intentId}`)
    await reopened.getByRole('button', { name: 'Test Wallet' }).click()
    await reopened.getByRole('heading', { name: 'Paid', exact: true }).waitFor()
    await reopened.reload()
    await reopened.getByRole('heading', { name: 'Paid', exact: true }).waitFor()
    const back = reopened.getByRole('link', { name: 'Back to Hollow Hill' })
    await back.waitFor()
    expect(await reopened.locator('.note', { hasText: 'You will be taken back' }).isVisible()).toBe(
      true,
    )
    // The page returns by itself, once the payer has had time to read it.
    await reopened.waitForURL(
      `${stack.shopUrl}/plain.html?order=1042&payment_intent=${intentId}&redirect_status=succeeded`,
    )
    // Going back shows it again, from memory or from the session.
    await reopened.goBack()
    await reopened.getByRole('heading', { name: 'Paid', exact: true }).waitFor()
    // The first browser has followed.
    await safari.waitForURL(/redirect_status=succeeded$/)
  })

  test.runIf(isFull)(
    'the phone that scans the code of a desktop pays, and the desktop shows it',
    async () => {
      const desktop = await (await openBrowser({})).newPage()
      const requested = desktop.waitForResponse(/\/handoff$/)
      await desktop.goto(link)
      await desktop
        .getByRole('img', { name: 'QR code that opens this payment on a phone' })
        .waitFor()
      const { url } = await (await requested).json()
      const page = await walletPage(await openBrowser())
      await page.goto(url)
      await page.getByRole('button', { name: 'Test Wallet' }).click()
      await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor()
      await desktop.getByRole('heading', { name: 'Paid', exact: true }).waitFor()
      // Both stay while their payer wants it.
      await page.getByRole('button', { name: 'Stay here' }).click()
      await page.locator('.note').waitFor({ state: 'detached' })
      const back = desktop.getByRole('link', { name: 'Back to Hollow Hill' })
      expect(await back.getAttribute('href')).toContain('redirect_status=succeeded')
    },
  )

  const spoiled: [string, (url: string) => Promise<string> | string][] = [
    [
      'used already',
      async (url) => {
        const first = await (await openBrowser()).newPage()
        await first.goto(url)
        await first.waitForURL(/\/checkout\/pi_/)
        return url
      },
    ],
    ['guessed', (url) => `${url.slice(0, url.lastIndexOf('/'))}/${'A'.repeat(32)}`],
    [
      'of a payment that was canceled',
      async (url) => {
        const client = createClient({
          apiKey: stack.apiKey,
          baseUrl: stack.apiUrl,
          ...patientCalls,
        })
        await client.paymentIntents.cancel(intentId)
        return url
      },
    ],
  ]

  test.each(spoiled.slice(0, isFull ? 3 : 1))(
    'a link that is %s shows what to do',
    async (_, spoil) => {
      const url = await spoil(await handOff())
      const page = await (await openBrowser()).newPage()
      await page.goto(url)
      await page.getByRole('heading', { name: 'This link has been used' }).waitFor()
      expect(await page.context().cookies()).toEqual([])
    },
  )

  test('the address of a page opens nothing without its cookie', async () => {
    const owner = await (await openBrowser()).newPage()
    await owner.goto(link)
    await owner.waitForURL(`${stack.apiUrl}/checkout/${intentId}`)
    const [cookie] = await owner.context().cookies()
    expect(cookie).toMatchObject({
      ...{ httpOnly: true, sameSite: 'Lax', path: `/checkout/${intentId}` },
    })
    const stranger = await (await openBrowser()).newPage()
    await stranger.goto(owner.url())
    await stranger.getByRole('heading', { name: 'Open your payment link again' }).waitFor()
    // Nor can another site's page read it through the payer's browser.
    await owner.goto(`${stack.shopUrl}/plain.html`)
    const read = await owner.evaluate(
      (url) =>
        fetch(url, { method: 'POST', credentials: 'include', body: '{}' }).then(
          () => 'read',
          () => 'refused',
        ),
      `${stack.apiUrl}/checkout/${intentId}/session`,
    )
    expect(read).toBe('refused')
  })

  test('a link that is opened while the network is down opens once it is back', async () => {
    const context = await openBrowser()
    const page = await walletPage(context)
    let isAway = true
    await page.route('**/checkout/session', (route) => (isAway ? route.abort() : route.continue()))
    const failed = page.waitForEvent('requestfailed')
    await page.goto(await handOff())
    await failed
    isAway = false
    await page.evaluate(() => window.dispatchEvent(new Event('online')))
    await screenOf(page, 'pay').waitFor()
  })

  test.runIf(isFull)('a canceled payment returns with its status', async () => {
    const page = await (await openBrowser()).newPage()
    await page.goto(link)
    await screenOf(page, 'pay').waitFor()
    await page.waitForURL(`${stack.apiUrl}/checkout/${intentId}`)
    const client = createClient({ apiKey: stack.apiKey, baseUrl: stack.apiUrl, ...patientCalls })
    await client.paymentIntents.cancel(intentId)
    await screenOf(page, 'canceled').waitFor()
    await page.getByRole('link', { name: 'Back to Hollow Hill' }).click()
    await page.waitForURL(/redirect_status=canceled$/)
  })

  test.runIf(isFull)(
    'a page from the back/forward cache shows that it was paid elsewhere meanwhile',
    async () => {
      const page = await (await openBrowser()).newPage()
      await page.goto(link)
      await screenOf(page, 'pay').waitFor()
      await page.waitForURL(`${stack.apiUrl}/checkout/${intentId}`)
      await page.goto(`${stack.shopUrl}/plain.html`)
      await help(`payment_intents/${intentId}/pay`, {})
      await page.goBack()
      await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor()
      await until(async () => expect(pathOf(page)).toBe(`/checkout/${intentId}`))
    },
  )
})
