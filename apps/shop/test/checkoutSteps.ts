import type { DevChain } from '@payment-intents/testing'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { stack } from './stack.ts'

export type Placed = { order_id: string; client_secret: string }

/** Presses a button of the shop and returns its backend's response. */
export async function order(page: Page, button: Locator): Promise<Placed> {
  const orderResponse = page.waitForResponse((response) => response.url().endsWith('/api/orders'))
  await button.click()
  return (await orderResponse).json()
}

/** Responds to the demo wallet's next prompt. */
export async function settleWallet(
  page: Page,
  button: 'Approve' | 'Reject',
  question: string,
): Promise<void> {
  const consent = page.getByRole('dialog', { name: `Demo Wallet ${question}` })
  await consent.getByRole('button', { name: button }).click()
  await consent.waitFor({ state: 'detached' })
}

export async function payWithDemoWallet(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Demo Wallet' }).click()
  await settleWallet(page, 'Approve', 'Connect to')
  await settleWallet(page, 'Approve', 'Pay')
}

/** Mines the confirmations of a seen payment, waits until the checkout shows it as paid, and closes it. */
export async function finish(page: Page, chain: DevChain): Promise<void> {
  const checkout = page.getByRole('dialog', { name: /Hollow Hill/ })
  await checkout.getByRole('heading', { name: /^(Payment received.*|Paid)$/ }).waitFor()
  await chain.mine(5)
  await checkout.getByRole('heading', { name: 'Paid', exact: true }).waitFor()
  await checkout.getByRole('button', { name: 'Done' }).click()
  await checkout.waitFor({ state: 'detached' })
}

/** Name and argument of each callback, or of the equivalent event, in order. */
export async function callbacks(page: Page): Promise<[name: string, argument: unknown][]> {
  const lines = await page.locator('[data-callback]').allTextContents()
  return lines.map((line) => {
    const [, name = '', argument] = /^(?:on|payment-intents:)(\w+)\((.*)\)$/s.exec(line) ?? []
    return [name.toLowerCase(), argument ? JSON.parse(argument) : undefined]
  })
}

export async function resolve(client_secret: string) {
  const response = await fetch(`${stack.apiUrl}/v1/payment_intents/resolve`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_secret }),
  })
  expect(response.status).toBe(200)
  return response.json()
}
