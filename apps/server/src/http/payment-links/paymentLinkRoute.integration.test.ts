import { encodeX402, type X402Payment } from '@payment-intents/contract'
import type { SimulateTransfer } from '@payment-intents/core'
import type { DevAccount } from '@payment-intents/testing'
import { beforeEach, expect, test } from 'vitest'
import { readerOfTest } from '../../../test/support/chain/readerOfTest.ts'
import { simulateAt } from '../../../test/support/server/authorizing.ts'
import { merchantApi } from '../../../test/support/server/merchantApi.ts'
import { createTestMerchant, type Json } from '../../../test/support/server/testServer.ts'
import { headerOf, x402Client } from '../../../test/support/server/x402Client.ts'
import { broadcast } from '../../../test/support/server/x402Route.ts'
import { setMerchantWallet } from '../../store/merchants/merchants.ts'

let simulate: SimulateTransfer
const { reader, chain } = readerOfTest({
  gasless: { isConfigured: () => true, isOffered: () => true },
  simulateTransfer: (...signed) => simulate(...signed),
})
const price = 10_000
let payer: DevAccount

beforeEach(async () => {
  simulate = simulateAt(chain.url)
  payer = chain.accounts[1] as DevAccount
  const { id: merchantId, wallet: address } = reader.merchant
  const wallet = { merchantId, mode: 'testnet', chain: 'polygon', address } as const
  await setMerchantWallet(reader.db.pool, wallet)
})

const api = () => merchantApi(reader.server, reader.merchant.apiKey)

async function createLink(body: object = {}): Promise<Json> {
  const terms = { amount_units: price, description: 'A call', ...body }
  return (await api().post('/v1/payment_links', terms)).json()
}

const urlOf = ({ url }: Json) => reader.server.url + new URL(url).pathname
const paymentsOf = async ({ id }: Json) =>
  (await api().read('/v1/payment_intents', { payment_link: id })).data

async function relay(): Promise<string> {
  const hash = await broadcast(reader)
  await chain.mine(1)
  await reader.read()
  return hash
}

test("the protocol's own client pays a link on the first of its networks", async () => {
  const link = await createLink({ metadata: { order_id: '7' } })
  const unpaid = await fetch(urlOf(link))
  expect([unpaid.status, unpaid.headers.get('vary')]).toEqual([402, 'accept, accept-language'])
  expect(headerOf(unpaid, 'payment-required').accepts).toMatchObject([
    { network: 'eip155:84532', amount: String(price) },
    { network: 'eip155:80002', amount: String(price) },
  ])
  expect(await paymentsOf(link)).toEqual([])
  const { fetch: payingFetch } = await x402Client(payer)
  const paying = payingFetch(urlOf(link))
  const hash = await relay()
  const paid = await paying
  expect(paid.status).toBe(200)
  expect(headerOf(paid, 'payment-response')).toMatchObject({ success: true, transaction: hash })
  expect(await paymentsOf(link)).toMatchObject([
    { status: 'pending_confirmations', metadata: { order_id: '7' }, payable_amount_units: price },
  ])
  // Another payment by the same client is separate.
  const second = payingFetch(urlOf(link))
  await relay()
  expect((await second).status).toBe(200)
  expect(await paymentsOf(link)).toHaveLength(2)
})

test('copies of one payment create one payment intent, and refused payments create none', async () => {
  const link = await createLink({ max_payments: 1 })
  const unpaid = await fetch(urlOf(link))
  const signed = await (await x402Client(payer)).sign(headerOf(unpaid, 'payment-required'))
  const send = (payload: unknown) =>
    fetch(urlOf(link), {
      headers: { 'payment-signature': encodeX402(payload as X402Payment) },
    })
  const poor = await (await x402Client({ privateKey: `0x${'77'.repeat(32)}` })).sign(
    headerOf(unpaid, 'payment-required'),
  )
  const cheap = { ...signed, accepted: { ...signed.accepted, amount: '1' } }
  for (const payload of [poor, cheap, {}]) expect((await send(payload)).status).toBe(402)
  expect(await paymentsOf(link)).toEqual([])
  const copies = Promise.all(Array.from({ length: 10 }, () => send(signed)))
  await relay()
  const statuses = (await copies).map(({ status }) => status)
  expect(statuses.every((status) => [200, 409, 429].includes(status))).toBe(true)
  expect(statuses).toContain(200)
  expect(await paymentsOf(link)).toHaveLength(1)
  // The same payment gets the same response; another payment is refused.
  expect((await send(signed)).status).toBe(200)
  expect((await fetch(urlOf(link))).status).toBe(409)
})

test('a page of any origin may send requests', async () => {
  const link = await createLink()
  const preflight = await fetch(urlOf(link), { method: 'OPTIONS' })
  expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
    ...[204, expect.stringContaining('payment-signature')],
  ])
  const unpaid = await fetch(urlOf(link), { method: 'POST', body: 'anything' })
  expect([unpaid.status, unpaid.headers.get('access-control-allow-origin')]).toEqual([402, '*'])
})

test('offers nothing on a network where another merchant has proven the wallet', async () => {
  const link = await createLink()
  const { id } = await createTestMerchant(reader.db)
  await reader.db.pool.query(
    `insert into wallet_proofs (merchant_id, address, chain_id, nonce_hash, proved_at)
     values ($1, $2, 80002, '', now())`,
    [id, reader.merchant.wallet.toLowerCase()],
  )
  const { accepts } = headerOf(await fetch(urlOf(link)), 'payment-required')
  expect(accepts).toMatchObject([{ network: 'eip155:84532' }])
})
