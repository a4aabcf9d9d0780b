import { type Client, createClient } from '@payment-intents/node'
import type { Browser } from 'playwright-core'
import { addWallet } from 'shop/test/addWallet.ts'
import { expect, inject } from 'vitest'
import { patientCalls } from '../../../support/patience.ts'
import { until } from '../../../support/until.ts'
import type { ExampleShop } from './exampleShop.ts'

/**
 * A buyer orders, goes away until the payment intent has ended, comes back and pays with a wallet. The webhook comes
 * late, and twice.
 */
export async function buy(browser: Browser, shop: ExampleShop): Promise<void> {
  const { url: baseUrl, apiKey, rpcUrl } = inject('service')
  const client = createClient({ apiKey, baseUrl, ...patientCalls })
  const { webhookEndpoints } = client
  const page = await browser.newPage()
  const postedUrls = new Set<string>()
  page.on('response', (response) => {
    if (response.url().startsWith(shop.url)) postedUrls.add(response.url())
  })
  await addWallet(page, { rpcUrl })

  await page.goto(shop.url)
  await page.getByRole('button', { name: 'Order a mug, 12.00 USDC' }).click()
  await page.waitForURL(/\/orders\/ord_\w+$/)
  const orderId = new URL(page.url()).pathname.split('/')[2] ?? ''
  const intents = async () =>
    (await client.paymentIntents.list({ metadata: { order_id: orderId } })).data
  const shipped = () => shop.output().match(new RegExp(`Ship the mug of ${orderId}`, 'g')) ?? []
  const pay = page.getByRole('button', { name: 'Pay with USDC' })
  const wallet = page.getByRole('button', { name: 'Test Wallet' })

  // A second press does not begin a second payment.
  for (const _press of ['first', 'second']) {
    await pay.click()
    await wallet.waitFor()
    await page.keyboard.press('Escape')
    await wallet.waitFor({ state: 'detached' })
  }
  const price = { amount_units: 12_000_000 }
  expect(await intents()).toMatchObject([{ ...price, status: 'requires_payment' }])
  const [firstIntent] = await intents()
  await client.paymentIntents.cancel(firstIntent?.id ?? '')

  // The webhook is held back until the buyer waits for it.
  await webhookEndpoints.update(shop.endpoint, { status: 'disabled' })
  await pay.click()
  await wallet.click()
  await page.getByRole('heading', { name: /^(Payment received.*|Paid)$/ }).waitFor()
  await client.testHelpers.mine({ blocks: 5 })
  await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByText('Payment seen, almost there').waitFor()
  expect(shipped()).toHaveLength(0)
  await webhookEndpoints.update(shop.endpoint, { status: 'enabled' })
  await webhookEndpoints.recover(shop.endpoint, { since: firstIntent?.created_at ?? '' })
  await page.getByText('Paid. Thank you!').waitFor()
  await pay.waitFor({ state: 'detached' })
  expect(await intents()).toMatchObject([
    { ...price, status: 'succeeded' },
    { id: firstIntent?.id, status: 'canceled' },
  ])
  expect(shipped()).toHaveLength(1)
  const [paid] = await intents()
  await redeliver(client, shop, paid?.id ?? '')
  expect(shipped()).toHaveLength(1)

  await shop.restart()
  await page.reload()
  await page.getByText('Paid. Thank you!').waitFor()
  expect(postedUrls.size).toBeGreaterThan(2)
  for (const url of postedUrls) {
    const text = await (await fetch(url)).text()
    for (const secret of shop.secrets) expect(text).not.toContain(secret)
  }
  await page.close()
}

/** Requests a repeated delivery of the event that a payment has succeeded. */
async function redeliver(client: Client, shop: ExampleShop, intentId: string): Promise<void> {
  const type = 'payment_intent.succeeded'
  const [event] = (await client.events.list({ payment_intent: intentId, type })).data
  if (!event) throw new Error(`There is no ${type} of ${intentId}.`)
  const lastDelivery = async () => {
    const { data } = await client.webhookEndpoints.listDeliveries(shop.endpoint)
    const delivery = data.find((each) => each.event === event.id)
    expect(delivery).toMatchObject({ status: 'succeeded', response_status: 200 })
    return delivery?.last_attempt_at
  }
  const before = await until(lastDelivery)
  await client.events.redeliver(event.id, { webhook_endpoint: shop.endpoint })
  await until(async () => expect(await lastDelivery()).not.toBe(before))
}
