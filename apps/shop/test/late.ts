import { expect, test } from 'vitest'
import { finish } from './checkoutSteps.ts'
import { checkOut, eventTypes, help, readOrder } from './orderSteps.ts'
import { rest, stack } from './stack.ts'

test('the checkout refers a late payer to the shop, and is paid once the merchant accepts', async () => {
  const opened = await checkOut({ good: 'Little Agave', by: 'Pay by QR', account: 5 })
  const { page, intentId } = opened
  await page.getByRole('img', { name: /QR code/ }).waitFor()
  await help(`payment_intents/${intentId}/pay_late`, { rail: 'manual' })
  await page.getByRole('heading', { name: 'This payment has expired' }).waitFor()
  await page.getByText('Do not pay again: contact Hollow Hill.').first().waitFor()
  expect(await readOrder(opened.order_id)).toMatchObject({ fulfilled_at: null })
  expect(await eventTypes(opened)).toEqual(['created', 'expired', 'paid_late'])

  const accepted = await fetch(`${stack.apiUrl}/v1/payment_intents/${intentId}/accept`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack.apiKey}` },
  })
  expect(await accepted.json()).toMatchObject({ status: 'pending_confirmations' })
  await finish(page, stack.chain)
  const settled = (await stack.eventsOf(intentId)).at(-1)
  expect(settled).toMatchObject({
    type: 'payment_intent.succeeded',
    object: { exceptions: ['late'] },
  })
  await rest(page)
})
