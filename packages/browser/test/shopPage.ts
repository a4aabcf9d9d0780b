import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { launchChromium } from '../../../tests/support/launchChromium.ts'
import type { OpenServiceModalOptions } from '../src/options.ts'
import { holdMessages } from './holdMessages.ts'
import { apiOrigin, setPage, shopOrigin, type Tag } from './origins.ts'
import { installProbe, type Probe } from './pageProbe.ts'

type Shop = {
  callbackCalls: [name: string, clientSecret: string, value?: unknown][]
  checkouts: Record<string, { close(): void; closed: Promise<void> }>
}

export type ShopWindow = {
  shop: Shop
  probe: Probe
  openServiceModal: (options: Partial<OpenServiceModalOptions>) => Shop['checkouts'][string]
  /** The original function, without added options. */
  openBare: ShopWindow['openServiceModal']
}

export type Visit = {
  /** How the page loads the checkout; `buttons` is a script tag whose button opens it. */
  by?: Tag
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

let browser: Browser
let loadedBy: Tag
export let context: BrowserContext
export let page: Page
/** What the page has written to its console as errors, except failed requests. */
export let complaints: string[]
beforeAll(async () => {
  browser = await launchChromium()
})

afterAll(async () => {
  await browser?.close()
})

beforeEach(() => {
  complaints = []
})

afterEach(async () => {
  await context?.close()
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
  setPage({ policy, markup })
  loadedBy = by
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
  await prepare()
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

/** Prepares a loaded page for `openServiceModal` and `callbackCalls`. */
async function prepare() {
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
    { baseUrl: apiOrigin, by: loadedBy },
  )
}

/** Opens a checkout; `options` are passed to the page as JSON, which adds the others. */
export async function open(clientSecret: string, options: object = {}) {
  // A page that was loaded again.
  if (!(await page.evaluate(() => 'shop' in window))) await prepare()
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
    checkout?.close()
    await checkout?.closed
  }, clientSecret)
}

export const callbackCalls = () =>
  page.evaluate(() => (window as unknown as ShopWindow).shop.callbackCalls)
export const screenOf = (name: string) => page.locator(`[data-screen=${name}]`)
