import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { focused, pressUntil, round } from '../../../packages/browser/test/keyboard.ts'
import { listen, sentences } from '../../../packages/browser/test/screenReader.ts'
import { browser, stack } from './stack.ts'

test('a keyboard alone pays: from the button of the shop to Done, and back to the button', async () => {
  const page = await openShop(7)
  await pressUntil(page, 'Tab', /^button "Pay with USDC"/)
  const opener = await page.locator(':focus').elementHandle()
  await page.keyboard.press('Enter')
  await heading(page, '24.00')
  const strays = await followStrays(page)
  await round(page, 'Tab')
  await round(page, 'Shift+Tab')

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
    expect((await focused(page))?.said, key).toBe(`tab "${tab}" [selected]`)
  }

  // The tabs are one tab stop.
  expect(await pressUntil(page, 'Tab', /^radio "Phone" \[checked\]/)).toHaveLength(1)
  await page.keyboard.press('ArrowRight')
  expect((await focused(page))?.said).toBe('radio "Payment request" [checked]')
  await page.keyboard.press('ArrowRight')
  expect((await focused(page))?.said).toBe('radio "Address only" [checked]')
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
  await pressUntil(page, 'Tab', /^button "Demo Wallet"/)
  await page.keyboard.press('Enter')
  await answer(page, 'Connect to', 'Approve')
  await answer(page, 'Pay', 'Approve')

  await heading(page, 'Paid')
  await pressUntil(page, 'Tab', /^button "Done"/)
  expect(await strays()).toEqual([])
  await page.keyboard.press('Space')
  await checkout(page).waitFor({ state: 'detached' })
  expect(await opener?.evaluate((button) => button === document.activeElement)).toBe(true)
  await page.close()
})

test('Esc refuses in the wallet or closes the checkout, whichever is on top; the refusal is shown', async () => {
  const page = await openShop(8)
  await pressUntil(page, 'Tab', /^button "Pay with USDC"/)
  const opener = await page.locator(':focus').elementHandle()
  await page.keyboard.press('Enter')
  await heading(page, '24.00')
  await pressUntil(page, 'Tab', /^button "Demo Wallet"/)
  await page.keyboard.press('Enter')
  await answer(page, 'Connect to', 'Reject')
  await heading(page, 'You declined')
  expect((await sentences(page)).at(-1)).toBe('You declined. Nothing was sent.')
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
  expect(await opener?.evaluate((button) => button === document.activeElement)).toBe(true)
  await page.close()
})

test('a screen reader announces each step of a real payment once, in order', async () => {
  const page = await openShop(5)
  await page
    .getByRole('article', { name: 'Field Notebook' })
    .getByRole('button', { name: 'Pay with USDC' })
    .press('Enter')
  await page.getByRole('button', { name: 'Demo Wallet' }).press('Enter')
  await answer(page, 'Connect to', 'Approve')
  await answer(page, 'Pay', 'Approve')
  await heading(page, 'Paid')
  const all = await sentences(page)
  expect(all.filter((text, at) => text === all[at - 1])).toEqual([])
  // Several confirmations may be seen at once. Hints and errors appear only on slow machines.
  const varying = /^(Switch to|Checking|Payment seen)|Trying again|Nothing to see|longer than usual/
  const steps = [...new Set(all)].filter((text) => !varying.test(text))
  expect(steps).toEqual([
    expect.stringMatching(/^Pay Hollow Hill\. 9\.50\d* USDC on Base Sepolia$/),
    'Connect Demo Wallet. Choose the account to pay from.',
    'Confirm in Demo Wallet. Review the transfer there and approve it.',
    'Payment sent. Waiting for Base Sepolia to pick it up. This takes a few seconds.',
    expect.stringMatching(/^Paid\. 9\.50\d* USDC to Hollow Hill$/),
  ])
  await page.close()
})

async function openShop(account: number): Promise<Page> {
  const page = await browser.newPage({ permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto(`${stack.shopUrl}/?account=${account}`)
  await page.getByRole('article', { name: 'Morning Mug' }).waitFor()
  await listen(page)
  return page
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
  await expect.poll(async () => (await focused(page))?.said).toContain(`heading "${text}`)
}

/** Answers the wallet by keyboard. */
async function answer(page: Page, question: string, button: 'Approve' | 'Reject'): Promise<void> {
  const consent = page.getByRole('dialog', { name: `Demo Wallet ${question}` })
  await consent.waitFor()
  await pressUntil(page, 'Tab', new RegExp(`^button "${button}"`))
  await page.keyboard.press('Enter')
  await consent.waitFor({ state: 'detached' })
}
