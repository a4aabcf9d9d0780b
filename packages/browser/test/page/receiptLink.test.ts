import { expect, test } from 'vitest'
import type { Intent } from '../../src/service/parseIntent.ts'
import { apiOrigin, setResponse } from '../support/origins.ts'
import { open, openShop, page } from '../support/shopPage.ts'
import { intent, txHash } from '../support/testIntents.ts'

const receipt: NonNullable<Intent['receipt']> = {
  ...{ payment_intent: 'pi_test_0001', merchant_name: 'Kiosk', chain: 'base', chain_id: 84532 },
  token_address: intent().token_address,
  expected_wallet: intent().expected_wallet,
  amount_units: 25_000_000,
  expires_at: '2030-01-01T00:00:00.000Z',
  salt: `0x${'5a'.repeat(32)}`,
  payment_reference: intent().payment_reference,
  transfers: [
    {
      ...{ tx_hash: txHash, log_index: 0, amount_units: 25_000_000, bound_by: 'reference' },
      block_timestamp: '2029-12-31T23:40:00.000Z',
    },
  ],
}
const secret = 'pi_1_secret_2'
const link = () => page.getByRole('link', { name: 'Receipt' })

/** Opens the checkout of an intent that is paid, and waits for its screen. */
async function openPaid(changes: Partial<Intent>): Promise<void> {
  const paid = { status: 'succeeded', tx_hash: txHash, amount_received_units: 25_000_000 }
  setResponse(() => intent({ ...paid, ...changes }))
  await openShop()
  await open(secret)
  await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor()
}

test('a payment links to its receipt, with the merchant’s description of the order', async () => {
  await openPaid({ receipt, metadata: { order_id: 'Ä & #1042' } })
  const [target, fragment = ''] = ((await link().getAttribute('href')) ?? '').split('#')
  expect(target).toBe(`${apiOrigin}/receipt`)
  expect(JSON.parse(decodeURIComponent(fragment))).toEqual({
    ...receipt,
    metadata: { order_id: 'Ä & #1042' },
  })
  expect(await link().getAttribute('rel')).toBe('noopener noreferrer')
})

test('long metadata is omitted from the link', async () => {
  await openPaid({ receipt, metadata: { note: 'x'.repeat(3_000) } })
  const [, fragment = ''] = ((await link().getAttribute('href')) ?? '').split('#')
  expect(JSON.parse(decodeURIComponent(fragment))).toEqual(receipt)
})

test('a payment without a receipt has no link', async () => {
  await openPaid({ receipt: null })
  expect(await link().count()).toBe(0)
})
