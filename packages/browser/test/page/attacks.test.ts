import { expect, test } from 'vitest'
import { apiOrigin, received, resolves, setResponse } from '../support/origins.ts'
import {
  callbackCalls,
  close,
  open,
  openShop,
  page,
  type ShopWindow,
  screenOf,
} from '../support/shopPage.ts'
import { intent } from '../support/testIntents.ts'

// Attacks by markup in the shop's page, polluted prototypes, browser extensions, and a service that is not
// ours.

const secret = 'pi_a_secret_a'
const elsewhere = 'https://elsewhere.example'

const resolvedSecrets = () => resolves().map(({ client_secret }) => client_secret)

/** Opens a checkout with only the required options. */
function openBare(options: object = {}) {
  return page.evaluate((options) => {
    const { openBare } = window as unknown as ShopWindow
    openBare({ clientSecret: 'pi_a_secret_a', merchantName: 'Kiosk', ...options })
  }, options)
}

test.each([
  ['an image', `<img name="currentScript" data-base-url="${elsewhere}" alt="">`],
  ['a form', `<form name="currentScript" data-base-url="${elsewhere}" data-buttons></form>`],
  [
    'two elements',
    `<img name="currentScript" alt=""><form name="currentScript" data-base-url="${elsewhere}"></form>`,
  ],
])('%s named currentScript does not choose the service', async (_, markup) => {
  await openShop({ by: 'script', markup })
  await openBare()
  await screenOf('pay').waitFor()
  expect(resolvedSecrets()).toContain(secret)
  expect(received.reports).toEqual([])
})

/** Puts every option on `Object.prototype`, in the page. */
function pollute() {
  const calls: string[] = []
  const options = {
    baseUrl: 'https://elsewhere.example',
    clientSecret: 'pi_b_secret_b',
    merchantName: 'Stranger',
    wallets: [{ name: 'Stranger', provider: { request: async () => null } }],
    icon: 'data:image/png,stranger',
    theme: 'dark',
    locale: 'de',
    container: document.documentElement,
    nonce: 'stranger',
    page: 'opened',
    onSuccess: () => calls.push('success'),
    onPending: () => calls.push('pending'),
    onError: () => calls.push('error'),
    onClose: () => calls.push('close'),
  }
  for (const [name, value] of Object.entries(options)) {
    Object.defineProperty(Object.prototype, name, { value, writable: true, configurable: true })
  }
  Object.assign(window, { calls })
}

test('the script tag ignores options on Object.prototype', async () => {
  await openShop({ by: 'script', before: pollute })
  await openBare()
  await expectOriginalOptions()
})

test('the import ignores options on Object.prototype', async () => {
  await openShop({ before: pollute })
  await openBare({ baseUrl: apiOrigin })
  await expectOriginalOptions()
})

test('the import throws without an own `baseUrl`, despite Object.prototype', async () => {
  await openShop({ before: pollute })
  await expect(openBare()).rejects.toThrow('openServiceModal needs `baseUrl`')
})

async function expectOriginalOptions() {
  await screenOf('pay').waitFor()
  expect(resolvedSecrets()).toContain(secret)
  expect(resolvedSecrets()).not.toContain('pi_b_secret_b')
  expect(received.reports).toEqual([])
  expect(await page.locator('dialog').getAttribute('class')).toBe('light')
  expect(await page.locator('[part=wallet]').count()).toBe(0)
  expect(await page.locator('body > div').getAttribute('lang')).toBe('en-US')
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })
  expect(await page.evaluate(() => (window as unknown as { calls: string[] }).calls)).toEqual([])
}

test('a button in the markup opens nothing unless the page opts in', async () => {
  await openShop({
    by: 'script',
    markup: '<button id="theirs" data-client-secret="pi_b_secret_b">Pay</button>',
  })
  const isPolluted = await page.evaluate(() => {
    const click = new MouseEvent('click', { bubbles: true, cancelable: true })
    return !document.querySelector('#theirs')?.dispatchEvent(click)
  })
  expect(isPolluted).toBe(false)
  await open(secret)
  await screenOf('pay').waitFor()
  expect(new Set(resolvedSecrets())).toEqual(new Set([secret]))
})

test('the payer sees the registered name, and the page’s name for the shop if it differs', async () => {
  await openShop({ by: 'script' })
  setResponse(() => intent({ merchant_name: 'Hollow Hill Ltd' }))
  await open(secret)
  await screenOf('pay').waitFor()
  const dialog = page.locator('dialog')
  expect(await dialog.locator('.merchant').textContent()).toBe('Hollow Hill Ltd')
  expect(await dialog.locator('.called').textContent()).toBe('Name on this page: Kiosk')
  expect(await dialog.getAttribute('aria-label')).toBe('Pay Hollow Hill Ltd')
  await close(secret)
  setResponse(() => intent())
  await open(secret)
  await screenOf('pay').waitFor()
  expect(await dialog.locator('.merchant').textContent()).toBe('Kiosk')
  expect(await dialog.locator('.called').count()).toBe(0)
})

test('a wallet that announces itself as page-0 does not replace the wallet of the page', async () => {
  await openShop({ by: 'script' })
  await page.evaluate(() => {
    const requests: string[] = []
    Object.assign(window, { requests })
    const providerOf = (name: string) => ({
      request: ({ method }: { method: string }) => {
        requests.push(`${name} ${method}`)
        return new Promise<never>(() => {})
      },
    })
    const info = { uuid: 'page-0', name: 'Stranger', icon: '', rdns: 'stranger' }
    const detail = { info, provider: providerOf('stranger') }
    window.addEventListener('eip6963:requestProvider', () =>
      window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail })),
    )
    ;(window as unknown as ShopWindow).openServiceModal({
      clientSecret: 'pi_a_secret_a',
      wallets: [{ name: 'Own', provider: providerOf('own') }],
    })
  })
  const isModal = () => page.locator('dialog').evaluate((dialog) => dialog.matches(':modal'))
  const requests = () => page.evaluate(() => (window as unknown as { requests: string[] }).requests)
  await page.getByRole('button', { name: 'Stranger' }).click()
  await screenOf('wallet').waitFor()
  expect(await isModal()).toBe(true)
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('button', { name: 'Own' }).click()
  await screenOf('wallet').waitFor()
  expect(await isModal()).toBe(false)
  expect(await requests()).toEqual(['stranger eth_requestAccounts', 'own eth_requestAccounts'])
})

test.each([
  ['another token', { token_address: `0x${'12'.repeat(20)}` as const }],
  ['an unknown chain', { chain_id: 1 }],
])('no wallet receives a payment request for %s', async (_, changes) => {
  await openShop({ by: 'script' })
  setResponse(() => intent(changes))
  await page.evaluate(() => {
    const requests: string[] = []
    Object.assign(window, { requests })
    const request = async ({ method }: { method: string }) => requests.push(method)
    ;(window as unknown as ShopWindow).openServiceModal({
      clientSecret: 'pi_a_secret_a',
      wallets: [{ name: 'Own', provider: { request } }],
    })
  })
  await screenOf('unknown_token').waitFor()
  expect(await page.locator('[part=wallet], .qr, [href^=ethereum]').count()).toBe(0)
  expect(await callbackCalls()).toEqual([
    [
      'error',
      secret,
      {
        code: 'internal_error',
        message: 'Shown to the payer: This payment cannot be made here.',
        recoverable: false,
      },
    ],
  ])
  await page.getByRole('button', { name: 'Close' }).last().click()
  await page.locator('dialog').waitFor({ state: 'detached' })
  expect(await page.evaluate(() => (window as unknown as { requests: string[] }).requests)).toEqual(
    [],
  )
})
