import type { Route } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  openFor,
  payBy,
  respondLater,
  respondWith,
  secret,
  wallet,
  walletMethods,
} from '../support/checkoutPage.ts'
import { holdClock } from '../support/holdClock.ts'
import { holdAt } from '../support/origins.ts'
import {
  callbackCalls,
  giveUpOnMessages,
  open,
  openShop,
  page,
  screenOf,
} from '../support/shopPage.ts'
import { intent, txHash } from '../support/testIntents.ts'

const sends = async () =>
  (await walletMethods()).filter((method) => method === 'eth_sendTransaction')

test('a refusal allows another wallet request', async () => {
  await payBy(secret, intent(), { eth_sendTransaction: { refuse: 4001 } })
  await page.getByText('You declined').first().waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('You declined').first().waitFor()
  expect(await sends()).toHaveLength(2)
})

test('a part that arrives while the wallet connects is not requested again', async () => {
  await payBy(secret, intent(), { eth_requestAccounts: { later: wallet.eth_requestAccounts } })
  await page.getByText('Connect').first().waitFor()
  const part = { exceptions: ['underpaid' as const], amount_received_units: 20_000_000 }
  respondWith(secret, intent({ ...part, tx_hash: txHash, version: 2 }))
  await screenOf('pay').waitFor()
  await page.getByText('5.00').first().waitFor()
  await respondLater()
  expect(await walletMethods()).toEqual(['eth_requestAccounts'])
})

test('no wallet receives a request after the deadline, even before the service reports it', async () => {
  await openFor(secret, intent({ expires_at: new Date(Date.now() - 1_000).toISOString() }), wallet)
  const button = page.getByRole('button', { name: 'Wallet', exact: false }).last()
  expect(await button.getAttribute('aria-disabled')).toBe('true')
  await button.click({ force: true })
  await screenOf('pay').waitFor()
  expect(await walletMethods()).toEqual([])
})

test('a wallet that is still connecting at the deadline receives no payment request', async () => {
  await page.clock.install()
  await payBy(secret, intent(), { eth_requestAccounts: { later: wallet.eth_requestAccounts } })
  await page.getByText('Connect').first().waitFor()
  await page.clock.fastForward(31 * 60_000)
  await page.evaluate(() => window.dispatchEvent(new Event('respond')))
  await screenOf('pay').waitFor()
  expect(await sends()).toEqual([])
})

test('a wallet of the page that draws in the page can be seen and pressed', async () => {
  await holdClock(page)
  respondWith(secret, intent())
  await page.evaluate((clientSecret) => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('#own { position: fixed; inset: 40%; z-index: 999; background: #fff }')
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
    const request = ({ method }: { method: string }) =>
      new Promise((resolve, reject) => {
        if (method !== 'eth_requestAccounts') return reject({ code: 4001 })
        const button = document.createElement('button')
        button.id = 'own'
        button.textContent = 'Approve here'
        button.onclick = () => {
          button.remove()
          resolve([`0x${'22'.repeat(20)}`])
        }
        document.body.append(button)
        button.focus()
      })
    const { PaymentIntents } = window as unknown as {
      PaymentIntents: { openServiceModal(options: object): void }
    }
    PaymentIntents.openServiceModal({
      ...{ clientSecret, merchantName: 'Kiosk', wallets: [{ name: 'Own', provider: { request } }] },
    })
  }, secret)
  const isModal = () =>
    page.evaluate(() => document.querySelector('div[lang]')?.shadowRoot?.querySelector(':modal'))
  await page.getByRole('button', { name: 'Own' }).click()
  const approveButton = page.getByRole('button', { name: 'Approve here' })
  await approveButton.waitFor()
  expect(await isModal()).toBeNull()
  // The checkout redraws every second without moving the wallet's focus.
  await page.clock.runFor(2_000)
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('own')
  await page.keyboard.press('Enter')
  await page.getByText('You declined').first().waitFor()
  expect(await isModal()).not.toBeNull()
})

test('a checkout whose element the page removes closes', async () => {
  respondWith(secret, intent())
  await page.evaluate(() => {
    const box = document.createElement('div')
    box.id = 'box'
    document.body.append(box)
  })
  await open(secret)
  await screenOf('pay').waitFor()
  await page.evaluate(() => document.querySelector('div[lang]')?.remove())
  await expect.poll(callbackCalls).toEqual([['close', secret]])
  const overflow = () => page.evaluate(() => getComputedStyle(document.documentElement).overflow)
  expect(await overflow()).toBe('visible')
  await open(secret)
  await screenOf('pay').waitFor()
})

test.each([
  ['that do not exist', (route: Route) => route.fulfill({ status: 404, body: '{}' }), () => {}],
  ['that never arrive', () => {}, giveUpOnMessages],
])('messages %s leave the checkout in English, with `lang` en', async (_, reply, giveUp) => {
  respondWith(secret, intent())
  await page.route('**/v1/locales/ar.json', reply)
  await open(secret, { locale: 'ar' })
  await giveUp()
  await screenOf('pay').waitFor()
  const host = page.locator('div[lang]')
  expect([await host.getAttribute('lang'), await host.getAttribute('dir')]).toEqual(['en', 'ltr'])
})

test.each(['import', 'script'] as const)(
  'messages whose body never ends leave the checkout in English, by %s',
  async (by) => {
    await openShop({ by })
    respondWith(secret, intent())
    const messages = holdAt('messages')
    await open(secret, { locale: 'ar' })
    await messages.reached
    await giveUpOnMessages()
    await screenOf('pay').waitFor()
    expect(await page.locator('div[lang]').getAttribute('lang')).toBe('en')
    messages.release()
  },
)

test('an unknown theme means the theme of the system', async () => {
  respondWith(secret, intent())
  await open(secret, { theme: 'unseen' })
  await screenOf('pay').waitFor()
  expect(await page.locator('dialog').getAttribute('class')).toBe('light')
})

test('Home and End move to the first and the last way to pay', async () => {
  await openFor(secret, intent(), wallet)
  const wallets = page.getByRole('tab', { name: 'Wallet' })
  const qr = page.getByRole('tab', { name: 'QR code' })
  await wallets.focus()
  for (const [key, tab] of [
    ['Home', wallets],
    ['End', qr],
    ['End', qr],
    ['Home', wallets],
  ] as const) {
    await page.keyboard.press(key)
    expect(await tab.getAttribute('aria-selected')).toBe('true')
  }
})
