import { expect, test } from 'vitest'
import { openFor } from './checkoutPage.ts'
import { intent } from './intent.ts'
import { page, screenOf } from './shopPage.ts'

const secret = 'pi_test_0001_secret_abc'

/** Targets of the wallet links; they are visible only on a phone. */
async function links(address: string): Promise<string[]> {
  await page.evaluate((address) => history.replaceState(null, '', address), address)
  await openFor(secret, intent())
  await screenOf('pay').waitFor()
  await page.getByRole('tab', { name: 'Wallet' }).click()
  await page.getByText('No wallet in this browser').waitFor()
  return page
    .locator('.wallets a')
    .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href))
}

test('without a wallet, links open this very page in the browsers of wallets', async () => {
  const found = await links('/orders/7?lang=tr&a=b%20c#pay')
  const { host, href } = new URL(page.url())
  const encoded = encodeURIComponent(href)
  expect(found).toEqual([
    `https://metamask.app.link/dapp/${host}/orders/7?lang=tr&a=b%20c#pay`,
    `https://go.cb-w.com/dapp?cb_url=${encoded}`,
    `https://link.trustwallet.com/open_url?coin_id=60&url=${encoded}`,
    `https://phantom.app/ul/browse/${encoded}?ref=${encoded}`,
  ])
})

test.each([`/pay?secret=${secret}`, `/pay#${secret}`])(
  'a page whose address holds the secret (%s) is linked nowhere',
  async (address) => {
    expect(await links(address)).toEqual([])
  },
)
