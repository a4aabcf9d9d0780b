import { beforeEach, expect, test } from 'vitest'
import { addWallet, respondWith, secret, wallet } from '../support/checkoutPage.ts'
import { holdClock } from '../support/holdClock.ts'
import { callbackCalls, open, page, screenOf } from '../support/shopPage.ts'
import { intent } from '../support/testIntents.ts'

const names = () => page.locator('[part=wallet] .name').allTextContents()

beforeEach(async () => {
  await holdClock(page)
  respondWith(secret, intent())
})

test.each<[string, () => Promise<unknown>]>([
  [
    'with an event',
    () => page.evaluate(() => window.dispatchEvent(new Event('ethereum#initialized'))),
  ],
  ['without an event', () => page.clock.runFor(8_000)],
  [
    'while the page is hidden',
    () => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange'))),
  ],
])('a wallet that is injected after the page is drawn, %s, is offered', async (_, happens) => {
  await open(secret)
  await page.getByRole('tab', { name: 'Wallet' }).click()
  await page.getByText('No wallet in this browser').first().waitFor()
  await addWallet(wallet, 'injected')
  expect(await names()).toEqual([])
  await happens()
  await page.getByRole('button', { name: 'Browser wallet' }).click()
  await screenOf('sent').waitFor()
})

test('a `window.ethereum` that throws does not break the checkout', async () => {
  await page.evaluate(() => {
    Object.defineProperty(window, 'ethereum', {
      get() {
        throw new Error('of the page')
      },
    })
  })
  await open(secret)
  await screenOf('pay').waitFor()
  await addWallet(wallet)
  await page.getByRole('tab', { name: 'Wallet' }).click()
  await page.getByRole('button', { name: 'Test' }).click()
  await screenOf('sent').waitFor()
  expect(await callbackCalls()).toEqual([])
})

test('announcements with getters that throw are ignored, and other wallets are listed', async () => {
  await page.evaluate(() => {
    const uncaught: string[] = []
    Object.assign(window, { uncaught })
    window.addEventListener('error', ({ message }) => uncaught.push(message))
    const trap = () => {
      throw new Error('of the page')
    }
    const trapped = (name: string, rest: object = {}) =>
      Object.defineProperty({ ...rest }, name, { get: trap })
    const info = { uuid: 'trap', name: 'Trap', icon: 'data:image/png;base64,AA==' }
    const provider = { request: async () => null }
    const details = [
      null,
      'text',
      new Proxy({}, { get: trap }),
      trapped('info', { provider }),
      trapped('provider', { info }),
      { info: trapped('name', info), provider },
      { info: trapped('icon', info), provider },
      { info, provider: trapped('request') },
      { info: null, provider: null },
    ]
    window.addEventListener('eip6963:requestProvider', () => {
      for (const detail of details) {
        window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
      }
    })
    const odd = Object.defineProperty(new Event('eip6963:announceProvider'), 'detail', {
      get: trap,
    })
    window.addEventListener('eip6963:requestProvider', () => window.dispatchEvent(odd))
  })
  await addWallet(wallet)
  await open(secret)
  await expect.poll(names).toEqual(['Pay 25.00\u00a0USDC with <b>Test</b> Wallet'])
  expect(await page.evaluate(() => (window as unknown as { uncaught: string[] }).uncaught)).toEqual(
    [],
  )
  expect(await callbackCalls()).toEqual([])
})

test('a wallet that announces itself again, with another uuid and provider, is listed once', async () => {
  await page.evaluate(() => {
    let times = 0
    const announce = (name: string) => {
      times += 1
      const info = { uuid: `uuid ${times}`, name, icon: 'data:image/png;base64,AA==' }
      const provider = { request: async () => null }
      const detail = { info, provider }
      window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
    }
    window.addEventListener('eip6963:requestProvider', () => {
      for (const name of ['One', 'One', 'Other', 'One']) announce(name)
    })
  })
  await open(secret)
  await expect.poll(names).toEqual(['One', 'Other'])
  await page.clock.runFor(8_000)
  expect(await names()).toEqual(['One', 'Other'])
})
