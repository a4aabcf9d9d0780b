import { expect, test } from 'vitest'
import {
  addWallet,
  openFor,
  paid,
  payBy,
  pending,
  respondWith,
  wallet,
} from '../support/checkoutPage.ts'
import { holdClock } from '../support/holdClock.ts'
import { turnedAround } from '../support/layout.ts'
import { announcements, listen, sentences } from '../support/screenReader.ts'
import { close, open, page, screenOf } from '../support/shopPage.ts'
import { intent } from '../support/testIntents.ts'

const minute = 60_000

/** Texts that are announced twice in a row. */
const twice = (all: readonly string[]) => all.filter((text, at) => text === all[at - 1])

const deadlines = async () =>
  (await sentences(page)).filter((text) => text.endsWith('left to pay.'))

/** A response from a server with the page's clock, with `minutes` left. */
function lasting(minutes: number) {
  const now = Date.now()
  const at = (ms: number) => new Date(now + ms).toISOString()
  return { now, response: intent({ server_time: at(0), expires_at: at(minutes * minute) }) }
}

test('every step is announced once, politely', async () => {
  await listen(page)
  await payBy('a', intent())
  await screenOf('sent').waitFor()
  for (const confirmations of [1, 2]) {
    respondWith('a', { ...pending, confirmations, version: 1 + confirmations })
    await page.getByText(`${confirmations} of 5 confirmations`).first().waitFor()
  }
  respondWith('a', { ...paid, amount_received_units: 25_000_100, version: 4 })
  await screenOf('paid').waitFor()
  const all = await sentences(page)
  expect(all).toEqual([...new Set(all)])
  expect(all.filter((text) => !/^(Switch|Checking)/.test(text))).toEqual([
    'Pay Kiosk. 25.00 USDC on Base Sepolia',
    'Connect <b>Test</b> Wallet. Choose the account to pay from.',
    'Confirm in <b>Test</b> Wallet. Review the transfer there and approve it.',
    'Payment sent. Waiting for Base Sepolia to pick it up. This takes a few seconds.',
    'Payment received. Finishing… 1 of 5 confirmations',
    'Payment received. Finishing… 2 of 5 confirmations',
    'Paid. 25.0001 USDC to Kiosk',
  ])
  expect((await announcements(page)).every(({ politely }) => politely)).toBe(true)
})

test('a partial payment is announced with the amount that is still due', async () => {
  await listen(page)
  await openFor('a', intent(), wallet)
  await page.getByRole('button', { name: 'Test' }).waitFor()
  respondWith(
    'a',
    intent({ exceptions: ['underpaid'], amount_received_units: 20_500_000, version: 2 }),
  )
  await page.getByRole('heading', { name: '4.50' }).waitFor()
  expect((await sentences(page)).at(-1)).toMatch(/20\.50 USDC has arrived.* 4\.50 USDC/)
})

test('the countdown is announced only at five minutes and at one minute', async () => {
  const { now, response } = lasting(66)
  await page.clock.install({ time: now })
  await listen(page)
  await openFor('a', response, { eth_sendTransaction: 'never' })
  await page.getByRole('button', { name: 'Test' }).waitFor()
  // The page's clock now runs alone; a response of the service would reset it.
  respondWith('a', 503)
  await page.getByText('has a problem').first().waitFor()
  await page.clock.pauseAt(now + 60.5 * minute)
  const after = async (ms: number) => {
    await page.clock.runFor(ms)
    return deadlines()
  }
  expect(await after(25_000)).toEqual([])
  expect(await after(10_000)).toEqual(['Less than five minutes left to pay.'])
  expect(await after(3.8 * minute)).toEqual(['Less than five minutes left to pay.'])
  const both = ['Less than five minutes left to pay.', 'Less than a minute left to pay.']
  expect(await after(0.3 * minute)).toEqual(both)
  expect(await after(0.5 * minute)).toEqual(both)
  const silent = /^The payment service (cannot be reached|has a problem)\. Trying again…$/
  const others = (await sentences(page)).filter(
    (text) => !both.includes(text) && !silent.test(text),
  )
  expect(new Set(others)).toEqual(new Set(['Pay Kiosk. 25.00 USDC on Base Sepolia']))
  expect(twice(await sentences(page))).toEqual([])
})

test('the countdown is not announced again after the payer presses Close and stays', async () => {
  const { now, response } = lasting(4)
  await page.clock.setFixedTime(now)
  await listen(page)
  await payBy('a', response, { eth_sendTransaction: 'never' })
  await page.getByRole('heading', { name: 'Confirm in' }).waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Stay here' }).click()
  await screenOf('wallet').waitFor()
  expect(await deadlines()).toEqual(['Less than five minutes left to pay.'])
})

test('the countdown is announced while the wallet holds an earlier request', async () => {
  const { now, response } = lasting(66)
  await page.clock.install({ time: now })
  await listen(page)
  await payBy('a', response, { eth_sendTransaction: 'never' })
  await page.getByRole('button', { name: 'Back' }).click()
  await screenOf('requested').waitFor()
  respondWith('a', 503)
  await page.clock.pauseAt(now + 60.5 * minute)
  await page.clock.runFor(35_000)
  expect(await deadlines()).toEqual(['Less than five minutes left to pay.'])
})

test('copying is announced, and nothing is announced again when the notice disappears', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await holdClock(page)
  await listen(page)
  await openFor('a', intent({ lane: 'manual' }))
  await page.getByRole('img', { name: /QR code/ }).waitFor()
  await expect.poll(() => sentences(page)).toHaveLength(1)
  await page.getByRole('button', { name: 'Copy the address' }).click()
  await page.getByText('Copied', { exact: true }).waitFor()
  await page.clock.runFor(2_000)
  await page.getByText('Copied', { exact: true }).waitFor({ state: 'detached' })
  expect((await sentences(page)).slice(1)).toEqual(['Address copied.'])
})

test('a merchant’s name is shown as text, and reverses no other text', async () => {
  const merchantName = '\u202e<img src=x onerror=alert(1)>&lt;"'
  await addWallet(wallet)
  respondWith('a', intent({ merchant_name: merchantName }))
  await open('a', { merchantName })
  await page.getByRole('button', { name: 'Test' }).waitFor()
  await expect
    .poll(() => page.getByRole('dialog').ariaSnapshot())
    .toContain('<img src=x onerror=alert(1)>&lt;')
  expect(await page.getByRole('dialog').getAttribute('aria-label')).toMatch(
    /^Pay .?<img src=x onerror=alert\(1\)>&lt;"$/,
  )
  expect(await page.getByRole('dialog').locator('img').count()).toBe(0)
  expect(await turnedAround(page)).toEqual([])
})

test('the dialog has the language of its messages', async () => {
  respondWith('a', paid)
  for (const [locale, language] of [
    ['de-AT', 'de-AT'],
    ['ar', 'ar'],
    ['xx', 'en'],
  ]) {
    await open('a', { locale })
    await screenOf('paid').waitFor()
    const matches = await page
      .getByRole('dialog')
      .evaluate((dialog, language) => dialog.matches(`:lang(${language})`), language)
    expect(matches, language).toBe(true)
    await close('a')
  }
})
