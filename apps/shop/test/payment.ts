import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { listen, sentences } from '../../../packages/browser/test/support/screenReader.ts'
import { isFull } from '../../../tests/support/tier.ts'
import { until } from '../../../tests/support/until.ts'
import type { ListedDelivery } from '../src/db/receivedDeliveries.ts'
import {
  callbacks,
  finish,
  order,
  type Placed,
  payWithDemoWallet,
  resolve,
} from './checkoutSteps.ts'
import { mineByHand, readOrder } from './orderSteps.ts'
import { openPage, refused, rest, stack } from './stack.ts'

/**
 * The page's callbacks, the API and the shop's backend agree.
 * @param paid the paid amount: the price, as from an account without code, or the payable amount
 */
async function expectAgreement(
  page: Page,
  { order_id, client_secret }: Placed,
  paid: 'price_units' | 'amount_units' = 'price_units',
  on: 'base' | 'polygon' = 'base',
): Promise<void> {
  const chain = chainOf(on)
  const intent = await resolve(client_secret)
  expect(intent).toMatchObject({
    status: 'succeeded',
    amount_received_units: intent[paid],
    exceptions: [],
    expected_wallet: stack.wallet,
    metadata: { order_id },
  })
  const receipt = await chain.rpc<{ status: string }>('eth_getTransactionReceipt', [intent.tx_hash])
  expect(receipt.status).toBe('0x1')

  const events = await stack.eventsOf(intent.id)
  expect(events.map(({ type, sequence }) => [sequence, type])).toEqual([
    [1, 'payment_intent.created'],
    [2, 'payment_intent.pending_confirmations'],
    [3, 'payment_intent.succeeded'],
  ])
  expect(events.at(-1)?.object).toMatchObject({
    id: intent.id,
    status: 'succeeded',
    tx_hash: intent.tx_hash,
    amount_received_units: intent.amount_received_units,
    confirmations: intent.confirmations,
    metadata: { order_id },
  })

  const payment = { payment_intent_id: intent.id, tx_hash: intent.tx_hash }
  expect(await callbacks(page)).toEqual([
    ['pending', payment],
    ['success', payment],
    ['close', undefined],
  ])

  await page.getByRole('link', { name: 'View order' }).click()
  await page.locator('[data-order-status=succeeded]').waitFor()
  // Deliveries can overtake each other, and the page stops polling at the last status.
  const current = await until(async () => {
    const current = await readOrder(order_id)
    expect(current.transitions.map(({ status }) => status)).toEqual([
      'requires_payment',
      'pending_confirmations',
      'succeeded',
    ])
    return current
  })
  expect(current).toMatchObject({
    id: order_id,
    payment_intent_id: intent.id,
    status: 'succeeded',
    tx_hash: intent.tx_hash,
    amount_units: intent.price_units,
    mode: 'testnet',
    chain: on,
    fulfilled_at: expect.any(String),
  })
  expect(new URL(page.url()).pathname).toBe(`/orders/${order_id}`)
  await expectDelivery(page, order_id)
}

function chainOf(name: 'base' | 'polygon') {
  return (name === 'base' ? stack.chain : stack.polygon) ?? expect.fail('There is no such chain.')
}

/** The order was fulfilled by one webhook, as the page of deliveries shows. */
async function expectDelivery(page: Page, orderId: string): Promise<void> {
  const { data }: { data: ListedDelivery[] } = await (
    await fetch(`${stack.shopUrl}/api/orders/${orderId}/deliveries`)
  ).json()
  const fulfilling = data.filter(({ outcome }) => outcome === 'fulfilled')
  expect(fulfilling).toMatchObject([{ via: 'webhook', type: 'payment_intent.succeeded' }])
  await page.getByRole('link', { name: 'Deliveries of this order' }).click()
  const line = page
    .getByRole('table', { name: 'Events received' })
    .getByRole('row')
    .filter({ hasText: 'packing table' })
  await line.waitFor()
  const cells = await line.getByRole('cell').allTextContents()
  expect(cells.slice(1)).toEqual(['verified', 'first', 'Order handed to the packing table'])
}

test('the React page is paid with the demo wallet, and a screen reader announces each step once, in order', async () => {
  const page = await openPage('/')
  await listen(page)
  const good = page.getByRole('article', { name: 'Morning Mug' })
  const placed = await order(page, good.getByRole('button', { name: 'Pay with USDC' }))
  await payWithDemoWallet(page)
  await finish(page, stack.chain)
  const all = await sentences(page)
  await expectAgreement(page, placed)
  expect(all.filter((text, at) => text === all[at - 1])).toEqual([])
  // Several confirmations may be seen at once. Hints and errors appear only on slow machines.
  const varying =
    /^(Switch to|Checking|Payment received)|Trying again|Nothing to see|longer than usual/
  const steps = [...new Set(all)].filter((text) => !varying.test(text))
  expect(steps).toEqual([
    expect.stringMatching(/^Pay Hollow Hill\. 24\.00\d* USDC on Base Sepolia$/),
    'Connect Demo Wallet. Choose the account to pay from.',
    'Confirm in Demo Wallet. Review the transfer there and approve it.',
    'Payment sent. Waiting for Base Sepolia to pick it up. This takes a few seconds.',
    expect.stringMatching(/^Paid\. 24\.00\d* USDC to Hollow Hill$/),
  ])
  await rest(page)
})

test('the page with a script tag is paid on Polygon with the demo wallet from another account', async () => {
  const page = await openPage('/plain.html?account=3')
  await page.getByLabel('Network').selectOption({ label: 'Polygon' })
  const placed = await order(page, page.getByRole('button', { name: 'Pay with USDC' }))
  await payWithDemoWallet(page)
  await finish(page, chainOf('polygon'))
  await expectAgreement(page, placed, 'price_units', 'polygon')
  await rest(page)
})

test('the page with an import is paid with calls of the smart demo wallet, by keyboard', async () => {
  const page = await openPage('/spoon.html?account=7&wallet=smart')
  const placed = await order(page, page.getByRole('button', { name: 'Pay with USDC' }))
  await page.getByRole('button', { name: 'Smart Demo Wallet' }).click()
  for (const question of ['Connect to', 'Pay']) {
    const consent = page.getByRole('dialog', { name: `Smart Demo Wallet ${question}` })
    await consent.getByRole('heading', { name: question }).and(page.locator(':focus')).waitFor()
    for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key)
    await consent.waitFor({ state: 'detached' })
  }
  await finish(page, stack.chain)
  await expectAgreement(page, placed, 'amount_units')
  await rest(page)
})

test.each(['/', '/spoon.html', '/plain.html'])(
  'an unpaid order is shown again after a reload: %s',
  async (path) => {
    const page = await openPage(path)
    const { order_id } = await order(
      page,
      page.getByRole('button', { name: 'Pay with USDC' }).first(),
    )
    const checkout = page.getByRole('dialog', { name: 'Pay Hollow Hill' })
    await checkout.getByRole('button', { name: 'Demo Wallet' }).waitFor()
    await page.reload()
    await page.getByText('Your order waits for its payment.').waitFor()
    const link = await page.getByRole('link', { name: 'View order' }).getAttribute('href')
    expect(link).toBe(`/orders/${order_id}`)
    await page.getByRole('button', { name: 'Continue paying' }).click()
    await checkout.getByRole('button', { name: 'Demo Wallet' }).waitFor()
    await rest(page)
  },
)

test.each(['/', '/spoon.html', '/plain.html'].slice(0, isFull ? 3 : 1))(
  'a payment that was sent before a reload is followed until it is paid: %s',
  async (path) => {
    const page = await openPage(`${path}?account=8`)
    const { order_id } = await order(
      page,
      page.getByRole('button', { name: 'Pay with USDC' }).first(),
    )
    await mineByHand()
    await payWithDemoWallet(page)
    await page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    // The transaction is sent; nobody has found it yet.
    await page.reload()
    await page.getByText('Your order waits for its payment.').waitFor()
    await stack.chain.mine()
    await page.getByText('Payment seen. It is being confirmed.').waitFor()
    await page.reload()
    await page.getByText('Payment seen. It is being confirmed.').waitFor()
    expect(await page.getByRole('button', { name: 'Continue paying' }).count()).toBe(0)
    await stack.chain.mine(5)
    await page.getByText('Paid. Thank you!').waitFor()
    const read = page.waitForResponse(`**/api/orders/${order_id}`)
    await page.reload()
    await read
    expect(await page.getByRole('link', { name: 'View order' }).isVisible()).toBe(false)
    await rest(page)
  },
)

test('the exact amount, sent by hand on Polygon from another account, pays while the QR code is shown', async () => {
  const page = await openPage('/')
  const good = page.getByRole('article', { name: 'Beeswax Candle' })
  await good.getByLabel('Network').selectOption({ label: 'Polygon' })
  const placed = await order(page, good.getByRole('button', { name: 'Pay by QR' }))
  await page.getByRole('img', { name: /QR code/ }).waitFor()
  const { manual, expected_wallet } = await resolve(placed.client_secret)
  const payer = stack.chain.accounts[5]
  if (!payer) throw new Error('The development chain has no sixth account.')
  const amount = BigInt(manual.payable_amount_units)
  await chainOf('polygon').pay({ from: payer.address, to: expected_wallet, amount })
  await finish(page, chainOf('polygon'))
  await expectAgreement(page, placed, 'amount_units', 'polygon')
  await rest(page)
})

test('the server, killed between payment and confirmation and started again, finishes the payment', async () => {
  const page = await openPage('/?account=6')
  const good = page.getByRole('article', { name: 'Morning Mug' })
  const placed = await order(page, good.getByRole('button', { name: 'Pay with USDC' }))
  // The payment must not be final before the server is killed.
  await mineByHand()
  await payWithDemoWallet(page)
  await page.getByRole('heading', { name: 'Payment sent' }).waitFor()
  await stack.chain.mine()
  await page.locator('[data-callback]', { hasText: 'onPending' }).waitFor({ state: 'attached' })
  await stack.endServer('SIGKILL')
  expect(await readOrder(placed.order_id)).toMatchObject({ fulfilled_at: null })
  await stack.startServer()
  await finish(page, stack.chain)
  await expectAgreement(page, placed)
  await rest(page)
})

test('the checkout has the visitor’s theme and language, and keeps them on the next page', async () => {
  const page = await openPage('/')
  const look = page.getByLabel('Look')
  await look.selectOption('dark')
  await page.getByLabel('Language').selectOption({ label: 'العربية' })
  const good = page.getByRole('article', { name: 'Little Agave' })
  const pay = good.getByRole('button', { name: 'Pay with USDC' })
  const placed = await order(page, pay)
  const checkout = page.getByRole('dialog', { name: /Hollow Hill/ })
  await checkout.getByRole('button', { name: 'Demo Wallet' }).waitFor()
  expect(await styleOf(checkout)).toEqual({ colorScheme: 'dark', direction: 'rtl' })
  await page.keyboard.press('Escape')
  await checkout.waitFor({ state: 'detached' })
  await pay.and(page.locator(':focus')).waitFor()

  await look.selectOption('light')
  await page.getByRole('button', { name: 'Continue paying' }).click()
  await checkout.getByRole('button', { name: 'Demo Wallet' }).waitFor()
  expect(await styleOf(checkout)).toEqual({ colorScheme: 'light', direction: 'rtl' })
  await page.keyboard.press('Escape')
  await checkout.waitFor({ state: 'detached' })

  const hosted = await page.getByRole('link', { name: 'Hosted page' }).getAttribute('href')
  const { origin } = new URL(page.url())
  const back = new URLSearchParams({ return_url: `${origin}/orders/${placed.order_id}` })
  expect(hosted).toBe(`${stack.apiUrl}/checkout/?${back}#${placed.client_secret}`)
  await page.getByRole('link', { name: 'View order' }).click()
  await page.waitForURL(`**/orders/${placed.order_id}?theme=light&lang=ar`)
  expect(await styleOf(page.locator('html'))).toMatchObject({ colorScheme: 'light' })
  await rest(page)
})

function styleOf(element: Locator) {
  return element.evaluate((node) => {
    const { colorScheme, direction } = getComputedStyle(node)
    return { colorScheme, direction }
  })
}

test('no page violates its policy', () => {
  expect(refused).toEqual([])
})
