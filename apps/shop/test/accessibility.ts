import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { focused, pressUntil, round } from '../../../packages/browser/test/support/keyboard.ts'
import { listen, sentences } from '../../../packages/browser/test/support/screenReader.ts'
import { until } from '../../../tests/support/until.ts'
import { callbacks, type Placed, resolve } from './checkoutSteps.ts'
import { readOrder } from './orderSteps.ts'
import { openPage, rest, stack } from './stack.ts'

test('a keyboard is enough to refuse in the wallet, leave, and pay after all', async () => {
  const page = await openPage('/?account=7')
  await page.getByRole('article', { name: 'Morning Mug' }).waitFor()
  await listen(page)
  await pressUntil(page, 'Tab', /^button "Pay with USDC"/)
  const opener = await page.locator(':focus').elementHandle()
  const isBack = () => opener?.evaluate((button) => button === document.activeElement)
  const { client_secret } = await order(page)
  await heading(page, '24.00')
  await pressUntil(page, 'Tab', /^button "Pay .* with Demo Wallet"/)
  await page.keyboard.press('Enter')
  await confirmInWallet(page, 'Connect to', 'Reject')
  await heading(page, 'You declined')
  expect((await sentences(page)).at(-1)).toBe('You declined. Nothing was sent.')
  await until(async () =>
    expect(await callbacks(page)).toEqual([
      ['error', expect.objectContaining({ code: 'user_rejected', recoverable: true })],
    ]),
  )
  expect(await resolve(client_secret)).toMatchObject({
    status: 'requires_payment',
    amount_received_units: 0,
    tx_hash: null,
  })

  // Esc refuses in the wallet or closes the checkout, whichever is on top.
  await pressUntil(page, 'Tab', /^button "Try again"/)
  await page.keyboard.press('Enter')
  const consent = page.getByRole('dialog', { name: 'Demo Wallet Connect to' })
  await consent.waitFor()
  await page.keyboard.press('Escape')
  await consent.waitFor({ state: 'detached' })
  await heading(page, 'You declined')
  await pressUntil(page, 'Tab', /^button "Pay another way"/)
  await page.keyboard.press('Enter')
  await heading(page, '24.00')
  await page.keyboard.press('Escape')
  await checkout(page).waitFor({ state: 'detached' })
  expect(await isBack()).toBe(true)

  const placed = await order(page)
  await heading(page, '24.00')
  const strays = await followStrays(page)
  const names = new Map<number, string>()
  await round(page, 'Tab', { names })
  await round(page, 'Shift+Tab', { names })

  // Arrow keys cycle through the tabs, Home and End move to the ends; the panel follows.
  await pressUntil(page, 'Tab', /^tab "Wallet" \[selected\]/)
  for (const [key, tab] of [
    ['ArrowRight', 'QR code'],
    ['ArrowRight', 'Wallet'],
    ['End', 'QR code'],
    ['Home', 'Wallet'],
    ['ArrowLeft', 'QR code'],
  ] as const) {
    await page.keyboard.press(key)
    expect((await focused(page))?.label, key).toBe(`tab "${tab}" [selected]`)
  }

  // The tabs are one tab stop.
  expect(await pressUntil(page, 'Tab', /^radio "Phone" \[checked\]/)).toHaveLength(1)
  await page.keyboard.press('ArrowRight')
  expect((await focused(page))?.label).toBe('radio "Payment request" [checked]')
  await page.keyboard.press('ArrowRight')
  expect((await focused(page))?.label).toBe('radio "Address only" [checked]')
  await page.getByRole('img', { name: 'QR code of the address' }).waitFor()
  await pressUntil(page, 'Tab', /^button "Copy the amount"/)
  await page.keyboard.press('Space')
  await page.getByText('Amount copied.').waitFor({ state: 'attached' })
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^24(\.\d+)?$/)
  await pressUntil(page, 'Tab', /^button "Copy the address"/)
  await page.keyboard.press('Enter')
  await page.getByText('Address copied.').waitFor({ state: 'attached' })
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(stack.wallet)

  await pressUntil(page, 'Shift+Tab', /^tab "QR code"/)
  await page.keyboard.press('Home')
  await pressUntil(page, 'Tab', /^button "Pay .* with Demo Wallet"/)
  await page.keyboard.press('Enter')
  await confirmInWallet(page, 'Connect to', 'Approve')
  await confirmInWallet(page, 'Pay', 'Approve')

  await heading(page, 'Paid')
  await pressUntil(page, 'Tab', /^button "Done"/)
  expect(await strays()).toEqual([])
  await page.keyboard.press('Space')
  await checkout(page).waitFor({ state: 'detached' })
  expect(await isBack()).toBe(true)
  await until(async () =>
    expect(await readOrder(placed.order_id)).toMatchObject({ status: 'succeeded' }),
  )
  await rest(page)
})

/** Presses the button of the shop that has the focus. */
async function order(page: Page): Promise<Placed> {
  const orderResponse = page.waitForResponse((response) => response.url().endsWith('/api/orders'))
  await page.keyboard.press('Enter')
  return (await orderResponse).json()
}

/** Records from now on which elements outside of dialogs have the focus. */
async function followStrays(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const strays: string[] = []
    Object.assign(window, { strays })
    document.addEventListener('focusin', (event) => {
      const [element] = event.composedPath()
      if (element instanceof Element && !element.closest('dialog')) strays.push(element.outerHTML)
    })
  })
  return () => page.evaluate(() => (window as unknown as { strays: string[] }).strays)
}

const checkout = (page: Page) => page.getByRole('dialog', { name: 'Pay Hollow Hill' })

/** Waits for a screen with the focus on its heading. */
async function heading(page: Page, text: string): Promise<void> {
  await expect.poll(async () => (await focused(page))?.label).toContain(`heading "${text}`)
}

/** Responds to the wallet's prompt by keyboard. */
async function confirmInWallet(
  page: Page,
  question: string,
  button: 'Approve' | 'Reject',
): Promise<void> {
  const consent = page.getByRole('dialog', { name: `Demo Wallet ${question}` })
  await consent.waitFor()
  await pressUntil(page, 'Tab', new RegExp(`^button "${button}"`))
  await page.keyboard.press('Enter')
  await consent.waitFor({ state: 'detached' })
}
