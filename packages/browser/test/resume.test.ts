import { expect, test } from 'vitest'
import {
  addWallet,
  close,
  open,
  openTab,
  page,
  pending,
  screenOf,
  tell,
  told,
  turnTo,
  wallet,
} from './checkoutPage.ts'
import { intent, txHash } from './intent.ts'

const secret = 'pi_test_0001_secret_abc'
const pay = () => page.getByRole('button', { name: 'Wallet', exact: false }).last().click()
const asked = () => page.evaluate(() => (window as unknown as { asked: string[] }).asked)
const stored = () => page.evaluate(() => ({ ...localStorage }))
const sent = () => page.locator('[data-screen=sent]')

async function openAndPay() {
  await addWallet(wallet)
  await open(secret)
  await pay()
}

test('a page that is loaded anew comes back to what was sent', async () => {
  tell(secret, intent())
  await openAndPay()
  await sent().waitFor()
  await page.reload()
  await addWallet(wallet)
  await open(secret)
  await sent().waitFor()
  expect(await sent().getAttribute('data-detail')).toBe('resumed')
  await page.getByRole('link', { name: 'View transaction' }).waitFor()
  expect(JSON.stringify(await stored())).not.toContain('secret')
  tell(secret, { ...pending, id: intent().id })
  await screenOf('confirming').waitFor()
  expect(await stored()).toEqual({})
})

test('what has arrived as a part, or was sent for another intent, is not waited for', async () => {
  tell(secret, intent())
  await openAndPay()
  await sent().waitFor()
  await page.reload()
  const part = { exceptions: ['underpaid'], amount_received_units: 1, tx_hash: txHash, version: 2 }
  tell(secret, intent(part))
  await open(secret)
  await screenOf('pay').waitFor()
  await close(secret)
  tell('other', intent({ id: 'pi_test_0002' }))
  await open('other')
  await screenOf('pay').waitFor()
})

test.each(['nonsense', '5', '[5]', '[null]', '[{"id":"1"}]', '{"id":"1","amount":"1"}'])(
  'a memory of %s is no memory',
  async (memory) => {
    await page.evaluate(
      (memory) => localStorage.setItem('payment-intents:pi_test_0001', memory),
      memory,
    )
    tell(secret, intent())
    await open(secret)
    await screenOf('pay').waitFor()
  },
)

test('another tab is told at once, and its wallet is asked nothing more', async () => {
  tell(secret, intent())
  const first = page
  await addWallet(wallet)
  await open(secret)
  await screenOf('pay').waitFor()
  const second = await openTab()
  await addWallet({ ...wallet, eth_requestAccounts: { later: wallet.eth_requestAccounts } })
  await open(secret)
  await pay()
  await page.getByText('Connect').first().waitFor()
  turnTo(first)
  await pay()
  await sent().waitFor()
  turnTo(second)
  await sent().waitFor()
  await page.evaluate(async () => {
    window.dispatchEvent(new Event('answer'))
    // Whatever would be asked next is asked in the same turn.
    await new Promise((resolve) => setTimeout(resolve))
  })
  expect(await asked()).toEqual(['eth_requestAccounts'])
})

test('one tab goes to a wallet at a time, until it closes its checkout', async () => {
  tell(secret, intent({ manual: null }))
  const first = page
  // Nothing was asked yet: the service is told of the payer first, and does not answer.
  await addWallet(wallet)
  await open(secret)
  await screenOf('pay').waitFor()
  await page.route('**/resolve', () => {})
  await pay()
  await page.getByText('Checking your account').first().waitFor()
  await expect.poll(() => page.evaluate(heldLocks)).toBe(1)
  const second = await openTab()
  await addWallet(wallet)
  await open(secret)
  await pay()
  await page.getByText('You are paying in another tab').first().waitFor()
  expect(await asked()).not.toContain('eth_sendTransaction')
  expect(await told()).toMatchObject([['error', secret, { code: 'request_pending' }]])
  turnTo(first)
  await close(secret)
  turnTo(second)
  await page.getByRole('button', { name: 'Try again' }).click()
  await sent().waitFor()
})

/** Runs in the page. */
async function heldLocks(): Promise<number> {
  return (await navigator.locks.query()).held?.length ?? 0
}

/** What the wallet was asked for meanwhile is answered. */
const answer = () =>
  page.evaluate(async () => {
    window.dispatchEvent(new Event('answer'))
    // What follows is done in the same turn.
    await new Promise((resolve) => setTimeout(resolve))
  })

test('what is approved after its checkout was closed is not asked for in the next one', async () => {
  tell(secret, intent())
  await addWallet({ ...wallet, eth_sendTransaction: { later: txHash } })
  await open(secret)
  await pay()
  await page.getByText('Confirm in').first().waitFor()
  await close(secret)
  await open(secret)
  await screenOf('asked').waitFor()
  await answer()
  expect(await stored()).not.toEqual({})
  await sent().waitFor()
  expect(await sent().getAttribute('data-detail')).toBe('resumed')
  expect((await asked()).filter((method) => method === 'eth_sendTransaction')).toHaveLength(1)
})

test.each(['expired', 'canceled'] as const)(
  'what was sent is remembered though the intent is %s before the service sees it',
  async (status) => {
    tell(secret, intent())
    await openAndPay()
    await sent().waitFor()
    await page.reload()
    tell(secret, intent({ status, version: 2 }))
    await open(secret)
    await screenOf(status).waitFor()
    await page.getByText('Do not pay again').first().waitFor()
    await page.getByRole('link', { name: 'View transaction' }).waitFor()
    expect(await stored()).not.toEqual({})
  },
)

test('a wallet that answers after the service has seen the payment leaves no memory', async () => {
  tell(secret, intent())
  await addWallet({ ...wallet, eth_sendTransaction: { later: txHash } })
  await open(secret)
  await pay()
  await page.getByText('Confirm in').first().waitFor()
  tell(secret, { ...pending, status: 'succeeded', version: 5 })
  await screenOf('paid').waitFor()
  await answer()
  expect(await stored()).toEqual({})
})

test('after a minute the payer is sent to the wallet, and may be sure that nothing was sent', async () => {
  await page.clock.install()
  tell(secret, intent())
  await openAndPay()
  await sent().waitFor()
  await page.clock.fastForward(61_000)
  await page.getByText('This takes longer than usual').first().waitFor()
  expect(await page.locator('.primary').count()).toBe(0)
  await page.getByRole('button', { name: 'I am sure that it was not sent' }).click()
  await screenOf('pay').waitFor()
  await page.getByText('A wallet was asked before and may still pay.').first().waitFor()
  expect(await stored()).not.toEqual({})
})

test('a second click of a double click presses nothing on the screen that came', async () => {
  tell(secret, intent())
  await addWallet({ ...wallet, eth_requestAccounts: 'never' })
  await open(secret)
  const button = page.getByRole('button', { name: 'Test' })
  await button.waitFor()
  const box = await button.boundingBox()
  if (!box) throw new Error('The wallet’s button has no place.')
  // Whatever comes to lie under the pointer.
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
