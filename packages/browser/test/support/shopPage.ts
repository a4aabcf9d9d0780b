import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { launchChromium } from '../../../../tests/support/launchChromium.ts'
import type { OpenServiceModalOptions } from '../../src/checkoutOptions.ts'
import { holdMessages } from './delayMessages.ts'
import { apiOrigin, moveShop, setPage, shopOrigin, type Tag } from './origins.ts'
import { installProbe, type Probe } from './pageProbe.ts'
import { noteCalls, noteSpending } from './spending.ts'

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

export type Opening = {
  /** How the page loads the checkout; `buttons` is a script tag whose button opens it. */
  by?: Tag
  /** The URL's fragment, without `#`. */
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
  /** Whether the test needs a page that no other test has used, for example to read its memory or its history. */
  isFresh?: boolean
}

let browser: Browser
let loadedBy: Tag
/** The changes that the test's calls have made to a page at rest. */
const changes = new Set<Change>()
let visits = 0
/** Whether the page has the probe. */
let hasProbe = false
export let context: BrowserContext
export let page: Page
/** The errors in the page's console, except failed requests. */
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
  if (!context) return
  if (changes.has('spent')) return context.close()
  const [first, ...tabs] = context.pages()
  for (const tab of tabs) await tab.close()
  if (first) page = first
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.goto('about:blank')
})

/**
 * Opens the shop at an origin that no test has used, so that its storage, locks and channels are empty. It reuses the
 * page of the previous test if nothing lasts in it, since a new page takes a new process.
 */
export async function openShop({
  by = 'import',
  policy = '',
  markup = '',
  motion = 'reduce',
  before,
  fragment = '',
  probed = true,
  isFresh = false,
}: Opening = {}) {
  setPage({ policy, markup })
  loadedBy = by
  if (isFresh || !context || changes.has('spent') || hasProbe !== probed) await openPage(probed)
  if (changes.has('viewport')) await page.setViewportSize(viewport)
  await page.emulateMedia({ ...media, reducedMotion: motion })
  changes.clear()
  if (isFresh) changes.add('spent')
  if (before) await page.addInitScript(before)
  visits += 1
  moveShop(visits)
  await page.goto(`${shopOrigin}/${by}${fragment && `#${fragment}`}`)
  await prepare()
}

type Change = 'spent' | 'viewport'

const media = { contrast: 'no-preference', forcedColors: 'none', colorScheme: 'light' } as const

const viewport = { width: 1280, height: 720 }

/** Opens a page in a browser context of its own, in place of the one before. */
async function openPage(probed: boolean) {
  await context?.close()
  context = await browser.newContext({ viewport })
  await context.addInitScript(holdMessages)
  context.on('console', (message) => {
    const isError = message.type() === 'error' && !/status of \d/.test(message.text())
    if (isError) complaints.push(message.text())
  })
  page = await context.newPage()
  hasProbe = probed
  if (probed) await page.addInitScript(installProbe)
  noteSpending({ context, page }, () => changes.add('spent'))
  noteCalls(page, () => changes.add('viewport'), 'setViewportSize')
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
      const shopWindow = window as unknown as ShopWindow & {
        PaymentIntents?: { openServiceModal: ShopWindow['openServiceModal'] }
      }
      shopWindow.shop = { callbackCalls: [], checkouts: {} }
      const { openServiceModal } =
        by !== 'import' && shopWindow.PaymentIntents ? shopWindow.PaymentIntents : shopWindow
      shopWindow.openBare = openServiceModal
      shopWindow.openServiceModal = (options) => {
        const secret = String(options.clientSecret ?? options.paymentLink)
        const record = (name: string) => (value?: unknown) => {
          shopWindow.shop.callbackCalls.push(
            value === undefined ? [name, secret] : [name, secret, value],
          )
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
        shopWindow.shop.checkouts[secret] = checkout
        return checkout
      }
    },
    { baseUrl: apiOrigin, by: loadedBy },
  )
}

/** Opens a checkout; `options` are passed to the page as JSON, which adds the others. */
export async function open(clientSecret: string, options: object = {}) {
  // The page was reloaded.
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

/** Ends the page's wait for messages of another language. */
export function giveUpOnMessages() {
  return page.evaluate(() => {
    const { giveUpOnMessages } = window as unknown as { giveUpOnMessages(): void }
    giveUpOnMessages()
  })
}
