import { createClient } from '@payment-intents/node'
import type { Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { patientCalls } from '../../../tests/support/patience.ts'
import { until } from '../../../tests/support/until.ts'
import type { DescribedOrder } from '../src/http/describeOrder.ts'
import { order, type Placed, resolve } from './checkoutSteps.ts'
import { openPage, stack } from './stack.ts'
import { relayer } from './startService.ts'

type Button = 'Pay with USDC' | 'Pay by QR'
export type Opened = Placed & { page: Page; intentId: string }

/** Opens the checkout of an order. */
export async function checkOut(options: {
  good: string
  by: Button
  account: number
}): Promise<Opened> {
  const page = await openPage(`/?account=${options.account}`)
  const good = page.getByRole('article', { name: options.good })
  const placed = await order(page, good.getByRole('button', { name: options.by }))
  const intentId = placed.client_secret.split('_secret_', 1)[0] ?? ''
  return { ...placed, page, intentId }
}

/** Calls a test helper of the API. */
export async function help(
  path: string,
  body: Record<string, unknown>,
): Promise<{ tx_hash?: string }> {
  const response = await fetch(`${stack.apiUrl}/v1/test_helpers/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const content = await response.json()
  expect(content).not.toHaveProperty('error')
  return content
}

/** Stops interval mining for the rest of the test. */
export async function mineByHand(): Promise<void> {
  onTestFinished(() => mineEachSecond())
  await stack.chain.rpc('evm_setIntervalMining', [0])
}

export async function mineEachSecond(): Promise<void> {
  await stack.chain.rpc('evm_setIntervalMining', [1])
}

export async function untilFulfilled({ order_id }: Placed): Promise<DescribedOrder> {
  return until(async () => {
    const current = await readOrder(order_id)
    expect(current.fulfilled_at).not.toBeNull()
    return current
  })
}

export async function readOrder(id: string): Promise<DescribedOrder> {
  return (await fetch(`${stack.shopUrl}/api/orders/${id}`)).json()
}

export async function eventTypes({ intentId }: Opened): Promise<string[]> {
  const events = await stack.eventsOf(intentId)
  return events.map(({ type }) => type.replace('payment_intent.', ''))
}

/** From now on, the service submits the signatures of payers and the shop. */
export async function fundRelayer(): Promise<void> {
  await hold(relayer, 10n ** 18n)
  await untilOffered()
}

export async function hold(account: string, wei: bigint): Promise<void> {
  await stack.chain.rpc('anvil_setBalance', [account, `0x${wei.toString(16)}`])
}

/** The service reads its relayer's balance from time to time. */
async function untilOffered(): Promise<void> {
  const { apiKey, apiUrl: baseUrl } = stack
  const client = createClient({ apiKey, baseUrl, ...patientCalls })
  const { client_secret } = await client.createPaymentIntent({ amount_units: 3_210_000 })
  await until(async () => {
    expect((await resolve(client_secret)).gasless).not.toBeNull()
  })
}
