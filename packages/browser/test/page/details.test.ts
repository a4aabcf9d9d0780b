import { beforeEach, expect, test } from 'vitest'
import {
  openFor,
  paid,
  payBy,
  pending,
  respondWith,
  secret,
  signer,
  wallet,
} from '../support/checkoutPage.ts'
import { context, page, screenOf } from '../support/shopPage.ts'
import { intent, txHash } from '../support/testIntents.ts'

const sheet = () => page.locator('.sheet').textContent()
const account = '0x2222…2222'
const explorer = { ...intent().network, explorer_url: 'https://scan.example/' }

beforeEach(() => context.grantPermissions(['clipboard-read', 'clipboard-write']))

test('the purchase is shown as text, with its quantity and its price in the shop’s currency', async () => {
  const name = '<img src=x onerror=alert(1)>'
  const line_items = [
    { name: 'Morning Mug', quantity: 2, amount: '32.00' },
    { name, amount: 18 },
  ]
  const fiat = { currency: 'EUR', amount: '23.10' }
  await openFor(secret, intent({ metadata: { description: 'For the kitchen', line_items, fiat } }))
  await screenOf('pay').waitFor()
  expect(await page.locator('.items li').allInnerTexts()).toEqual([
    '2 × Morning Mug\n€32.00',
    `${name}\n€18.00`,
  ])
  expect(await sheet()).toContain('For the kitchen')
  expect(await sheet()).toContain('€23.10 · ≈ $25.00 · Base Sepolia')
})

test('a long list is folded', async () => {
  const line_items = ['One', 'Two', 'Three', 'Four'].map((name) => ({ name }))
  await openFor(secret, intent({ metadata: { line_items } }))
  await page.getByText('Your order').waitFor()
  expect(await page.locator('.items').isVisible()).toBe(false)
  await page.getByText('Your order').click()
  expect(await page.locator('.items li').allInnerTexts()).toEqual(['One', 'Two', 'Three', 'Four'])
})

test.each([
  { line_items: [{ name: 'Mug', quantity: { toString: 1 } }] },
  { line_items: 'Mug', fiat: 'EUR', description: { text: 'Mug' } },
])('metadata %o shows nothing', async (metadata) => {
  await openFor(secret, intent({ metadata }))
  await screenOf('pay').waitFor()
  expect(await sheet()).not.toMatch(/Mug|EUR/)
})

test('the whole address is shown on demand, with a copy button and a link to the explorer', async () => {
  await openFor(secret, intent({ network: explorer }), wallet)
  const { expected_wallet } = intent()
  await page.getByText('Goes straight to Kiosk').click()
  await page.getByText(expected_wallet, { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Copy the address' }).click()
  await page.getByText('Address copied.').waitFor({ state: 'attached' })
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(expected_wallet)
  const link = page.getByRole('link', { name: 'View in the explorer' })
  expect(await link.getAttribute('href')).toBe(`https://scan.example/address/${expected_wallet}`)
})

test('the paying account is shown while confirming and once paid', async () => {
  await payBy(secret, intent(), { ...wallet, eth_sendTransaction: { later: txHash } })
  await page.locator('[data-detail=confirming]').waitFor()
  expect(await sheet()).toContain(`From ${account}`)
  await page.evaluate(() => window.dispatchEvent(new Event('respond')))
  await screenOf('sent').waitFor()
  respondWith(secret, pending)
  await screenOf('confirming').waitFor()
  respondWith(secret, paid)
  await screenOf('paid').waitFor()
  expect(await sheet()).toContain(`From ${account}`)
})

test('a payment of another account shows no account', async () => {
  await payBy(secret, intent(), { ...signer, eth_sendTransaction: 'never' })
  await page.locator('[data-detail=confirming]').waitFor()
  respondWith(secret, { ...paid, tx_hash: `0x${'ef'.repeat(32)}` })
  await screenOf('paid').waitFor()
  expect(await sheet()).not.toContain('From')
})

test('the paid screen shows amount, merchant, time and order, and copies the hash', async () => {
  const block_timestamp = new Date().toISOString()
  const receipt = { transfers: [{ block_timestamp }] } as never
  const facts = { metadata: { order_id: '1042' }, amount_received_units: 25_000_000, receipt }
  await openFor(secret, { ...paid, ...facts })
  await screenOf('paid').waitFor()
  expect(await page.locator('.amount').textContent()).toBe('25.00 USDC')
  const time = await page.evaluate(
    (at) => new Date(at).toLocaleString('en-US', { dateStyle: 'medium', timeStyle: 'short' }),
    block_timestamp,
  )
  for (const fact of ['Kiosk', time, 'Order 1042']) expect(await sheet()).toContain(fact)
  expect(await page.locator('.primary').allInnerTexts()).toEqual(['Done'])
  expect(await page.locator('.outlined').allInnerTexts()).toEqual(['Receipt'])
  await page.getByRole('button', { name: 'Copy the transaction hash' }).click()
  await page.getByText('Transaction hash copied.').waitFor({ state: 'attached' })
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(txHash)
})
