import { expect, test } from 'vitest'
import { isFull } from '../../../../tests/support/tier.ts'
import {
  addWallet,
  openFor,
  payBy,
  pending,
  pickWallet,
  respondLater,
  respondWith,
  secret,
  wallet,
  walletMethods,
} from '../support/checkoutPage.ts'
import {
  callbackCalls,
  close,
  open,
  openTab,
  page,
  screenOf,
  switchTo,
} from '../support/shopPage.ts'
import { intent, txHash } from '../support/testIntents.ts'

const stored = () =>
  page.evaluate(() => {
    const { 'payment-intents-wallet': _, ...requests } = localStorage
    return requests
  })
const sent = () => page.locator('[data-screen=sent]')

test('a reloaded page returns to the sent payment', async () => {
  await payBy(secret, intent())
  await sent().waitFor()
  await page.reload()
  await addWallet(wallet)
  await open(secret)
  await sent().waitFor()
  expect(await sent().getAttribute('data-detail')).toBe('resumed')
  await page.getByRole('link', { name: 'View transaction' }).waitFor()
  expect(JSON.stringify(await stored())).not.toContain('secret')
  respondWith(secret, { ...pending, id: intent().id })
  await screenOf('confirming').waitFor()
  expect(await stored()).toEqual({})
})

test('the checkout does not wait for a partial payment or a payment of another intent', async () => {
  await payBy(secret, intent())
  await sent().waitFor()
  await page.reload()
  const part = { exceptions: ['underpaid'], amount_received_units: 1, tx_hash: txHash, version: 2 }
  await openFor(secret, intent(part))
  await screenOf('pay').waitFor()
  await close(secret)
  await openFor('other', intent({ id: 'pi_test_0002' }))
  await screenOf('pay').waitFor()
})

test('a stored value that the checkout has not written is ignored', async () => {
  for (const memory of [
    'nonsense',
    '5',
    '[5]',
    '[null]',
    '[{"id":"1"}]',
    '{"id":"1","amount":"1"}',
  ]) {
    await page.evaluate(
      (memory) => localStorage.setItem('payment-intents:pi_test_0001', memory),
      memory,
    )
    await openFor(secret, intent())
    await screenOf('pay').waitFor()
    await close(secret)
  }
})

test('another tab is updated at once, and its wallet receives no more requests', async () => {
  respondWith(secret, intent())
  const first = page
  await addWallet(wallet)
  await open(secret)
  await screenOf('pay').waitFor()
  const second = await openTab()
  await addWallet({ ...wallet, eth_requestAccounts: { later: wallet.eth_requestAccounts } })
  await open(secret)
  await pickWallet()
  await page.getByText('Connect').first().waitFor()
  switchTo(first)
  await pickWallet()
  await sent().waitFor()
  switchTo(second)
  await sent().waitFor()
  await respondLater()
  expect(await walletMethods()).toEqual(['eth_requestAccounts'])
})

test('only one tab sends wallet requests until it closes its checkout', async () => {
  respondWith(secret, intent({ manual: null }))
  const first = page
  // The tab has sent no payment request: it first announces the payer to the service, which does not respond.
  await addWallet(wallet)
  await open(secret)
  await screenOf('pay').waitFor()
  await page.route('**/resolve', () => {})
  await pickWallet()
  await page.getByText('Checking your account').first().waitFor()
  await expect.poll(() => page.evaluate(lockCount)).toBe(1)
  const second = await openTab()
  await addWallet(wallet)
  await open(secret)
  await pickWallet()
  await page.getByText('You are paying in another tab').first().waitFor()
  expect(await walletMethods()).not.toContain('eth_sendTransaction')
  expect(await callbackCalls()).toMatchObject([['error', secret, { code: 'request_pending' }]])
  switchTo(first)
  await close(secret)
  switchTo(second)
  await page.getByRole('button', { name: 'Try again' }).click()
  await sent().waitFor()
})

/** Runs in the page. */
async function lockCount(): Promise<number> {
  return (await navigator.locks.query()).held?.length ?? 0
}

test('a payment that is approved after its checkout was closed is not requested in the next checkout', async () => {
  await payBy(secret, intent(), { eth_sendTransaction: { later: txHash } })
  await page.getByText('Confirm in').first().waitFor()
  await close(secret)
  await open(secret)
  await screenOf('requested').waitFor()
  await respondLater()
  expect(await stored()).not.toEqual({})
  await sent().waitFor()
  expect(await sent().getAttribute('data-detail')).toBe('resumed')
  expect((await walletMethods()).filter((method) => method === 'eth_sendTransaction')).toHaveLength(
    1,
  )
})

test.each(isFull ? (['expired', 'canceled'] as const) : (['expired'] as const))(
  'a sent payment stays stored though the intent is %s before the service sees it',
  async (status) => {
    await payBy(secret, intent())
    await sent().waitFor()
    await page.reload()
    await openFor(secret, intent({ status, version: 2 }))
    await screenOf(status).waitFor()
    await page.getByText('Do not pay again').first().waitFor()
    await page.getByRole('link', { name: 'View transaction' }).waitFor()
    expect(await stored()).not.toEqual({})
  },
)

test('a wallet that responds after the service has seen the payment leaves nothing stored', async () => {
  await payBy(secret, intent(), { eth_sendTransaction: { later: txHash } })
  await page.getByText('Confirm in').first().waitFor()
  respondWith(secret, { ...pending, status: 'succeeded', version: 5 })
  await screenOf('paid').waitFor()
  await respondLater()
  expect(await stored()).toEqual({})
})

test('the payer is referred to the wallet after a minute, and may insist that nothing was sent', async () => {
  await page.clock.install()
  await payBy(secret, intent())
  await sent().waitFor()
  await page.clock.fastForward(61_000)
  await page.getByText('This is taking longer than usual').first().waitFor()
  expect(await page.locator('.primary').count()).toBe(0)
  await page.getByRole('button', { name: 'I am sure that it was not sent' }).click()
  await screenOf('pay').waitFor()
  await page.getByText('A wallet already has a request and may still pay.').first().waitFor()
  expect(await stored()).not.toEqual({})
})

test('the second click of a double click presses nothing on the new screen', async () => {
  await openFor(secret, intent(), { eth_requestAccounts: 'never' })
  const button = page.getByRole('button', { name: 'Test' })
  await button.waitFor()
  const box = await button.boundingBox()
  if (!box) throw new Error('The wallet’s button has no place.')
  // A button appears under the pointer.
  await page.evaluate(() => {
    const root = document.querySelector('div[lang]')?.shadowRoot
    new MutationObserver(() => {
      const back = root?.querySelector<HTMLElement>('[data-screen=wallet] button.quiet')
      if (back) Object.assign(back.style, { position: 'fixed', inset: '0', height: '100%' })
    }).observe(root as ShadowRoot, { childList: true, subtree: true })
  })
  await page.mouse.dblclick(box.x + 20, box.y + 20)
  expect(await screenOf('wallet').isVisible()).toBe(true)
  expect(await screenOf('pay').count()).toBe(0)
})
