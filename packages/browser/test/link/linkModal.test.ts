import { beforeEach, expect, test } from 'vitest'
import {
  apiOrigin,
  holdAt,
  linkRequests,
  received,
  resolves,
  setLinkResponse,
  setResponse,
} from '../support/origins.ts'
import { linkId, linkOf } from '../support/service/openLink.ts'
import {
  callbackCalls,
  close,
  complaints,
  openShop,
  page,
  type ShopWindow,
  screenOf,
} from '../support/shopPage.ts'
import { intent, txHash } from '../support/testIntents.ts'

const secret = 'pi_test_0001_secret_abc'

beforeEach(() => {
  setResponse(() => intent({ manual: null, manual_available: true }))
  setLinkResponse((operation, { merchant }) => {
    if (merchant !== undefined && merchant !== 'mer_1') return [404, { error: 'not_found' }]
    if (operation === 'resolve') return [200, linkOf()]
    return [201, { payment_intent: 'pi_test_0001', client_secret: secret }]
  })
})

const openLink = (paymentLink: string, options: object = {}) =>
  page.evaluate(
    (options) => {
      const { openServiceModal } = window as unknown as {
        openServiceModal(options: object): unknown
      }
      openServiceModal(options)
    },
    { paymentLink, ...options },
  )

test.each(['import', 'script'] as const)('a link is opened and paid by %s', async (by) => {
  await openShop({ by })
  await openLink(`${apiOrigin}/l/${linkId}`)
  await screenOf('link').waitFor()
  expect(resolves()).toEqual([{ id: linkId }])
  await page.getByRole('button', { name: 'Pay 24.00' }).click()
  await screenOf('pay').waitFor()
  expect(linkRequests().map(({ operation, id }) => [operation, id])).toEqual([
    ['resolve', linkId],
    ['pay', linkId],
  ])
  await page.getByRole('button', { name: 'Change the network' }).click()
  await screenOf('link').waitFor()
  await page.getByRole('radio', { name: 'Arbitrum Sepolia' }).check()
  await page.getByRole('button', { name: 'Pay 24.00' }).click()
  await screenOf('pay').waitFor()
  setResponse(() => intent({ status: 'succeeded', tx_hash: txHash, version: 3 }))
  await screenOf('paid').waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await expect.poll(callbackCalls).toEqual([
    ['success', `${apiOrigin}/l/${linkId}`, { payment_intent_id: 'pi_test_0001', tx_hash: txHash }],
    ['close', `${apiOrigin}/l/${linkId}`],
  ])
  // Only the key of this visitor is left.
  const traces = await page.evaluate(() => ({
    dialogs: document.querySelectorAll('body > div').length,
    sheets: document.adoptedStyleSheets.length,
    stored: Object.keys(sessionStorage),
  }))
  expect(traces).toEqual({ dialogs: 0, sheets: 0, stored: [`payment-intents-visitor:${linkId}`] })
  expect(complaints).toEqual([])
})

test('the same link, by its id or its address, returns the open checkout; another replaces it', async () => {
  await openShop()
  const same = await page.evaluate(
    ({ id, url }) => {
      const { openServiceModal } = window as unknown as {
        openServiceModal(options: object): unknown
      }
      const first = openServiceModal({ paymentLink: id })
      return [
        openServiceModal({ paymentLink: url }) === first,
        openServiceModal({ paymentLink: 'plink_other' }) === first,
      ]
    },
    { id: linkId, url: `${apiOrigin}/l/${linkId}` },
  )
  expect(same).toEqual([true, false])
  await screenOf('link').waitFor()
  expect(await page.locator('dialog').count()).toBe(1)
})

test('Esc closes the step before a payment is created', async () => {
  await openShop()
  await openLink(linkId)
  await screenOf('link').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(callbackCalls).toEqual([['close', linkId]])
  expect(linkRequests().map(({ operation }) => operation)).toEqual(['resolve'])
})

test.each([
  [{}, 'openServiceModal needs `clientSecret` (pi_..._secret_...) or `paymentLink`, a string.'],
  [
    { paymentLink: '' },
    'openServiceModal needs `clientSecret` (pi_..._secret_...) or `paymentLink`, a string.',
  ],
  [
    { paymentLink: 5 },
    'openServiceModal needs `clientSecret` (pi_..._secret_...) or `paymentLink`, a string.',
  ],
  [
    { paymentLink: 'plink_1', clientSecret: 'pi_1' },
    'openServiceModal needs `clientSecret` (pi_..._secret_...) or `paymentLink`, a string.',
  ],
])('%j is refused: %s', async (options, message) => {
  await openShop()
  const thrown = await page.evaluate((options) => {
    try {
      ;(window as unknown as { openServiceModal(options: object): unknown }).openServiceModal(
        options,
      )
      return null
    } catch (error) {
      return [error instanceof TypeError, (error as Error).message]
    }
  }, options)
  expect(thrown).toEqual([true, message])
})

test('a closed link reports an unrecoverable error', async () => {
  await openShop()
  setLinkResponse(() => [200, linkOf({ status: 'expired' })])
  await openLink(linkId)
  await screenOf('closed').waitFor()
  expect(await callbackCalls()).toMatchObject([
    ['error', linkId, { code: 'intent_expired', recoverable: false }],
  ])
  await page.getByRole('button', { name: 'Close' }).last().click()
  await expect.poll(async () => (await callbackCalls()).at(-1)).toEqual(['close', linkId])
})

test('the payment that closes the link is paid, and reports no error', async () => {
  await openShop()
  await page.clock.install()
  const payment = { client_secret: secret, chain: 'base', amount_units: 24_000_000 } as const
  setLinkResponse(() => [200, linkOf({ status: 'used_up', payment })])
  setResponse(() => intent({ status: 'succeeded', tx_hash: txHash, version: 3 }))
  const { reached, release } = holdAt('headers')
  await openLink(linkId)
  await reached
  // The step redraws every second.
  await page.clock.runFor(3000)
  expect(await callbackCalls()).toEqual([])
  release()
  await screenOf('paid').waitFor()
  expect((await callbackCalls()).map(([name]) => name)).toEqual(['success'])
  await close(linkId)
})

test('each of two payments in one opening calls its callbacks', async () => {
  await openShop()
  await openLink(linkId)
  await page.getByRole('button', { name: 'Pay 24.00' }).click()
  await screenOf('pay').waitFor()
  setResponse(() => intent({ status: 'succeeded', tx_hash: txHash, version: 3 }))
  await page.getByRole('button', { name: 'Pay again' }).click()
  await page.getByRole('button', { name: 'Pay 24.00' }).click()
  await screenOf('paid').waitFor()
  const visitors = linkRequests().flatMap(({ operation, visitor }) =>
    operation === 'pay' ? [visitor] : [],
  )
  expect(new Set(visitors).size).toBe(2)
  expect((await callbackCalls()).map(([name]) => name)).toEqual(['success', 'success'])
  await close(linkId)
})

const markup = `<button id="buy" data-payment-link="${linkId}" data-merchant-name="Kiosk">Buy</button>`

test('a button opens a payment link of the script’s merchant', async () => {
  await openShop({ by: 'links', markup, probed: false })
  await page.locator('#buy').click()
  await page.getByRole('button', { name: 'Pay 24.00' }).click()
  await screenOf('pay').waitFor()
  expect(linkRequests().map(({ merchant }) => merchant)).toEqual(['mer_1', 'mer_1'])
  expect(complaints).toEqual([])
})

test('markup that others inject cannot open a link of another merchant', async () => {
  await openShop({ by: 'links', markup, probed: false })
  setLinkResponse((_, { merchant }) =>
    merchant === 'mer_other' ? [200, linkOf()] : [404, { error: 'not_found' }],
  )
  await page.evaluate(() => {
    const injected =
      '<button id="bad" data-payment-link="plink_bad" data-merchant="mer_other">x</button>'
    document.body.insertAdjacentHTML('beforeend', injected)
  })
  await page.locator('#bad').click()
  await page.getByRole('heading', { name: 'Payment link not found' }).waitFor()
  expect(linkRequests().map(({ merchant }) => merchant)).toEqual(['mer_1'])
})

test('a button without `data-merchant` opens nothing, and warns once', async () => {
  const warnings: string[] = []
  await openShop({ by: 'buttons', markup, probed: false })
  page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()))
  await page.locator('#buy').click()
  await page.locator('#buy').click()
  await expect.poll(() => warnings).toEqual([expect.stringContaining('data-merchant')])
  expect(await page.locator('dialog').count()).toBe(0)
  expect(linkRequests()).toEqual([])
})

test('the script loads only the second file that it was built with', async () => {
  await openShop({ by: 'links', markup, probed: false })
  await page.route('**/v1/link.js', (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      headers: { 'access-control-allow-origin': '*' },
      body: 'window.hit = 1',
    }),
  )
  const closed = page.evaluate(
    () =>
      new Promise((resolve) =>
        document.addEventListener('payment-intents:close', () => resolve('closed')),
      ),
  )
  await page.locator('#buy').click()
  expect(await closed).toBe('closed')
  expect(await page.evaluate(() => 'hit' in window)).toBe(false)
})

test('a page that pays an intent loads no code of links', async () => {
  await openShop({ by: 'import' })
  await page.evaluate(() =>
    (window as unknown as ShopWindow).openServiceModal({ clientSecret: 'pi_a_secret_a' }),
  )
  await screenOf('pay').waitFor()
  expect(received.shop.filter(({ url }) => /mountLink/.test(url))).toEqual([])
  await close('pi_a_secret_a')
})
