import { expect, test } from 'vitest'
import { isFull } from '../../../tests/support/tier.ts'
import { finish, payWithDemoWallet } from './checkoutSteps.ts'
import { checkOut, eventTypes, help, mineByHand, readOrder, untilFulfilled } from './orderSteps.ts'
import { rest, stack } from './stack.ts'

test('the checkout requests the remainder of an underpayment, and the wallet pays it', async () => {
  const opened = await checkOut({ good: 'Morning Mug', by: 'Pay with USDC', account: 2 })
  const { page, intentId } = opened
  await page.getByRole('heading', { name: '24.00 USDC' }).waitFor()
  await help(`payment_intents/${intentId}/underpay`, { missing_units: 3_500_000 })
  await page.getByRole('heading', { name: '3.50 USDC' }).waitFor()
  await page
    .getByText('20.50 USDC has arrived. This much is still to pay.', { exact: true })
    .waitFor()
  // The remainder cannot be paid by hand: its amount does not identify the payment.
  expect(await page.getByRole('tab').count()).toBe(0)
  expect(await readOrder(opened.order_id)).toMatchObject({ fulfilled_at: null })

  await payWithDemoWallet(page)
  await finish(page, stack.chain)
  await untilFulfilled(opened)
  const [, , , settled] = await stack.eventsOf(intentId)
  expect(settled?.object).toMatchObject({ amount_received_units: 24_000_000, exceptions: [] })
  expect(await eventTypes(opened)).toEqual([
    ...['created', 'underpaid', 'pending_confirmations', 'succeeded'],
  ])
  await rest(page)
})

// By hand on Polygon is in the quick tier.
test.runIf(isFull)('the amount alone identifies a payment by hand among others', async () => {
  const opened = await checkOut({ good: 'Beeswax Candle', by: 'Pay by QR', account: 3 })
  const { page, intentId } = opened
  await page.getByRole('img', { name: /QR code/ }).waitFor()
  const { tx_hash } = await help(`payment_intents/${intentId}/pay`, { rail: 'manual' })
  await finish(page, stack.chain)
  expect(await untilFulfilled(opened)).toMatchObject({ status: 'succeeded', tx_hash })
  await rest(page)
})

test('the checkout shows that a reorg has removed the payment, and accepts it when it returns', async () => {
  const opened = await checkOut({ good: 'Field Notebook', by: 'Pay with USDC', account: 4 })
  const { page, intentId } = opened
  // The payment must not be final before the reorg.
  await mineByHand()
  await payWithDemoWallet(page)
  await page.getByRole('heading', { name: 'Payment sent' }).waitFor()
  await help('chain/mine', { blocks: 1 })
  await page.getByRole('heading', { name: 'Payment received' }).waitFor()
  await page.getByText('1 of 5 confirmations').first().waitFor()

  await help('chain/reorg', { depth: 1 })
  await page.getByRole('heading', { name: 'Waiting once more' }).waitFor()
  await page
    .getByText(/Do not pay again/)
    .first()
    .waitFor()
  expect(await readOrder(opened.order_id)).toMatchObject({ fulfilled_at: null })

  const from = stack.chain.accounts[4]?.address
  const { tx_hash } = await help(`payment_intents/${intentId}/pay`, { from })
  await help('chain/mine', { blocks: 1 })
  await finish(page, stack.chain)
  expect(await untilFulfilled(opened)).toMatchObject({ status: 'succeeded', tx_hash })
  expect(await eventTypes(opened)).toEqual([
    ...['created', 'pending_confirmations', 'reorged', 'pending_confirmations', 'succeeded'],
  ])
  await rest(page)
})
