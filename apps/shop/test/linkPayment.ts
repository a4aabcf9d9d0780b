import { createClient, type PaymentLink } from '@payment-intents/node'
import type { BrowserContext, Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { toDecimal } from '../../../packages/browser/src/lib/amount.ts'
import { patientCalls } from '../../../tests/support/patience.ts'
import { until } from '../../../tests/support/until.ts'
import { addWallet } from './addWallet.ts'
import { callbacks, settleWallet } from './checkoutSteps.ts'
import { browser, openPage, refused, rest, stack } from './stack.ts'

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } as const

const client = () => createClient({ apiKey: stack.apiKey, baseUrl: stack.apiUrl, ...patientCalls })
const paymentsOf = async ({ id }: Pick<PaymentLink, 'id'>) =>
  (await client().paymentIntents.list({ payment_link: id })).data
const screenOf = (page: Page, name: string) => page.locator(`[data-screen=${name}]`)

describe('a payment link', () => {
  let contexts: BrowserContext[]

  beforeEach(() => {
    contexts = []
  })

  afterEach(async () => {
    for (const context of contexts) await context.close()
  })

  /** A separate browser, with a wallet that has both networks. */
  async function open(link: PaymentLink, options: object = {}): Promise<Page> {
    const context = await browser.newContext({
      ...{ ...phone, locale: 'en-US', ...options },
    })
    contexts.push(context)
    const page = await context.newPage()
    const polygon = stack.polygon ?? expect.fail('There is no Polygon.')
    await addWallet(page, { rpcUrl: [stack.chain.url, polygon.url] })
    await page.goto(link.url)
    return page
  }

  test('on a poster offers the network in a modal, and sells a candle without an order', async () => {
    const page = await openPage('/poster.html')
    await page.getByText('None sold yet.').waitFor()
    await page.getByRole('img', { name: 'QR code of the payment link' }).waitFor()
    await page.getByRole('button', { name: 'Pay with USDC' }).click()
    const checkout = page.getByRole('dialog', { name: /Hollow Hill/ })
    await checkout.getByText('Beeswax Candle').first().waitFor()
    const poster = await (await fetch(`${stack.shopUrl}/api/poster`)).json()
    const sold = { id: poster.payment_link as string }
    expect(await paymentsOf(sold)).toEqual([])
    await checkout.getByRole('radio', { name: /Polygon/ }).check()
    await checkout.getByRole('button', { name: /^Pay 18\.00/ }).click()
    await checkout.getByRole('button', { name: 'Demo Wallet' }).click()
    await settleWallet(page, 'Approve', 'Connect to')
    await settleWallet(page, 'Approve', 'Pay')
    await stack.polygon?.mine(5)
    await checkout.getByRole('heading', { name: 'Paid', exact: true }).waitFor()
    await page.getByText('1 sold.').waitFor()
    const paid = await paymentsOf(sold)
    expect(paid).toMatchObject([
      { chain: 'polygon', status: 'succeeded', metadata: { poster: 'candle' } },
    ])
    const named = { payment_intent_id: paid[0]?.id }
    await until(async () =>
      expect(await callbacks(page)).toEqual([
        ['pending', expect.objectContaining(named)],
        ['success', expect.objectContaining(named)],
      ]),
    )
    expect(refused).toEqual([])
    await rest(page)
  })

  test('on a phone creates one payment through a reload at every step, and is used up for the next visitor', async () => {
    const link = await client().paymentLinks.create({
      ...{ amount_units: 3_000_000, description: 'Guitar lesson', max_payments: 1 },
      metadata: { order_id: 'link-1' },
    })
    const page = await open(link)
    await screenOf(page, 'link').waitFor()
    await page.reload()
    await page.getByText('Guitar lesson').waitFor()
    expect(await paymentsOf(link)).toEqual([])
    await page.getByRole('radio', { name: /Base/ }).check()
    await page.getByRole('button', { name: /^Pay 3\.00/ }).click()
    await screenOf(page, 'pay').waitFor()
    await page.reload()
    await screenOf(page, 'pay').waitFor()
    await page.getByText('Guitar lesson').waitFor()
    await page.getByRole('button', { name: 'Test Wallet' }).click()
    await page.getByRole('heading', { name: /^(Payment received.*|Paid)$/ }).waitFor()
    await page.reload()
    await stack.chain.mine(5)
    await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor()
    expect(await paymentsOf(link)).toMatchObject([
      { status: 'succeeded', metadata: { order_id: 'link-1' }, amount_received_units: 3_000_000 },
    ])
    const next = await open(link)
    await next.getByRole('heading', { name: 'This link has been paid' }).waitFor()
    expect(await paymentsOf(link)).toHaveLength(1)
  })

  test('with an open amount is filled in in German, changed with its network, and paid by hand', async () => {
    const link = await client().paymentLinks.create({
      ...{ amount_units: null, min_units: 1_000_000, description: 'Spende' },
    })
    const page = await open(link, { locale: 'de-DE' })
    const amount = page.locator('input[inputmode=decimal]')
    await amount.fill('0,5')
    await page.locator('.primary').click()
    await page.locator('#limits.fault').waitFor()
    await amount.fill('4,25')
    await page.getByRole('radio', { name: /Base/ }).check()
    await page.locator('.primary').click()
    await screenOf(page, 'pay').waitFor()
    await page.getByRole('button', { name: /ändern/ }).click()
    await amount.fill('4,5')
    await page.getByRole('radio', { name: /Polygon/ }).check()
    await page.locator('.primary').click()
    await screenOf(page, 'pay').waitFor()
    expect(await paymentsOf(link)).toMatchObject([
      { chain: 'polygon', amount_units: 4_500_000, payable_amount_units: 4_500_000 },
      { chain: 'base', amount_units: 4_250_000, status: 'canceled' },
    ])
    // When it is to be paid by hand, it reserves its own amount.
    await page.getByRole('tab', { name: 'QR-Code' }).click()
    await until(async () => {
      const [reserved] = await paymentsOf(link)
      expect(reserved?.payable_amount_units).toBeGreaterThan(4_500_000)
    })
    const [intent] = await paymentsOf(link)
    const shown = toDecimal(BigInt(intent?.payable_amount_units ?? 0), 6).replace('.', ',')
    await page.getByText(shown).first().waitFor()
    const payer = stack.polygon?.accounts[3] ?? expect.fail('There is no payer.')
    await stack.polygon?.pay({
      ...{ from: payer.address, to: intent?.expected_wallet as `0x${string}` },
      amount: BigInt(intent?.payable_amount_units ?? 0),
    })
    await stack.polygon?.mine(5)
    await until(async () =>
      expect(await paymentsOf(link)).toMatchObject([{ status: 'succeeded', exceptions: [] }, {}]),
    )
  })
})
