import { beforeEach, expect, test } from 'vitest'
import { en } from '../../src/locales/en.ts'
import { holdAt, setResponse } from '../support/origins.ts'
import {
  callbackCalls,
  close,
  giveUpOnMessages,
  open,
  openShop,
  page,
  type ShopWindow,
  screenOf,
} from '../support/shopPage.ts'
import { intent } from '../support/testIntents.ts'

const secret = 'pi_a_secret_a'
const pay = () => screenOf('pay').waitFor()

beforeEach(async () => {
  await openShop({ by: 'import' })
  setResponse(() => intent())
})

/** Holds the modal's file until it is released. */
async function holdModal() {
  let release = () => {}
  const pending = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/modal-/, async (route) => {
    await pending
    await route.continue()
  })
  return { release }
}

/** Records the elements of the dialog and their places, so that `changed` can name those that moved or are gone. */
const mark = () =>
  page.evaluate(() => {
    const dialog = document.querySelector('div[lang]')?.shadowRoot?.querySelector('dialog')
    const place = (element: Element) =>
      element.matches('.unseen') ? '' : JSON.stringify(element.getBoundingClientRect())
    const names = ['.sheet', '.head', '.monogram', '.merchant', '.close', 'h2', '.bones', 'b']
    const originals = names.map((name) => {
      const element = dialog?.querySelector(name)
      if (!element) throw new Error(`There is no ${name}.`)
      return { name, element, place: place(element) }
    })
    const changed = () =>
      originals
        .filter((was) => !was.element.isConnected || place(was.element) !== was.place)
        .map((was) => was.name)
    Object.assign(window, { changed })
  })

const changed = () => page.evaluate(() => (window as unknown as { changed(): string[] }).changed())

const focused = () =>
  page.evaluate(() => {
    const element = document.activeElement?.shadowRoot?.activeElement
    return element?.getAttribute('aria-label') ?? element?.textContent ?? document.activeElement?.id
  })

test('a modal dialog that shows that it loads opens in the task of the click', async () => {
  const modal = await holdModal()
  const shown = await page.evaluate((clientSecret) => {
    const { openServiceModal } = window as unknown as ShopWindow
    openServiceModal({ clientSecret, merchantName: '<b>Kiosk</b>' })
    const dialog = document.querySelector('div[lang]')?.shadowRoot?.querySelector('dialog')
    const box = dialog?.getBoundingClientRect()
    return { isModal: dialog?.matches(':modal'), width: box?.width, html: dialog?.innerHTML }
  }, secret)
  expect(shown).toMatchObject({ isModal: true, width: 400 })
  expect(shown.html).toContain('&lt;b&gt;Kiosk&lt;/b&gt;')
  expect(await page.getByRole('dialog').ariaSnapshot()).toMatchInlineSnapshot(`
    "- dialog "<b>Kiosk</b>":
      - text: <b>Kiosk</b>
      - button "Close"
      - heading "Loading your payment" [level=2]
      - status
      - status
      - status"
  `)
  expect(await focused()).toBe(en.loading)
  modal.release()
  await pay()
})

test('the modal keeps each element of the shell, and the focus where the payer moved it', async () => {
  const modal = await holdModal()
  const service = holdAt('body')
  await open(secret)
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('Close')
  await mark()
  modal.release()
  // The modal has loaded once it locks the page's scrolling.
  const scroll = () => page.evaluate(() => getComputedStyle(document.documentElement).overflow)
  await expect.poll(scroll).toBe('hidden')
  expect(await changed()).toEqual([])
  expect(await focused()).toBe('Close')
  service.release()
  await pay()
  expect(await focused()).toBe('Close')
  await page.keyboard.press('Enter')
  await expect.poll(callbackCalls).toEqual([['close', secret]])
})

const logo = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="400" height="100"/>')}`

test('the page’s logo, font and radius apply from the first frame on', async () => {
  const modal = await holdModal()
  await page.evaluate(() => {
    const { style } = document.body
    style.setProperty('--payment-intents-radius', '3px')
    style.setProperty('--payment-intents-font', 'monospace')
    style.setProperty('--payment-intents-accent', 'light-dark(rgb(1, 2, 3), rgb(4, 5, 6))')
  })
  await open(secret, { appearance: { logo }, theme: 'dark' })
  const look = () =>
    page.evaluate(() => {
      const dialog = document.querySelector('div[lang]')?.shadowRoot?.querySelector('dialog')
      const image = dialog?.querySelector('img')
      if (!dialog || !image) throw new Error('There is no logo.')
      const { borderTopLeftRadius, fontFamily } = getComputedStyle(dialog)
      const { src, clientHeight } = image
      return { borderTopLeftRadius, fontFamily, src, clientHeight }
    })
  const first = await look()
  expect(first).toEqual({
    ...{ borderTopLeftRadius: '3px', fontFamily: 'monospace', src: logo, clientHeight: 28 },
  })
  modal.release()
  await pay()
  expect(await look()).toEqual(first)
  expect(await page.locator('.monogram').count()).toBe(0)
  await page.locator('.link, .primary, [aria-selected=true]').first().focus()
  await page.keyboard.press('Tab')
  const outline = await page.evaluate(() => {
    const focused = document.activeElement?.shadowRoot?.activeElement
    return focused && getComputedStyle(focused).outlineColor
  })
  expect(outline).toBe('rgb(4, 5, 6)')
})

test.each([
  ['has no size:', 'viewBox="0 0 32 32"', 28],
  ['has no size and is wide:', 'viewBox="0 0 400 100"', 112],
  ['has a size:', 'viewBox="0 0 400 100" width="200" height="50"', 112],
])('a logo is beside the name if its picture %s %s', async (_, attributes, width) => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}><path d="M0 0h9v9z"/></svg>`
  const logo = `data:image/svg+xml,${encodeURIComponent(svg)}`
  await open(secret, { appearance: { logo } })
  await pay()
  const boxes = await page.locator('.head').evaluate((head) => {
    const [image, name] = head.querySelectorAll('.logo, .logo + *')
    const [before, after] = [image?.getBoundingClientRect(), name?.getBoundingClientRect()]
    return { width: before?.width, gap: (after?.left ?? 0) - (before?.right ?? 0) }
  })
  expect(boxes).toEqual({ width, gap: 8 })
})

test('only the name is shown if the logo cannot be loaded', async () => {
  await open(secret, { appearance: { logo: 'data:image/png;base64,AAAA' } })
  await pay()
  await expect.poll(() => page.locator('.logo').isVisible()).toBe(false)
  await page.getByText('Kiosk', { exact: true }).first().waitFor()
})

test('labels replace four texts, and are shown as text', async () => {
  const labels = {
    wallets: '<b>In here</b>',
    qr: 'Elsewhere',
    paid: 'Thank you',
    // A shop without a label of its own may pass this.
    done: undefined,
  }
  await open(secret, { appearance: { labels }, paymentMethods: ['qr', 'wallets'] })
  await pay()
  await expect
    .poll(() => page.getByRole('tab').allTextContents())
    .toEqual(['Elsewhere', '<b>In here</b>'])
  setResponse(() => intent({ status: 'succeeded', tx_hash: `0x${'cd'.repeat(32)}`, version: 2 }))
  await page.getByRole('heading', { name: 'Thank you' }).waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.locator('dialog').waitFor({ state: 'detached' })
})

test.each([
  ['`appearance.logo`', { appearance: { logo: 'javascript:void 0' } }],
  ['`appearance.labels`', { appearance: { labels: { 'tx_dropped.text': 'Pay again' } } }],
  ['`paymentMethods`', { paymentMethods: [] }],
  ['`paymentMethods`', { paymentMethods: ['card'] }],
])('an invalid %s reports an error, and nothing is shown', async (name, options) => {
  const logged = page.waitForEvent('console', (message) => /TypeError/.test(message.text()))
  await open(secret, options)
  expect((await logged).text()).toContain(name)
  await expect
    .poll(async () => (await callbackCalls()).map(([name]) => name))
    .toEqual(['error', 'close'])
  expect((await callbackCalls())[0]?.[2]).toMatchObject({
    code: 'internal_error',
    recoverable: false,
  })
  expect(await page.locator('dialog').count()).toBe(0)
})

test.each([
  ['Esc', () => page.keyboard.press('Escape')],
  ['the close button', () => page.getByRole('button', { name: 'Close' }).click()],
] as const)(
  'the shell closes by %s before the modal is loaded, and restores the focus',
  async (_, leave) => {
    const modal = await holdModal()
    await page.locator('#pay').focus()
    await open(secret)
    await leave()
    await expect.poll(callbackCalls).toEqual([['close', secret]])
    expect(await page.locator('dialog').count()).toBe(0)
    expect(await focused()).toBe('pay')
    modal.release()
    await open(secret)
    await pay()
    expect(await page.locator('dialog').count()).toBe(1)
    await close(secret)
  },
)

test('the heading keeps the focus when the payment is shown', async () => {
  await open(secret)
  await pay()
  // Without a wallet, the heading is the amount to send by hand.
  await expect.poll(focused).toBe('25.0001 USDC')
})

test('a modal that fails to load once is loaded again without an error', async () => {
  await page.route(/modal-/, (route) => route.abort(), { times: 1 })
  await open(secret)
  await pay()
  expect(await callbackCalls()).toEqual([])
})

test('a modal that cannot be loaded shows an error, and is loaded when the payer tries again', async () => {
  await page.route(/modal-/, (route) => route.abort(), { times: 2 })
  await open(secret)
  await page.getByRole('alert').getByText(en['network_error.text']).waitFor()
  const message = expect.any(String)
  expect(await callbackCalls()).toEqual([
    ['error', secret, { code: 'network_error', message, recoverable: true }],
  ])
  await page.getByRole('button', { name: en.retry }).press('Enter')
  await pay()
})

test('a modal that cannot be loaded shows an error in English if its messages do not load either', async () => {
  await page.route(/modal-/, (route) => route.abort())
  const messages = holdAt('messages')
  await open(secret, { locale: 'ar' })
  await messages.reached
  await giveUpOnMessages()
  await page.getByRole('alert').getByText(en['network_error.text']).waitFor()
  messages.release()
})

test('the QR encoder is loaded when a code is first drawn, and at a later drawing if that fails', async () => {
  let times = 0
  await page.route(/manualParts-/, (route) => {
    times += 1
    return times > 2 ? route.continue() : route.abort()
  })
  await page.evaluate(() => Object.assign(window, { ethereum: { request: async () => null } }))
  await open(secret)
  await page.getByRole('button', { name: en.browser_wallet }).waitFor()
  expect(times).toBe(0)
  await page.getByRole('tab', { name: en.qr }).click()
  await page.getByText(en['qr.address'], { exact: true }).click()
  await page.getByRole('img', { name: en['qr.address.alt'] }).waitFor()
  expect(times).toBe(3)
  expect(await callbackCalls()).toEqual([])
})

test('the script tag, too, draws only the shell in the first frame', async () => {
  await openShop({ by: 'script' })
  const sheets = await page.evaluate(async (clientSecret) => {
    const { openServiceModal } = window as unknown as ShopWindow
    openServiceModal({ clientSecret, merchantName: 'Kiosk' })
    await new Promise((resolve) => requestAnimationFrame(resolve))
    return document.querySelector('div[lang]')?.shadowRoot?.adoptedStyleSheets.length
  }, secret)
  expect(sheets).toBe(1)
  await pay()
})
