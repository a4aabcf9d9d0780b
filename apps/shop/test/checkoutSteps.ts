import type { DevChain } from '@payment-intents/testing'
import type { Locator, Page } from 'playwright-core'

export type Placed = { order_id: string; client_secret: string }

/** Presses a button of the shop and returns what its backend answered. */
export async function order(page: Page, button: Locator): Promise<Placed> {
  const answer = page.waitForResponse((response) => response.url().endsWith('/api/orders'))
  await button.click()
  return (await answer).json()
}

/** Answers what the demo wallet asks next. */
export async function answerWallet(
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
  await answerWallet(page, 'Approve', 'Connect to')
  await answerWallet(page, 'Approve', 'Pay')
}

/** Makes the blocks that a payment needs once it was seen, waits until the checkout says that it is paid, and closes it. */
export async function finish(page: Page, chain: DevChain): Promise<void> {
  const checkout = page.getByRole('dialog', { name: /Hollow Hill/ })
  await checkout.getByRole('heading', { name: /^(Payment seen|Paid)$/ }).waitFor()
  await chain.mine(5)
  await checkout.getByRole('heading', { name: 'Paid' }).waitFor()
  await checkout.getByRole('button', { name: 'Done' }).click()
  await checkout.waitFor({ state: 'detached' })
}
