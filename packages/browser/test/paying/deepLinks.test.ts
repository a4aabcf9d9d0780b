import { describe, expect, test } from 'vitest'
import { walletDeepLinks } from '../../src/view/content/walletDeepLinks.ts'
import { openFor, secret } from '../support/checkoutPage.ts'
import { setHandoffUrl } from '../support/origins.ts'
import { context, page, screenOf } from '../support/shopPage.ts'
import { intent } from '../support/testIntents.ts'

const handoff = 'https://pay.example.com/checkout/h/a-B_9'
const encoded = encodeURIComponent(handoff)

test('each wallet opens a page by the link that its maker documents', () => {
  expect(walletDeepLinks.map(([wallet, link]) => [wallet, link(handoff)])).toEqual([
    ['MetaMask', 'https://link.metamask.io/dapp/pay.example.com/checkout/h/a-B_9'],
    ['Base', `https://go.cb-w.com/dapp?cb_url=${encoded}`],
    ['Trust Wallet', `https://link.trustwallet.com/open_url?coin_id=60&url=${encoded}`],
    ['Rainbow', `https://rnbwapp.com/dapp?url=${encoded}`],
    ['Phantom', `https://phantom.app/ul/browse/${encoded}?ref=https%3A%2F%2Fpay.example.com`],
  ])
})

describe('on a phone without a wallet', () => {
  /** Opens the checkout there, from a page of this address. */
  async function openAt(address: string) {
    const cdp = await context.newCDPSession(page)
    await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 1 })
    await page.evaluate((address) => history.replaceState(null, '', address), address)
    await openFor(secret, intent())
    await screenOf('pay').waitFor()
    await page.getByText('Pay with your wallet app').waitFor()
  }

  const links = () =>
    page
      .locator('.wallets a[href]')
      .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href))

  test('links to wallets come first, and open the hosted page by a handoff', async () => {
    setHandoffUrl(handoff)
    await openAt('/orders/7')
    await page.locator('.wallets a[href]').first().waitFor()
    expect(await links()).toEqual(walletDeepLinks.map(([, link]) => link(handoff)))
    const initials = page.locator('.wallets .wallet-icon')
    expect(await initials.allTextContents()).toEqual(walletDeepLinks.map(([wallet]) => wallet[0]))
    const [color] = await initials.evaluateAll((all) =>
      all.map((initial) => getComputedStyle(initial).backgroundColor),
    )
    expect(color).toBe('rgb(194, 87, 26)')
    for (const box of await page.locator('.wallets a').all()) {
      expect((await box.boundingBox())?.height).toBeGreaterThanOrEqual(44)
    }
    // It cannot scan its own screen.
    await page.getByRole('tab', { name: 'QR code' }).click()
    await page.getByRole('img', { name: 'QR code of the payment request' }).waitFor()
    expect(await page.getByRole('radio').count()).toBe(2)
  })

  test('links open this page if the service returns no handoff', async () => {
    await openAt('/orders/7?lang=tr&a=b%20c#pay')
    await page.locator('.wallets a[href]').first().waitFor()
    expect(await links()).toEqual(walletDeepLinks.map(([, link]) => new URL(link(page.url())).href))
  })

  test.each([`/pay?secret=${secret}`, `/pay#${secret}`])(
    'no link opens this page if its address contains the secret (%s)',
    async (address) => {
      await openAt(address)
      await page.locator('.wallets').waitFor({ state: 'detached' })
      expect(await links()).toEqual([])
    },
  )
})

test('a desktop without a wallet shows the code of the hosted page, then the request and the address', async () => {
  setHandoffUrl(handoff)
  await openFor(secret, intent())
  const code = page.getByRole('img', { name: 'QR code that opens this payment on a phone' })
  await code.waitFor()
  expect((await code.boundingBox())?.width).toBe(240)
  const choices = page.locator('.choice span')
  expect(await choices.allTextContents()).toEqual(['Phone', 'Payment request', 'Address only'])
  await choices.nth(1).click()
  await page.getByRole('img', { name: 'QR code of the payment request' }).waitFor()
})
