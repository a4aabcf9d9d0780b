import { randomBytes } from 'node:crypto'
import { type Client, createClient, type Refund } from '@payment-intents/node'
import type { BrowserContext, Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { axeFaults } from '../../../packages/browser/test/support/axe.ts'
import { patientCalls } from '../../../tests/support/patience.ts'
import { decimalUsdc } from '../src/formatUsdc.ts'
import { addWallet } from './addWallet.ts'
import { finish, order, payWithDemoWallet } from './checkoutSteps.ts'
import { fundRelayer, readOrder } from './orderSteps.ts'
import { browser, stack } from './stack.ts'

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } as const

let context: BrowserContext
let client: Client

/** Buys a Little Agave on a phone, and opens the order's page once it is paid. */
async function buy(account: number): Promise<{ page: Page; id: string }> {
  const page = await context.newPage()
  await page.goto(`${stack.shopUrl}/?account=${account}`)
  const good = page.getByRole('article', { name: 'Little Agave' })
  const placed = await order(page, good.getByRole('button', { name: 'Pay with USDC' }))
  await payWithDemoWallet(page)
  await finish(page, stack.chain)
  const id = placed.order_id
  await page.goto(`${stack.shopUrl}/orders/${id}`)
  await page.getByRole('heading', { name: 'Thank you, it is paid' }).waitFor()
  return { page, id }
}

async function refund(page: Page, fields: { amount?: string; destination?: string } = {}) {
  await page.locator('.refunds summary').click()
  if (fields.amount) await page.getByLabel('Amount in USDC').fill(fields.amount)
  await page.getByLabel('Buyer’s address').fill(fields.destination ?? '')
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
}

const inState = (page: Page, status: string) => page.locator(`[data-refund-status=${status}]`)

/** The page of the buyer's link. */
async function openLink(page: Page): Promise<Page> {
  const link = inState(page, 'requires_destination').getByRole('link')
  const buyers = await context.newPage()
  await addWallet(buyers, { rpcUrl: stack.chain.url, account: 1 })
  await buyers.goto((await link.getAttribute('href')) ?? '')
  await buyers.getByRole('heading', { name: /Hollow Hill.* refunds you/ }).waitFor()
  return buyers
}

async function untilRefunded(page: Page, count = 1): Promise<void> {
  await inState(page, 'pending')
    .or(inState(page, 'succeeded'))
    .nth(count - 1)
    .waitFor()
  await expect
    .poll(async () => {
      await stack.chain.mine(1)
      return inState(page, 'succeeded').count()
    })
    .toBe(count)
}

async function refundsOf(id: string): Promise<Refund[]> {
  const { payment_intent_id } = await readOrder(id)
  const { data } = await client.refunds.list({ payment_intent: payment_intent_id })
  return Promise.all(data.map((listed) => client.refunds.retrieve(listed.id)))
}

async function usdcOf(account: string): Promise<bigint> {
  const data = `0x70a08231${account.slice(2).padStart(64, '0')}`
  return BigInt(await stack.chain.rpc<string>('eth_call', [{ to: stack.chain.token, data }]))
}

/** Pixels that the page is wider than the screen. */
const overflowOf = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - innerWidth)

const newAddress = () => `0x${randomBytes(20).toString('hex')}`

describe('a refund on a phone', () => {
  beforeEach(async () => {
    await fundRelayer()
    const { apiKey, apiUrl: baseUrl } = stack
    client = createClient({ apiKey, baseUrl, ...patientCalls })
    context = await browser.newContext({ locale: 'en-US', ...phone })
  })

  afterEach(() => context.close())

  test('is sent to the account that proves by a signature that it paid', async () => {
    const payer = stack.chain.accounts[1]?.address ?? ''
    const before = await usdcOf(payer)
    const { page, id } = await buy(1)
    await refund(page)
    await page.getByText('Send this link to the buyer').waitFor()
    const buyers = await openLink(page)
    await buyers.getByRole('button', { name: /Sign with .*Test Wallet/ }).click()
    await untilRefunded(page)
    await buyers.getByText('Refunded', { exact: true }).waitFor()

    expect(await usdcOf(payer)).toBe(before)
    expect(await refundsOf(id)).toMatchObject([
      {
        ...{ status: 'succeeded', amount_units: (await readOrder(id)).amount_units },
        ...{ destination: payer, destination_proof: 'payer_signature' },
        ...{ from: stack.wallet, from_verified: true, metadata: { order_id: id } },
      },
    ])
  })

  test('is sent to a typed address once the merchant confirms it, and the remainder to another', async () => {
    const { page, id } = await buy(2)
    const { amount_units } = await readOrder(id)
    const [exchange, other] = [newAddress(), newAddress()]
    await refund(page, { amount: '1.50' })
    const buyers = await openLink(page)
    await buyers.getByText('Use another address').click()
    await buyers.getByLabel('Your address on').fill(exchange)
    await buyers.getByRole('button', { name: 'Use this address' }).click()

    const claimed = inState(page, 'requires_confirmation')
    await claimed.getByText(new RegExp(exchange, 'i')).waitFor()
    expect(await usdcOf(exchange)).toBe(0n)
    expect(await axeFaults(page)).toEqual([])
    await claimed.getByRole('button', { name: 'Confirm' }).click()
    await untilRefunded(page)
    expect(await usdcOf(exchange)).toBe(1_500_000n)

    await refund(page, { amount: '100000', destination: other })
    await page.getByText('That is more than can be refunded now.').waitFor()
    expect(await axeFaults(page)).toEqual([])
    expect(await overflowOf(page)).toBe(0)
    await page.getByLabel('Amount in USDC').fill(decimalUsdc(amount_units - 1_500_000))
    await page.getByRole('button', { name: 'Refund', exact: true }).click()
    await untilRefunded(page, 2)
    expect(await usdcOf(other)).toBe(BigInt(amount_units) - 1_500_000n)
    expect(await refundsOf(id)).toMatchObject([
      { destination_proof: 'merchant', amount_units: amount_units - 1_500_000 },
      { destination_proof: 'payer_claim', amount_units: 1_500_000 },
    ])
  })

  test('is created once, even if it is sent repeatedly from several tabs', async () => {
    const { page, id } = await buy(3)
    const destination = newAddress()
    const send = (body: object) =>
      fetch(`${stack.shopUrl}/api/orders/${id}/refunds`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const sent = { number: 1, amount: '2.00', destination }
    const responses = await Promise.all([send(sent), send(sent), send(sent)])
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
    const another = await send({ ...sent, destination: newAddress() })
    expect(another.status).toBe(409)
    expect(await another.json()).toEqual({ error: 'idempotency_key_reused' })
    await untilRefunded(page)
    expect((await send(sent)).status).toBe(200)
    expect(await usdcOf(destination)).toBe(2_000_000n)
    expect(await refundsOf(id)).toHaveLength(1)
  })
})
