import { expect, test } from 'vitest'
import {
  addWallet,
  openFor,
  paid,
  payBy,
  respondWith,
  secret,
  signature,
  signer,
  stored,
  wallet,
  walletMethods,
} from '../support/checkoutPage.ts'
import { authorizeWith, submittedAuthorizations } from '../support/origins.ts'
import { callbackCalls, close, open, page, screenOf } from '../support/shopPage.ts'
import { authorization, gaslessIntent, intent, txHash } from '../support/testIntents.ts'

const sends = async () => (await walletMethods()).filter((method) => /send|sign/i.test(method))

/** Where everything on the screen is, and how its text looks. */
const drawn = () =>
  page.locator('dialog').evaluate((dialog) =>
    [dialog, ...dialog.querySelectorAll('*')].map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect()
      const { letterSpacing, textTransform, fontSize, visibility } = getComputedStyle(element)
      const looks = [letterSpacing, textTransform, fontSize, visibility]
      return [element.tagName, element.className, x, y, width, height, ...looks].join()
    }),
  )

test('CSS rules of the page change nothing in the dialog', async () => {
  await openFor(secret, intent({ metadata: { description: 'Two mugs' } }), wallet)
  await screenOf('pay').waitFor()
  const before = await drawn()
  await close(secret)
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(`
      * {
        letter-spacing: 0.3em !important; text-transform: uppercase !important; font: 30px serif !important;
        line-height: 3 !important; word-spacing: 9px !important; text-align: end !important; color: red !important;
        visibility: hidden !important; opacity: 0.2 !important; filter: blur(9px) !important;
      }
      body > div, body > [lang] { display: none !important; position: fixed !important; }
    `)
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
  })
  await open(secret)
  await screenOf('pay').waitFor()
  expect(await drawn()).toEqual(before)
  await page.getByRole('button', { name: 'Test' }).click()
  await screenOf('sent').waitFor()
})

/** As old versions of Prototype.js and of JSON libraries. */
function addToJson() {
  return page.evaluate(() => {
    for (const { prototype } of [Array, Object]) {
      Object.defineProperty(prototype, 'toJSON', {
        value: () => 'of the page',
        configurable: true,
        writable: true,
      })
    }
  })
}

test('a page that defines `toJSON` does not change the signed data', async () => {
  authorizeWith(() => {
    respondWith(
      secret,
      gaslessIntent({ gasless: null, authorization: authorization(), version: 2 }),
    )
    return [200, {}]
  })
  await addToJson()
  await payBy(secret, gaslessIntent(), signer)
  await page.getByText('Your payment is on its way').first().waitFor()
  const typed = await page.evaluate(() => {
    const { requests } = window as unknown as { requests: { method: string; params: string[] }[] }
    return requests.find(({ method }) => method === 'eth_signTypedData_v4')?.params[1] ?? ''
  })
  const { gasless } = gaslessIntent()
  const { types, message } = JSON.parse(typed)
  expect(types.TransferWithAuthorization).toHaveLength(6)
  expect(message).toMatchObject({ value: '25000000', nonce: gasless?.message.nonce })
  expect(submittedAuthorizations()).toMatchObject([{ authorization: message, signature }])
})

test('a page that defines `toJSON` sends no second wallet request after a reload', async () => {
  await addToJson()
  await payBy(secret, intent(), { eth_sendTransaction: 'never' })
  await page.getByText('Review the transfer there').first().waitFor()
  expect(await stored()).toHaveLength(1)
  await page.reload()
  await addWallet(wallet)
  await open(secret)
  await screenOf('requested').waitFor()
  expect(await sends()).toEqual([])
})

test('a storage error is logged, and the request is known until a reload', async () => {
  await page.evaluate(() => {
    const warnings: string[] = []
    Object.assign(window, { warnings })
    console.warn = (text: string) => warnings.push(text)
    Storage.prototype.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
  })
  await payBy(secret, intent(), { eth_sendTransaction: 'never' })
  await page.getByText('Review the transfer there').first().waitFor()
  const warnings = () => page.evaluate(() => (window as unknown as { warnings: string[] }).warnings)
  expect(await warnings()).toEqual([expect.stringContaining('cannot store wallet requests')])
  expect((await warnings()).join()).not.toContain('secret')
  await close(secret)
  await open(secret)
  await screenOf('requested').waitFor()
})

test.each([
  ['a signature', gaslessIntent, 'eth_signTypedData_v4'],
  ['a transfer', intent, 'eth_sendTransaction'],
])(
  'an intent that expires while the wallet prompts for %s shows how to decline it, and reports the error',
  async (_, offer, method) => {
    await payBy(secret, offer(), { ...signer, [method]: 'never' })
    await page.getByText('Confirm in').first().waitFor()
    const server_time = offer().expires_at
    respondWith(secret, offer({ server_time, version: 2 }))
    respondWith(secret, offer({ server_time, status: 'expired', version: 3 }))
    await screenOf('expired').waitFor()
    await page.getByText('If it still shows the request, decline it there.').first().waitFor()
    await expect.poll(callbackCalls).toMatchObject([['error', secret, { code: 'intent_expired' }]])
  },
)

test('the open paid screen shows a second payment, to the unit', async () => {
  const units = { amount_units: 23_003_300, price_units: 23_000_000, manual: null }
  const first = { ...paid, ...units, amount_received_units: 23_000_000 }
  await openFor(secret, first)
  await page.getByText('23.00 USDC to Kiosk').first().waitFor()
  const paidTwice = { exceptions: ['multiple' as const], amount_received_units: 46_003_300 }
  respondWith(secret, { ...first, ...paidTwice, tx_hash: txHash, version: 4 })
  await page.getByText('46.0033 USDC to Kiosk').first().waitFor()
  await page.getByText('more than was due. Kiosk can return it.').first().waitFor()
})
