import { expect, test } from 'vitest'
import {
  addWallet,
  announce,
  openFor,
  pickWallet,
  primary,
  secret,
  signer,
  wallet,
} from '../support/checkoutPage.ts'
import { open, page, screenOf } from '../support/shopPage.ts'
import { intent } from '../support/testIntents.ts'

const rows = () => page.locator('[part=wallet]').allTextContents()
const storedWallet = () => page.evaluate(() => localStorage.getItem('payment-intents-wallet'))

test('a single wallet is a filled button with amount and name', async () => {
  await announce(['Fox', 'io.fox'])
  await openFor(secret, intent())
  await expect.poll(() => primary().allTextContents()).toEqual(['Pay 25.00\u00a0USDC with Fox'])
})

test('several wallets are not filled, and the last used wallet is first and marked', async () => {
  await announce(['Fox', 'io.fox'], ['Bear', 'org.bear'])
  await page.evaluate(() => localStorage.setItem('payment-intents-wallet', 'org.bear'))
  await openFor(secret, intent())
  await expect.poll(rows).toEqual(['BearLast used', 'Fox'])
  expect(await primary().count()).toBe(0)
})

test.each(['', 'org.gone', '<img src=x>'])(
  'a stored wallet %o that this browser lacks marks no wallet',
  async (value) => {
    await announce(['Fox', undefined], ['Bear', ''], ['Owl', '<img src=x>'])
    await page.evaluate((value) => localStorage.setItem('payment-intents-wallet', value), value)
    await openFor(secret, intent())
    await expect.poll(rows).toEqual(['Fox', 'Bear', 'Owl'])
  },
)

test.each([
  ['sent', wallet],
  ['signed', signer],
])('a wallet that has %s is stored by its rdns only', async (_, table) => {
  await openFor(secret, intent(), table)
  await pickWallet()
  await screenOf('sent').waitFor()
  expect(await storedWallet()).toBe('example.test')
})

test('a wallet that refuses is not stored', async () => {
  await openFor(secret, intent(), { ...wallet, eth_sendTransaction: { refuse: 4001 } })
  await pickWallet()
  await screenOf('problem').waitFor()
  expect(await storedWallet()).toBeNull()
})

test('the wallets keep their order if storage is denied', async () => {
  await addWallet(wallet)
  await page.evaluate(() => {
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new DOMException('denied', 'SecurityError')
      },
    })
  })
  await openFor(secret, intent())
  await pickWallet()
  await screenOf('sent').waitFor()
})

test('no wallet is a filled button while a wallet may still pay', async () => {
  await openFor(secret, intent(), { ...wallet, eth_sendTransaction: 'held' })
  await pickWallet()
  await page.locator('[data-detail=confirming]').waitFor()
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('button', { name: 'I am sure' }).click()
  await screenOf('pay').waitFor()
  expect([await rows(), await primary().count()]).toEqual([['<b>Test</b> Wallet'], 0])
})

test('the remaining time is shown only in the last five minutes', async () => {
  const expiring = (ms: number) =>
    intent({ expires_at: new Date(Date.parse(intent().server_time) + ms).toISOString() })
  await openFor(secret, expiring(320_000))
  await screenOf('pay').waitFor()
  expect(await page.locator('.countdown').count()).toBe(0)
  await openFor('other', expiring(290_000))
  await page.locator('.countdown').waitFor()
  await open(secret)
})
