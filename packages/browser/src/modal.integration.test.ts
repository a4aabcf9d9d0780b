import { expect, test } from 'vitest'
import {
  openFor,
  paid,
  payBy,
  payment,
  pending,
  respondWith,
  wallet,
} from '../test/support/checkoutPage.ts'
import { holdClock } from '../test/support/holdClock.ts'
import { resolves, waiting } from '../test/support/origins.ts'
import {
  callbackCalls,
  close,
  open,
  page,
  type ShopWindow,
  screenOf,
} from '../test/support/shopPage.ts'
import { intent } from '../test/support/testIntents.ts'

test('a payment from the first click to the paid screen calls each callback once', async () => {
  await openFor('a', intent(), wallet)
  await page.getByRole('button', { name: '<b>Test</b> Wallet' }).click()
  await screenOf('sent').waitFor()
  respondWith('a', pending)
  await page.getByText('2 of 5 confirmations').first().waitFor()
  respondWith('a', { ...pending, confirmations: 4, version: 3 })
  await page.getByText('4 of 5 confirmations').first().waitFor()
  respondWith('a', { ...paid, version: 4 })
  await page.getByRole('button', { name: 'Done' }).click()
  expect(await callbackCalls()).toEqual([
    ['pending', 'a', payment],
    ['success', 'a', payment],
    ['close', 'a'],
  ])
})

test('an icon from another origin is not shown, and a name is shown as text', async () => {
  await openFor('a', intent(), wallet)
  await page.getByText('<b>Test</b> Wallet').waitFor()
  expect(await page.locator('img').count()).toBe(0)
})

test('the payer is announced before the wallet prompts if only the reference binds', async () => {
  await payBy('a', intent({ manual: null }), { eth_sendTransaction: 'never' })
  await page.getByText('Confirm in').first().waitFor()
  expect(
    resolves()
      .map(({ payer }) => payer)
      .filter(Boolean),
  ).toEqual([wallet.eth_requestAccounts[0]])
})

test('Esc and the backdrop do not close while the wallet prompts; the button warns first', async () => {
  await payBy('a', intent(), { eth_sendTransaction: 'never' })
  await page.getByText('Confirm in').first().waitFor()
  for (let press = 0; press < 3; press += 1) await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  expect(await screenOf('wallet').isVisible()).toBe(true)
  await page.getByRole('button', { name: 'Close' }).click()
  await screenOf('leaving').waitFor()
  await page.getByRole('button', { name: 'Stay here' }).click()
  await screenOf('wallet').waitFor()
})

test.each(['Escape', 'backdrop'])(
  'closing while confirming, by %s, shows that the payment goes on',
  async (by) => {
    await openFor('a', pending)
    await screenOf('confirming').waitFor()
    const leave = () => (by === 'Escape' ? page.keyboard.press('Escape') : page.mouse.click(5, 5))
    await leave()
    await page.getByText('Your payment continues').first().waitFor()
    expect(await callbackCalls()).toEqual([['pending', 'a', payment]])
    await leave()
    await expect.poll(callbackCalls).toEqual([
      ['pending', 'a', payment],
      ['close', 'a'],
    ])
  },
)

test('a press that starts inside and ends on the backdrop does not close', async () => {
  await openFor('a', intent())
  const heading = page.getByRole('heading')
  await heading.hover()
  await page.mouse.down()
  await page.mouse.move(5, 5)
  await page.mouse.up()
  expect(await screenOf('pay').isVisible()).toBe(true)
})

test('the same secret returns the open checkout, and another secret replaces it', async () => {
  respondWith('a', intent())
  respondWith('b', intent())
  await open('a')
  await screenOf('pay').waitFor()
  const same = await page.evaluate(() => {
    const { openBare, shop } = window as unknown as ShopWindow
    return openBare({ clientSecret: 'a', merchantName: 'Kiosk' }) === shop.checkouts.a
  })
  expect(same).toBe(true)
  await open('b')
  await screenOf('pay').waitFor()
  expect(await callbackCalls()).toEqual([['close', 'a']])
  expect(await page.locator('dialog').count()).toBe(1)
})

test('a checkout that is closed before it has opened never shows, and calls onClose', async () => {
  respondWith('a', intent())
  await page.evaluate(async () => {
    const checkout = (window as unknown as ShopWindow).openServiceModal({ clientSecret: 'a' })
    checkout?.close()
    await checkout?.closed
  })
  expect(await callbackCalls()).toEqual([['close', 'a']])
  expect(await page.locator('dialog').count()).toBe(0)
  // The first request is sent at once, and may not be cancelled in time.
  expect(resolves().length).toBeLessThanOrEqual(1)
})

test('closing leaves no node, style, timer or request, and restores the focus', async () => {
  respondWith('a', intent())
  await page.evaluate(() => {
    const running = new Set<unknown>()
    const { setInterval, setTimeout, clearInterval, clearTimeout } = window
    const start = (make: typeof setTimeout) => (run: () => void, ms?: number) => {
      const id: number = make(() => {
        if (make === setTimeout) running.delete(id)
        run()
      }, ms) as unknown as number
      running.add(id)
      return id
    }
    const stop = (end: (id?: number) => void) => (id?: number) => {
      running.delete(id)
      end(id)
    }
    Object.assign(window, {
      running,
      setInterval: start(setInterval as typeof setTimeout),
      setTimeout: start(setTimeout),
      clearInterval: stop(clearInterval),
      clearTimeout: stop(clearTimeout),
    })
  })
  const nodes = () => page.evaluate(() => document.querySelectorAll('*').length)
  const before = await nodes()
  await page.locator('#pay').focus()
  await open('a')
  await screenOf('pay').waitFor()
  await expect.poll(() => waiting.size).toBe(1)
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).overflow)).toBe(
    'hidden',
  )
  const dropped = page.waitForEvent('requestfailed')
  await close('a')
  await dropped
  expect(await nodes()).toBe(before)
  const traces = await page.evaluate(() => ({
    sheets: document.adoptedStyleSheets.length,
    timers: (window as unknown as { running: Set<unknown> }).running.size,
    focus: document.activeElement?.id,
    overflow: getComputedStyle(document.documentElement).overflow,
    storage: localStorage.length + sessionStorage.length + document.cookie.length,
  }))
  expect(traces).toEqual({ sheets: 0, timers: 0, focus: 'pay', overflow: 'visible', storage: 0 })
  const resolvesBefore = resolves().length
  await page.evaluate(() => window.dispatchEvent(new Event('online')))
  respondWith('a', paid)
  expect(resolves().length).toBe(resolvesBefore)
  expect(await callbackCalls()).toEqual([['close', 'a']])
})

test('a failing service is shown to the payer, and polled until it responds', async () => {
  await openFor('a', 503)
  await page.getByText('has a problem. Trying again').first().waitFor()
  await expect.poll(callbackCalls).toMatchObject([['error', 'a', { code: 'internal_error' }]])
  respondWith('a', intent())
  await page.evaluate(() => window.dispatchEvent(new Event('online')))
  await screenOf('pay').waitFor()
})

test('the manual lane opens on the QR; address and amount are copied exactly and announced', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await holdClock(page)
  await openFor('a', intent({ lane: 'manual' }))
  await page.getByRole('img', { name: 'QR code of the payment request' }).waitFor()
  /** The browser's clipboard, into which pages of other tests copy too. */
  const copied = async (button: RegExp) => {
    await page.getByRole('button', { name: button }).click()
    return page.evaluate(() => navigator.clipboard.readText())
  }
  await expect.poll(() => copied(/^(Copy the amount|Amount copied\.)$/)).toBe('25.0001')
  await page.getByText('Amount copied.').waitFor({ state: 'attached' })
  const address = /^(Copy the address|Address copied\.)$/
  await expect.poll(() => copied(address)).toBe(intent().expected_wallet)
  await page.getByText('Address copied.').waitFor({ state: 'attached' })
})

test('the countdown follows the clock of the service', async () => {
  const now = Date.now()
  await page.clock.setFixedTime(now)
  const at = (ms: number) => new Date(now + ms).toISOString()
  const hour = 3_600_000
  await openFor('a', intent({ server_time: at(hour), expires_at: at(hour + 90_000) }))
  await page.getByText('1:30', { exact: true }).waitFor()
  await page.getByText('Less than five minutes left to pay.').waitFor({ state: 'attached' })
})

test('a button with a client secret opens the checkout and receives its events', async () => {
  respondWith('button', paid)
  await page.evaluate(() => {
    const { callbackCalls } = (window as unknown as ShopWindow).shop
    for (const name of ['success', 'pending', 'error', 'close']) {
      document.addEventListener(`payment-intents:${name}`, (event) =>
        callbackCalls.push([name, (event.target as Element).id, (event as CustomEvent).detail]),
      )
    }
  })
  await page.locator('#buy').click()
  await screenOf('paid').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(callbackCalls).toEqual([
    ['success', 'buy', payment],
    ['close', 'buy', null],
  ])
})
