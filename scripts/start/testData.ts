import { createClient, type PaymentIntent } from '@payment-intents/node'

/**
 * Makes about fifty payments as a shop has them, by what the server itself does with them, so that the dashboard has something
 * to show: paid, open, canceled, underpaid, late, paid twice, unmatched and refunded payments, and a webhook endpoint that fails.
 * Each has `test_data` in its metadata. Reads `PAYMENT_INTENTS_API_KEY`, `PAYMENT_INTENTS_BASE_URL` and `RPC_URL`.
 */
const { RPC_URL: rpcUrl = '' } = process.env
const client = createClient()
const { testHelpers } = client

/** Accounts of the development chain that hold test USDC. */
const payers = [
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
] as const
const prices = [24, 18.5, 32, 12, 48, 9.9, 64, 21] as const
const paidCount = 34

for (let number = 1; number <= paidCount; number += 1) await pay(await create(number))
for (let number = 35; number <= 38; number += 1) await create(number)
await client.paymentIntents.cancel((await create(39)).id)
await testHelpers.underpay((await create(40)).id)

const late = await create(41)
await client.paymentIntents.cancel(late.id)
await testHelpers.pay(late.id)

const twice = await create(42)
await pay(twice)
await testHelpers.pay(twice.id, { from: payers[1] })

// Three dollars less than any order costs, and without a reference.
await testHelpers.pay((await create(43)).id, { rail: 'manual', amount_units: 1_234_567 })

await client.webhookEndpoints.create({
  url: 'http://localhost:9/webhooks',
  description: 'test data: nothing listens here',
  enabled_events: ['refund.created'],
})
await client.paymentLinks.create({
  amount_units: null,
  description: 'Tip jar',
  metadata: { test_data: true },
})
await refund(await create(44))
console.log('The test data is made.')

function create(number: number): Promise<PaymentIntent> {
  const price = prices[number % prices.length] ?? 24
  return client.createPaymentIntent(
    {
      amount_units: Math.round(price * 1_000_000),
      chain: number % 3 === 0 ? 'polygon' : 'base',
      metadata: { order_id: `T-${1000 + number}`, test_data: true },
    },
    { idempotencyKey: `test data ${number}` },
  )
}

async function pay({ id }: PaymentIntent): Promise<void> {
  const from = payers[id.charCodeAt(id.length - 1) % payers.length]
  await testHelpers.pay(id, from ? { from } : {})
}

/** Pays an order, then a part of it back from elsewhere. */
async function refund(intent: PaymentIntent): Promise<void> {
  await pay(intent)
  await succeeded(intent.id)
  const [destination] = payers
  const amount_units = 1_000_000
  const made = await client.refunds.create({
    ...{ payment_intent: intent.id, amount_units, destination },
    reason: 'requested_by_customer',
    metadata: { test_data: true },
  })
  const data = `0xa9059cbb${word(destination.slice(2))}${word(amount_units.toString(16))}`
  const tx_hash = await rpc('eth_sendTransaction', [
    { from: payers[2], to: made.token_address, data },
  ])
  for (;;) {
    if (await rpc('eth_getTransactionReceipt', [tx_hash])) break
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  await client.refunds.attach(made.id, { tx_hash: tx_hash as `0x${string}` })
  await client.refunds.create({ payment_intent: intent.id, amount_units, reason: 'other' })
}

async function succeeded(id: string): Promise<void> {
  for await (const event of client.events.follow({ payment_intent: id })) {
    if (event.type === 'payment_intent.succeeded') return
  }
}

function word(digits: string): string {
  return digits.padStart(64, '0')
}

async function rpc(method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = await response.json()
  if (error) throw new Error(error.message)
  return result
}
