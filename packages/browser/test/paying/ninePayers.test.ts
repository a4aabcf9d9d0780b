import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { walletDeepLinks } from '../../src/view/content/walletDeepLinks.ts'
import {
  addWallet,
  changeWallet,
  openFor,
  paid,
  primary,
  respondWith,
  secret,
  settleQueued,
  signer,
  wallet,
  walletMethods,
} from '../support/checkoutPage.ts'
import { holdClock } from '../support/holdClock.ts'
import { authorizeWith, setHandoffUrl, submittedAuthorizations } from '../support/origins.ts'
import { context, open, openTab, page, screenOf, switchTo } from '../support/shopPage.ts'
import { authorization, gaslessIntent, intent, txHash } from '../support/testIntents.ts'

// Nine kinds of payers, each from the open checkout to its end. This test writes docs/payers.md.

type Walked = { clicks: number; requests: number; end: string }

let clicks = 0

/** A click of the payer in the checkout. */
async function click(control: Locator): Promise<void> {
  clicks += 1
  await control.click()
}

const pay = () => click(page.getByRole('button', { name: 'Test' }))
const retry = () => click(page.getByRole('button', { name: 'Try again' }))
const sends = async () => (await walletMethods()).filter((method) => /send|sign/i.test(method))
const phone = 'https://pay.example.com/checkout/h/a-B_9'

/** The network has the payment of the same order, and the checkout says so. */
async function untilPaid(requests: number): Promise<Walked> {
  respondWith(secret, paid)
  await screenOf('paid').waitFor()
  return { clicks, requests, end: await heading() }
}

const heading = async () => (await page.locator('.sheet h2').textContent()) ?? ''

function takeSignatures() {
  authorizeWith(() => {
    const accepted = { gasless: null, authorization: authorization(), version: 2 }
    respondWith(secret, gaslessIntent(accepted))
    return [200, {}]
  })
}

async function signAndSubmit(): Promise<void> {
  await page.getByText('Your payment is on its way').first().waitFor()
  expect(submittedAuthorizations()).toHaveLength(1)
}

type Payer = { payer: string; how: string; walk: () => Promise<Walked> }

const payers: Payer[] = [
  {
    payer: 'a wallet with ETH',
    how: 'sends a transfer',
    async walk() {
      await openFor(secret, intent(), wallet)
      await pay()
      await screenOf('sent').waitFor()
      expect(await sends()).toEqual(['eth_sendTransaction'])
      return untilPaid(1)
    },
  },
  {
    payer: 'USDC alone',
    how: 'signs, and the service submits',
    async walk() {
      takeSignatures()
      await openFor(secret, gaslessIntent(), { ...signer, eth_getBalance: '0x0' })
      await pay()
      await signAndSubmit()
      expect(await sends()).toEqual(['eth_signTypedData_v4'])
      return untilPaid(1)
    },
  },
  {
    payer: 'a phone',
    how: 'opens the order in the browser of a wallet app, and sends a transfer there',
    async walk() {
      setHandoffUrl(phone)
      const cdp = await context.newCDPSession(page)
      await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 1 })
      await openFor(secret, intent())
      const deepLink = page.getByRole('link', { name: 'MetaMask' })
      expect(await deepLink.getAttribute('href')).toBe(walletDeepLinks[0]?.[1](phone))
      clicks += 1
      // The app's own browser, which has the wallet.
      const before = page
      await openTab()
      await addWallet(wallet, 'injected')
      await open(secret)
      await click(page.locator('button[part=wallet]'))
      await screenOf('sent').waitFor()
      expect(await sends()).toEqual(['eth_sendTransaction'])
      const walked = await untilPaid(1)
      switchTo(before)
      await screenOf('paid').waitFor()
      return walked
    },
  },
  {
    payer: 'an exchange that deducts its fee',
    how: 'copies amount and address; what arrives is short, and the shop matches it',
    async walk() {
      setHandoffUrl(phone)
      await openFor(secret, intent())
      await click(page.getByText('Address only', { exact: true }))
      await page.getByText('If your exchange deducts its fee').waitFor()
      await click(page.getByRole('button', { name: 'Copy the amount' }))
      await click(page.getByRole('button', { name: 'Copy the address' }))
      const near_misses = [{ tx_hash: txHash as `0x${string}`, amount_units: 24_000_100 }]
      respondWith(secret, intent({ near_misses, version: 2 }))
      await click(page.getByRole('button', { name: 'Yes, I sent it' }))
      await page.getByRole('heading', { name: 'Do not pay again' }).waitFor()
      expect(await page.locator('.contact').textContent()).toContain('help+usdc@kiosk.example')
      return untilPaid(0)
    },
  },
  {
    payer: 'a Safe',
    how: 'sends a transfer, whose hash is not that of a transaction',
    async walk() {
      await openFor(secret, gaslessIntent(), {
        ...{ ...signer, eth_getCode: '0x6080', eth_signTypedData_v4: null },
        eth_getTransactionByHash: null,
      })
      await pay()
      await screenOf('sent').waitFor()
      expect(await sends()).toEqual(['eth_sendTransaction'])
      return untilPaid(1)
    },
  },
  {
    payer: 'EIP-5792',
    how: 'sends a batch of one transfer',
    async walk() {
      await openFor(secret, intent(), {
        ...wallet,
        wallet_getCapabilities: { '0x14a34': { atomic: { status: 'supported' } } },
        wallet_sendCalls: { id: '0x01' },
        wallet_getCallsStatus: { status: 100 },
      })
      await pay()
      await screenOf('sent').waitFor()
      expect(await sends()).toEqual(['wallet_sendCalls'])
      return untilPaid(1)
    },
  },
  {
    payer: 'EIP-7702 without ERC-1271',
    how: 'signs, which the token refuses, then sends a transfer',
    async walk() {
      authorizeWith(() => [409, { error: 'conflict', reason: 'signature_invalid' }])
      const code = `0xef0100${'33'.repeat(20)}`
      await openFor(secret, gaslessIntent(), { ...signer, eth_getCode: code })
      await pay()
      await page.getByRole('heading', { name: 'This needs a network fee' }).waitFor()
      await retry()
      await screenOf('sent').waitFor()
      expect(await sends()).toEqual(['eth_signTypedData_v4', 'eth_sendTransaction'])
      return untilPaid(2)
    },
  },
  {
    payer: 'a hardware wallet of three minutes',
    how: 'signs after three minutes',
    async walk() {
      await holdClock(page)
      takeSignatures()
      await openFor(secret, gaslessIntent(), { ...signer, eth_signTypedData_v4: 'queued' })
      await pay()
      await page.getByText('Check the amount there and sign.').first().waitFor()
      await page.clock.runFor(180_000)
      await settleQueued('approve')
      await signAndSubmit()
      expect(await sends()).toEqual(['eth_signTypedData_v4'])
      await page.clock.resume()
      return untilPaid(1)
    },
  },
  {
    payer: 'a newcomer without USDC',
    how: 'learns where to get it, comes back with a wallet, too little, then enough',
    async walk() {
      await context.route('https://ethereum.org/**', (route) => route.fulfill({ body: 'Wallets' }))
      await openFor(secret, intent())
      await click(page.getByText('How to get USDC'))
      await page.getByText('You need 25.0001\u00a0USDC on Base Sepolia.').waitFor()
      const opened = context.waitForEvent('page')
      await click(page.getByRole('link', { name: 'Buy it in a wallet app' }))
      await (await opened).close()
      // Back at the same order, with a wallet that was installed meanwhile.
      await addWallet({ ...wallet, 'eth_call 0x70a08231': `0x${'0'.repeat(64)}` })
      await pay()
      await page.getByRole('heading', { name: 'Not enough USDC' }).waitFor()
      await click(page.getByText('How to get USDC'))
      await page.getByText('You need 25.00\u00a0USDC on Base Sepolia.').waitFor()
      expect(await sends()).toEqual([])
      await changeWallet({ 'eth_call 0x70a08231': wallet['eth_call 0x70a08231'] })
      await expect.poll(() => primary().textContent()).toBe('Try again')
      await retry()
      await screenOf('sent').waitFor()
      expect(await sends()).toEqual(['eth_sendTransaction'])
      return untilPaid(1)
    },
  },
]

const rows: string[] = []

describe('each kind of payer finishes', () => {
  test.each(payers)('$payer', async ({ payer, how, walk }) => {
    clicks = 0
    const { clicks: counted, requests, end } = await walk()
    expect(end).toBe('Paid')
    rows.push(`| ${payer} | ${how} | ${counted} | ${requests} | ${end} |`)
  })
})

test('docs/payers.md is up to date', async () => {
  const file = join(import.meta.dirname, '../../../../docs/payers.md')
  await expect(pageOf(rows)).toMatchFileSnapshot(file)
})

function pageOf(lines: readonly string[]): string {
  const head = ['who pays', 'how', 'clicks', 'requests', 'ends']
  const cells = [head, ...lines.map((line) => line.split('|').slice(1, -1))].map((row) =>
    row.map((cell) => cell.trim()),
  )
  const widths = head.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)))
  const drawn = cells.map(
    (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`,
  )
  const [first, ...rest] = drawn
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return `# Nine kinds of payers

\`packages/browser/test/paying/ninePayers.test.ts\` walks each of them from the open checkout to its end, in a real Chromium, and writes this table. "Clicks" are
those in the checkout; "requests" are what a wallet shows its owner to sign or to send.

${[first, rule, ...rest].join('\n')}

All end with the order that was opened.
`
}
