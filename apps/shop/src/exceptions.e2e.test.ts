import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { launchChromium } from '../../../packages/browser/test/launchChromium.ts'
import type { DescribedOrder } from './http/describeOrder.ts'
import { finish, order, type Placed, payWithDemoWallet } from './testing/checkoutSteps.ts'
import { type Stack, startStack } from './testing/startStack.ts'

let stack: Stack
let browser: Browser

beforeAll(async () => {
  browser = await launchChromium()
  stack = await startStack()
}, 120_000)

afterAll(async () => {
  await browser?.close()
  await stack?.stop()
})

type Button = 'Pay with USDC' | 'Pay by QR'
type Opened = Placed & { page: Page; intentId: string }

/** Opens the checkout of an order. */
async function checkOut(options: { good: string; by: Button; account: number }): Promise<Opened> {
  const page = await browser.newPage()
  page.setDefaultTimeout(20_000)
  await page.goto(`${stack.shopUrl}/?account=${options.account}`)
  const good = page.getByRole('article', { name: options.good })
  const placed = await order(page, good.getByRole('button', { name: options.by }))
  const intentId = placed.client_secret.split('_secret_', 1)[0] ?? ''
  return { ...placed, page, intentId }
}

/** What a developer asks of the development chain. */
async function help(path: string, body: Record<string, unknown>): Promise<{ tx_hash?: string }> {
  const response = await fetch(`${stack.apiUrl}/v1/test_helpers/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = await response.json()
  expect(answer).not.toHaveProperty('error')
  return answer
}

async function untilFulfilled({ order_id }: Placed): Promise<DescribedOrder> {
  return vi.waitFor(
    async () => {
      const known = await readOrder(order_id)
      expect(known.fulfilled_at).not.toBeNull()
      return known
    },
    { timeout: 30_000 },
  )
}

async function readOrder(id: string): Promise<DescribedOrder> {
  return (await fetch(`${stack.shopUrl}/api/orders/${id}`)).json()
}

async function eventTypes({ intentId }: Opened): Promise<string[]> {
  const events = await stack.eventsOf(intentId)
  return events.map(({ type }) => type.replace('payment_intent.', ''))
}

describe.concurrent('what can be mended', () => {
  test('underpaid: the checkout asks for the rest, and the wallet pays it', async () => {
    const opened = await checkOut({ good: 'Morning Mug', by: 'Pay with USDC', account: 2 })
    const { page, intentId } = opened
    await page.getByRole('heading', { name: '24.00 USDC' }).waitFor()
    await help(`payment_intents/${intentId}/underpay`, { missing_units: 3_500_000 })
    await page.getByRole('heading', { name: '3.50 USDC' }).waitFor()
    await page.getByText('20.50 USDC has arrived. This is the rest.', { exact: true }).waitFor()
    // By hand the rest could not be told from other payments.
    expect(await page.getByRole('tab').count()).toBe(0)
    expect(await readOrder(opened.order_id)).toMatchObject({ fulfilled_at: null })

    await payWithDemoWallet(page)
    await finish(page)
    await untilFulfilled(opened)
    const [, , , settled] = await stack.eventsOf(intentId)
    expect(settled?.object).toMatchObject({ amount_received_units: 24_000_000, exceptions: [] })
    expect(await eventTypes(opened)).toEqual([
      ...['created', 'underpaid', 'pending_confirmations', 'succeeded'],
    ])
    await page.close()
  })

  test('by hand: the amount alone finds the payment among others', async () => {
    const opened = await checkOut({ good: 'Beeswax Candle', by: 'Pay by QR', account: 3 })
    const { page, intentId } = opened
    await page.getByRole('img', { name: /QR code/ }).waitFor()
    const { tx_hash } = await help(`payment_intents/${intentId}/pay`, { rail: 'manual' })
    await finish(page)
    expect(await untilFulfilled(opened)).toMatchObject({ status: 'succeeded', tx_hash })
    await page.close()
  })
})

test('reorged: the checkout says that the payment is gone, and takes it when it comes again', async () => {
  const opened = await checkOut({ good: 'Field Notebook', by: 'Pay with USDC', account: 4 })
  const { page, intentId } = opened
  // From here on blocks are made by hand, so that the payment cannot be final before it is taken back.
  await stack.chain.rpc('evm_setIntervalMining', [0])
  await payWithDemoWallet(page)
  await page.getByRole('heading', { name: 'Payment sent' }).waitFor()
  await help('chain/mine', { blocks: 1 })
  await page.getByRole('heading', { name: 'Payment seen' }).waitFor()
  await page.getByText('1 of 5 confirmations').first().waitFor()

  await help('chain/reorg', { depth: 1 })
  await page.getByRole('heading', { name: 'Waiting once more' }).waitFor()
  await page
    .getByText(/Do not pay twice/)
    .first()
    .waitFor()
  expect(await readOrder(opened.order_id)).toMatchObject({ fulfilled_at: null })

  const from = stack.chain.accounts[4]?.address
  const { tx_hash } = await help(`payment_intents/${intentId}/pay`, { from })
  await help('chain/mine', { blocks: 5 })
  await stack.chain.rpc('evm_setIntervalMining', [1])
  await finish(page)
  expect(await untilFulfilled(opened)).toMatchObject({ status: 'succeeded', tx_hash })
  expect(await eventTypes(opened)).toEqual([
    ...['created', 'pending_confirmations', 'reorged', 'pending_confirmations', 'succeeded'],
  ])
  await page.close()
})

test('paid late: the checkout sends the payer to the shop, and is paid once the merchant accepts', async () => {
  // Last, since the chain's clock stays ahead.
  const opened = await checkOut({ good: 'Little Agave', by: 'Pay by QR', account: 5 })
  const { page, intentId } = opened
  await page.getByRole('img', { name: /QR code/ }).waitFor()
  await help(`payment_intents/${intentId}/pay_late`, { rail: 'manual' })
  await page.getByRole('heading', { name: 'This payment has expired' }).waitFor()
  await page.getByText('Do not pay again: ask Hollow Hill.').first().waitFor()
  expect(await readOrder(opened.order_id)).toMatchObject({ fulfilled_at: null })
  expect(await eventTypes(opened)).toEqual(['created', 'expired', 'paid_late'])

  const accepted = await fetch(`${stack.apiUrl}/v1/payment_intents/${intentId}/accept`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack.apiKey}` },
  })
  expect(await accepted.json()).toMatchObject({ status: 'pending_confirmations' })
  await finish(page)
  const settled = (await stack.eventsOf(intentId)).at(-1)
  expect(settled).toMatchObject({
    type: 'payment_intent.succeeded',
    object: { exceptions: ['late'] },
  })
  await page.close()
})
