import { expect, test } from 'vitest'
import { isFull } from '../../../../tests/support/tier.ts'
import { respondWith, secret } from '../support/checkoutPage.ts'
import { holdClock } from '../support/holdClock.ts'
import { page, screenOf } from '../support/shopPage.ts'
import { intent } from '../support/testIntents.ts'

// Wallets that draw in the page beside the open checkout, in pages with conflicting styles or dialogs.

type Wallet = {
  /** Whether the page provides it, or it announces itself. */
  source: 'page' | 'browser'
  /** The place where it draws: a new element, an existing element of the page, or the browser's top layer. */
  draws: 'element' | 'shown' | 'dialog'
  zIndex?: string
  afterMs?: number
}

type Page = { markup?: string; css?: string; open?: string; container?: string }

/** Opens the checkout beside a wallet that, on a request, draws a button that refuses the request. */
async function openWithWallet(wallet: Wallet, { markup = '', css = '', ...shop }: Page = {}) {
  respondWith(secret, intent())
  await page.evaluate(
    ({ clientSecret, wallet, markup, css, shop }) => {
      const sheet = new CSSStyleSheet()
      const level = wallet.zIndex ?? '999'
      sheet.replaceSync(`#own { position: fixed; inset: 40%; z-index: ${level} } ${css}`)
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
      document.body.insertAdjacentHTML('beforeend', markup)
      if (shop.open) (document.querySelector(shop.open) as HTMLDialogElement).showModal()
      const button = document.createElement('button')
      button.textContent = 'Refuse here'
      const walletElement = document.createElement(wallet.draws === 'dialog' ? 'dialog' : 'div')
      walletElement.id = 'own'
      walletElement.append(button)
      if (wallet.draws === 'shown') {
        walletElement.style.display = 'none'
        document.body.append(walletElement)
      }
      const draw = () => {
        walletElement.style.display = ''
        document.body.append(...(walletElement.isConnected ? [] : [walletElement]))
        if (walletElement instanceof HTMLDialogElement) walletElement.showModal()
        button.focus()
      }
      const provider = {
        request: () =>
          new Promise((_, reject) => {
            button.onclick = () => {
              walletElement.remove()
              reject({ code: 4001 })
            }
            if (wallet.afterMs) setTimeout(draw, wallet.afterMs)
            else draw()
          }),
      }
      if (wallet.source === 'browser') {
        const detail = { info: { uuid: 'own', name: 'Own', icon: '' }, provider }
        window.addEventListener('eip6963:requestProvider', () =>
          window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail })),
        )
      }
      const { PaymentIntents } = window as unknown as {
        PaymentIntents: { openServiceModal(options: object): void }
      }
      PaymentIntents.openServiceModal({
        ...{ clientSecret, merchantName: 'Kiosk' },
        ...(wallet.source === 'page' && { wallets: [{ name: 'Own', provider }] }),
        ...(shop.container && { container: document.querySelector(shop.container) }),
      })
    },
    { clientSecret: secret, wallet, markup, css, shop },
  )
  await page.getByRole('button', { name: 'Own' }).click()
  await screenOf('wallet').waitFor()
}

const dialog = () => page.locator('div[lang] dialog')
const isModal = () => dialog().evaluate((element) => element.matches(':modal'))

/** Presses the wallet's button, which restores the checkout. Playwright presses only elements that a payer could. */
async function expectUsable() {
  await page.getByRole('button', { name: 'Refuse here' }).click()
  await page.getByText('You declined').first().waitFor()
  expect(await isModal()).toBe(true)
}

/** Expects the whole dialog in its usual place, with nothing over its middle and its corners. */
async function expectShown() {
  const geometry = await dialog().evaluate((element) => {
    const { left, right, top, bottom, width } = element.getBoundingClientRect()
    const host = (element.getRootNode() as ShadowRoot).host
    const isOnTop = (x: number, y: number) => document.elementFromPoint(x, y) === host
    const edge = 24
    return {
      width,
      offCentre: Math.round(left + right - innerWidth),
      offTop: Math.round(top - Math.max(12, innerHeight / 2 - 320)),
      covered: [left + edge, right - edge].some(
        (x) => !isOnTop(x, top + edge) || !isOnTop(x, bottom - edge),
      ),
    }
  })
  expect(geometry).toEqual({ width: 400, offCentre: 0, offTop: 0, covered: false })
}

const drawing: [string, Wallet][] = [
  ['an element of its own', { source: 'page', draws: 'element' }],
  ['an element that was hidden', { source: 'page', draws: 'shown' }],
  ['a dialog', { source: 'page', draws: 'dialog' }],
  ['found in the browser, an element of its own', { source: 'browser', draws: 'element' }],
  ['found in the browser, an element that was hidden', { source: 'browser', draws: 'shown' }],
  ['found in the browser, a dialog', { source: 'browser', draws: 'dialog' }],
  ['without a z-index', { source: 'browser', draws: 'element', zIndex: 'auto' }],
]

// The quick tier has each way to draw and each source.
test.each(drawing.filter((_, at) => isFull || [0, 4, 5].includes(at)))(
  'a wallet that draws %s is usable',
  async (_, wallet) => {
    await openWithWallet(wallet)
    await expectUsable()
  },
)

test('a wallet whose modal dialog is in a shadow root keeps the focus and its keys, above a checkout that stays modal', async () => {
  await openWithWallet({ source: 'browser', draws: 'element', afterMs: 3_600_000 })
  await page.evaluate(() => {
    const host = document.createElement('div')
    const dialog = document.createElement('dialog')
    const button = document.createElement('button')
    button.textContent = 'Approve here'
    dialog.append(button)
    host.attachShadow({ mode: 'closed' }).append(dialog)
    document.body.append(host)
    dialog.showModal()
  })
  const approve = page.getByRole('button', { name: 'Approve here' })
  // Mutations are reported before this.
  await page.evaluate(() => new Promise(requestAnimationFrame))
  expect(await isModal()).toBe(true)
  expect(await page.evaluate(() => document.activeElement === document.body.lastElementChild)).toBe(
    true,
  )
  await page.keyboard.press('Escape')
  await screenOf('wallet').waitFor()
  await approve.waitFor({ state: 'hidden' })
})

test.each(isFull ? (['page', 'browser'] as const) : (['browser'] as const))(
  'a wallet of the %s that draws only minutes later is usable',
  async (source) => {
    await holdClock(page)
    await openWithWallet({ source, draws: 'element', afterMs: 120_000 })
    expect(await isModal()).toBe(source === 'browser')
    await page.clock.runFor(120_000)
    await expectUsable()
  },
)

test('the checkout stays modal beside a wallet of the browser with its own window', async () => {
  await holdClock(page)
  await openWithWallet({ source: 'browser', draws: 'element', afterMs: 120_000 })
  // Elements that no wallet draws.
  await page.evaluate(() => document.head.append(document.createElement('script')))
  await page.evaluate(() => document.body.append(document.createElement('script')))
  await page.clock.runFor(2_000)
  expect(await isModal()).toBe(true)
})

const header =
  '#header { position: sticky; top: 0; height: 400px; z-index: 1000; background: red } #long { height: 3000px }'

test('the checkout is above a sticky header and below the wallet', async () => {
  await openWithWallet(
    { source: 'page', draws: 'element', afterMs: 1, zIndex: '1100' },
    { markup: '<div id="header">Shop</div><p id="long">', css: header },
  )
  await expectShown()
  await expectUsable()
})

test('a wallet with a z-index below that of the header is usable', async () => {
  await openWithWallet(
    { source: 'page', draws: 'element', zIndex: '5' },
    { markup: '<div id="header">Shop</div>', css: header.replace('400px', '200px') },
  )
  await expectUsable()
})

test.each(
  isFull
    ? ['transform: translateX(80px)', 'filter: blur(0)', 'contain: paint']
    : ['contain: paint'],
)('a container with `%s` changes neither the place nor the look of the checkout', async (style) => {
  await openWithWallet(
    { source: 'page', draws: 'element', afterMs: 1 },
    {
      markup: '<div id="box"><div id="inner"></div></div>',
      css: `#box { ${style}; width: 200px; height: 100px; overflow: hidden } #inner { --payment-intents-radius: 7px }`,
      container: '#inner',
    },
  )
  const radius = await dialog().evaluate((element) => getComputedStyle(element).borderRadius)
  expect(radius).toBe('7px')
  await expectShown()
  await expectUsable()
  const home = await page.evaluate(() => document.querySelector('#inner > div[lang]') !== null)
  expect(home).toBe(true)
})

test('the checkout over a dialog of the page is usable while a wallet prompts', async () => {
  await openWithWallet(
    { source: 'page', draws: 'dialog' },
    {
      markup: '<dialog id="cart">Cart</dialog>',
      css: '#cart { transform: scale(0.9); width: 300px; height: 100px; overflow: hidden }',
      open: '#cart',
    },
  )
  await expectUsable()
  await page.keyboard.press('Escape')
  await dialog().waitFor({ state: 'detached' })
  expect(await page.locator('#cart').evaluate((cart) => cart.matches(':modal'))).toBe(true)
})

test('the checkout over a dialog of the page can be left before a wallet draws', async () => {
  await holdClock(page)
  await openWithWallet(
    { source: 'page', draws: 'dialog', afterMs: 120_000 },
    {
      markup: '<dialog id="cart">Cart</dialog>',
      css: '#cart { transform: scale(0.9); width: 300px; height: 100px; overflow: hidden }',
      open: '#cart',
    },
  )
  await expectShown()
  await page.getByRole('button', { name: 'Close' }).click()
  await screenOf('leaving').waitFor()
  await page.getByRole('button', { name: 'Stay here' }).click()
  await screenOf('wallet').waitFor()
  await page.clock.runFor(120_000)
  await expectUsable()
})
