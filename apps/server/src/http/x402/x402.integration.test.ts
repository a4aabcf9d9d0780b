import { readdirSync } from 'node:fs'
import { verifyReceipt } from '@payment-intents/browser/receipt'
import {
  encodeX402,
  transferAuthorizationSchema,
  type X402Payment,
} from '@payment-intents/contract'
import type { SimulateTransfer } from '@payment-intents/core'
import type { DevAccount } from '@payment-intents/testing'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { beforeEach, expect, test } from 'vitest'
import { holdTimers } from '../../../../../tests/support/holdTimers.ts'
import { until } from '../../../../../tests/support/until.ts'
import { readerOfTest } from '../../../test/support/chain/readerOfTest.ts'
import { sendMined } from '../../../test/support/chain/sendMined.ts'
import { authorizedTransfer, sign } from '../../../test/support/chain/signAuthorization.ts'
import { merchantApi } from '../../../test/support/server/merchantApi.ts'
import type { Json } from '../../../test/support/server/testServer.ts'
import { headerOf, type X402Payload, x402Client } from '../../../test/support/server/x402Client.ts'
import { broadcast, inFlight, openRoute } from '../../../test/support/server/x402Route.ts'
import { connect } from '../../chain/rpc/rpcConnection.ts'
import { createSimulate } from '../../relayer/rpc/simulateAuthorization.ts'
import { refuseAuthorizations } from '../../store/relaying/refuseAuthorizations.ts'
import { x402PageMessages } from './x402PageMessages.ts'

let [isConfigured, isOffered] = [true, true]
let simulate: SimulateTransfer
const { reader, chain } = readerOfTest({
  gasless: { isConfigured: () => isConfigured, isOffered: () => isOffered },
  simulateTransfer: (...requested) => simulate(...requested),
})
let payer: DevAccount
let otherAccount: DevAccount
const price = 10_000

beforeEach(() => {
  isConfigured = true
  isOffered = true
  const connection = connect(chain.url)
  const providers = {
    choose: () => ({ host: connection.host }),
    checkHealth: async () => {},
    connections: [connection],
  }
  simulate = createSimulate({ providers: () => providers as never, log: { debug() {} } })
  const [, firstAccount, secondAccount] = chain.accounts as [DevAccount, DevAccount, DevAccount]
  payer = firstAccount
  otherAccount = secondAccount
})

const create = () => reader.create({ amount_units: price })
const urlOf = (intent: Json) => reader.server.url + new URL(intent.links.x402).pathname

/** Broadcasts the next payment as a relayer does, and mines it. */
async function relay(): Promise<string> {
  const hash = await broadcast(reader)
  await chain.mine(1)
  await reader.read()
  return hash
}

async function signed(intent: Json, by = payer): Promise<X402Payload> {
  const unpaid = await fetch(urlOf(intent))
  expect(unpaid.status).toBe(402)
  return (await x402Client(by)).sign(headerOf(unpaid, 'payment-required'))
}

function send(intent: Json, payload: unknown, headers = {}): Promise<Response> {
  const signature = encodeX402(payload as X402Payment)
  return fetch(urlOf(intent), { headers: { 'payment-signature': signature, ...headers } })
}

test("the protocol's own client pays an intent by its link, and a repetition has the same response", async () => {
  const intent = await create()
  const { fetch: payingFetch } = await x402Client(payer)
  const paying = payingFetch(urlOf(intent), { method: 'POST', body: '{}' })
  const hash = await relay()
  const paid = await paying
  expect(paid.status).toBe(200)
  const settlement = headerOf(paid, 'payment-response')
  expect(settlement).toEqual({
    ...{ success: true, transaction: hash, network: 'eip155:84532', payer: payer.address },
  })
  expect(((await paid.json()) as Json).payment_intent).toMatchObject({
    id: intent.id,
    tx_hash: hash,
  })
  await reader.settle()
  expect(await reader.resolved(intent)).toMatchObject({
    status: 'succeeded',
    amount_received_units: price,
    exceptions: [],
  })
  // The nonce is random, so only the service knows that it names no other intent.
  const receipt = await merchantApi(reader.server, reader.merchant.apiKey).read(
    `/v1/payment_intents/${intent.id}/receipt`,
  )
  const rpcUrl = chain.url
  const confirmed = await verifyReceipt(receipt, { rpcUrl, serviceUrl: reader.server.url })
  expect(confirmed).toMatchObject({ type: 'paid', confirmation: { type: 'confirmed' } })
  expect(await verifyReceipt(receipt, { rpcUrl })).toMatchObject({ reason: 'another' })
  // The link still shows the status, but requests no payment.
  const secondResponse = await fetch(urlOf(intent))
  expect(secondResponse.status).toBe(200)
  expect(((await secondResponse.json()) as Json).payment_intent.status).toBe('succeeded')
})

test('a browser gets a page in its language, with the status and headers of the protocol', async () => {
  const intent = await create()
  const chrome = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  const open = (url: string, language = 'en-US,en;q=0.9') =>
    fetch(url, { headers: { accept: chrome, 'accept-language': language } })
  const response = await open(urlOf(intent))
  expect(response.status).toBe(402)
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src/)
  expect(headerOf(response, 'payment-required')).toMatchObject({ x402Version: 2 })
  const page = await response.text()
  expect(page).toContain('<h1>This link is for programs</h1>')
  expect(page).toContain('<bdi>0.01\u00a0USDC</bdi> to <bdi>Test</bdi>')
  const arabic = await (await open(urlOf(intent), 'ar')).text()
  expect(arabic).toContain('<html lang="ar" dir="rtl">')
  expect(arabic).toContain(x402PageMessages.ar.open.title)

  // A client that sends a payment, or accepts any type, is a program.
  const { fetch: payingFetch } = await x402Client(payer)
  const program = await fetch(urlOf(intent), { headers: { accept: '*/*' } })
  expect([program.status, program.headers.get('content-type')]).toEqual([
    ...[402, 'application/json; charset=utf-8'],
  ])
  const paying = payingFetch(urlOf(intent), { headers: { accept: chrome } })
  await relay()
  const paid = await paying
  expect((await paid.json()) as Json).toMatchObject({ success: true })
  await reader.settle()
  const after = await open(urlOf(intent))
  expect([after.status, await after.text()]).toEqual([
    ...[200, expect.stringContaining(x402PageMessages.en.paid.title)],
  ])
  const unknown = await open(`${reader.server.url}/x402/none`)
  expect([unknown.status, await unknown.text()]).toEqual([
    ...[404, expect.stringContaining(x402PageMessages.en.ended.title)],
  ])
})

test('shows a person every language of the checkout', () => {
  const folder = new URL('locales/', import.meta.resolve('@payment-intents/browser/script.js'))
  const languages = readdirSync(folder).map((name) => name.replace('.json', ''))
  expect(Object.keys(x402PageMessages).sort()).toEqual(languages.sort())
  const { open, paid } = x402PageMessages.en
  for (const messages of Object.values(x402PageMessages)) {
    for (const [text, translation] of [
      [open.text, messages.open.text],
      [paid.text, messages.paid.text],
    ] as const) {
      expect(translation.match(/\{\w+\}/g)?.sort()).toEqual(text.match(/\{\w+\}/g)?.sort())
    }
  }
})

test('requests the price, in the header and in the body, for as long as the intent is open', async () => {
  const intent = await create()
  const response = await fetch(urlOf(intent))
  const { payment_intent, ...body } = (await response.json()) as Json
  expect(headerOf(response, 'payment-required')).toEqual(body)
  expect(body).toEqual({
    x402Version: 2,
    error: 'Payment required',
    resource: {
      url: intent.links.x402,
      description: '0.01 USDC to Test',
      mimeType: 'application/json',
    },
    accepts: [
      {
        scheme: 'exact',
        network: 'eip155:84532',
        amount: '10000',
        asset: intent.token_address,
        payTo: intent.expected_wallet,
        maxTimeoutSeconds: 300,
        extra: { name: 'USDC', version: '2' },
      },
    ],
  })
  expect(payment_intent).toMatchObject({ id: intent.id, status: 'requires_payment' })
  expect(JSON.stringify(payment_intent)).not.toContain('secret')
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('cache-control')).toBe('no-store')
  const preflight = await fetch(urlOf(intent), { method: 'OPTIONS' })
  expect(preflight.headers.get('access-control-allow-headers')).toContain('payment-signature')
})

test('a token opens its own intent only, no checkout, and no token is logged', async () => {
  const intent = await create()
  const foreign = await create()
  const token = new URL(intent.links.x402).pathname.split('/')[2] ?? ''
  const guessed = token.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  const swapped = foreign.id + token.slice(token.indexOf('_x402_'))
  const secret = intent.client_secret
  for (const invalid of [guessed, swapped, secret, intent.id, `${intent.id}_x402_`]) {
    const response = await reader.server.request(`/x402/${invalid}`)
    expect(await response.json()).toMatchObject({ error: 'intent_not_found' })
    expect(response.status).toBe(404)
  }
  const checkout = await reader.server.request('/v1/payment_intents/resolve', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_secret: token }),
  })
  expect(checkout.status).toBe(404)
  await fetch(urlOf(intent))
  const half = token.slice(token.indexOf('_x402_') + 6)
  expect(reader.server.logs.join('')).not.toContain(half)
  const { rows } = await reader.db.pool.query('select * from idempotency_keys')
  expect(JSON.stringify(rows)).not.toContain('x402')
})

test('a replayed creation and a retrieval return the same links', async () => {
  const body = JSON.stringify({ amount_units: price })
  const headers = {
    authorization: `Bearer ${reader.merchant.apiKey}`,
    'content-type': 'application/json',
    'idempotency-key': 'one',
  }
  const create = () =>
    reader.server.request('/v1/payment_intents', { method: 'POST', headers, body })
  const first = await (await create()).text()
  expect(await (await create()).text()).toBe(first)
  const { id, links } = JSON.parse(first)
  const retrieved = await reader.server.request(`/v1/payment_intents/${id}`, { headers })
  expect((await retrieved.json()).links).toEqual(links)
})

const aMinute = 60
const soon = () => Math.floor(Date.now() / 1000)

/** The changes to a valid payment. */
type Change = { accepted?: object; authorization?: object }

test.each<[string, reason: string, change: () => Change, isSigned?: boolean]>([
  [
    'of a lower amount',
    'invalid_exact_evm_payload_authorization_value_mismatch',
    () => ({ authorization: { value: '9999' } }),
    true,
  ],
  [
    'whose accepted amount is another',
    'invalid_exact_evm_payload_authorization_value_mismatch',
    () => ({ accepted: { amount: '1' } }),
  ],
  [
    'for another account',
    'invalid_exact_evm_recipient_mismatch',
    () => ({ authorization: { to: `0x${'1'.repeat(40)}` } }),
    true,
  ],
  [
    'of another chain',
    'invalid_exact_evm_network_mismatch',
    () => ({ accepted: { network: 'eip155:8453' } }),
  ],
  ['of another scheme', 'invalid_exact_evm_scheme', () => ({ accepted: { scheme: 'upto' } })],
  [
    'in another token',
    'invalid_payment_requirements',
    () => ({ accepted: { asset: `0x${'2'.repeat(40)}` } }),
  ],
  [
    'of the wallet itself, which moves no money',
    'invalid_payload',
    () => ({ authorization: { from: reader.merchant.wallet } }),
  ],
  [
    'that is over',
    'invalid_exact_evm_payload_authorization_valid_before',
    () => ({ authorization: { validBefore: String(soon() - aMinute) } }),
    true,
  ],
  [
    'that begins later',
    'invalid_exact_evm_payload_authorization_valid_after',
    () => ({ authorization: { validAfter: String(soon() + aMinute) } }),
    true,
  ],
  [
    'that is valid for longer than the intent',
    'invalid_exact_evm_payload_authorization_valid_before',
    () => ({ authorization: { validBefore: String(soon() + 120 * aMinute) } }),
    true,
  ],
  [
    'that was tampered with',
    'invalid_exact_evm_signature',
    () => ({ authorization: { nonce: `0x${'3'.repeat(64)}` } }),
  ],
  [
    'of somebody else',
    'invalid_exact_evm_signature',
    () => ({ authorization: { from: otherAccount.address } }),
  ],
  ['that is no payment', 'invalid_payload', () => ({ authorization: { value: 'much' } })],
])('a payment %s is refused as the protocol names it', async (_, reason, change, isSigned) => {
  const intent = await create()
  const payload = await signed(intent)
  const { accepted, authorization } = change()
  Object.assign(payload.accepted, accepted)
  Object.assign(payload.payload.authorization, authorization)
  if (isSigned) {
    payload.payload.signature = await sign(chain, payer, payload.payload.authorization as never)
  }
  const response = await send(intent, payload)
  expect({ status: response.status, ...headerOf(response, 'payment-required') }).toMatchObject({
    status: 402,
    error: reason,
  })
  expect(((await response.json()) as Json).accepts[0].amount).toBe('10000')
  const { rowCount } = await reader.db.pool.query('select from authorizations')
  expect(rowCount).toBe(0)
})

test('a payment that was submitted for one intent pays no other, before it is mined and after', async () => {
  const [intent, another] = [await create(), await create()]
  const payload = await signed(intent)
  const paying = send(intent, payload)
  await until(async () => {
    const { rowCount } = await reader.db.pool.query('select from authorizations')
    expect(rowCount).toBe(1)
  })
  const used = { status: 402, error: 'invalid_exact_evm_nonce_already_used' }
  const summaryOf = async (response: Response) => ({
    status: response.status,
    error: headerOf(response, 'payment-required').error,
  })
  expect(await summaryOf(await send(another, payload))).toEqual(used)
  await relay()
  expect((await paying).status).toBe(200)
  expect(await summaryOf(await send(another, payload))).toEqual(used)
  expect(await reader.resolved(another)).toMatchObject({ amount_received_units: 0 })

  // The intent is paid, so any other payment is refused and none is requested.
  const late = await send(intent, await signed(another, otherAccount))
  expect(late.status).toBe(409)
  expect(await late.json()).toMatchObject({ error: 'conflict', reason: 'illegal_state' })
})

test('no goods are handed out if the payer uses the nonce for a smaller transfer', async () => {
  const intent = await create()
  const payload = await signed(intent)
  const paying = send(intent, payload, { 'payment-claim': 'request-1' })
  await inFlight(reader)
  const less = transferAuthorizationSchema.parse({
    ...payload.payload.authorization,
    value: '1',
  })
  const data = authorizedTransfer(less, await sign(chain, payer, less))
  await sendMined(chain, { from: otherAccount.address, to: chain.token, data })
  await chain.mine(1)
  await reader.read()
  const response = await paying
  expect(response.status).toBe(402)
  expect(headerOf(response, 'payment-response')).toMatchObject({
    ...{ success: false, errorReason: 'invalid_exact_evm_nonce_already_used' },
  })
  expect(await reader.resolved(intent)).toMatchObject({
    status: 'requires_payment',
    authorization: { status: 'refused', reason: 'authorization_used' },
  })
})

test('no other payment is requested while one is on its way', async () => {
  const intent = await create()
  const [payload, secondPayload] = [await signed(intent), await signed(intent, otherAccount)]
  const paying = send(intent, payload)
  await until(async () => expect((await fetch(urlOf(intent))).status).toBe(409))
  for (const response of [await fetch(urlOf(intent)), await send(intent, secondPayload)]) {
    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({ reason: 'payment_in_flight' })
  }
  await relay()
  expect((await paying).status).toBe(200)
})

test('paid goods are handed out to a single claim, which may be repeated', async () => {
  const intent = await create()
  const payload = await signed(intent)
  const paying = send(intent, payload, { 'payment-claim': 'request-1' })
  await relay()
  expect((await paying).status).toBe(200)
  const claims = ['request-1', 'request-2', 'request-3']
  const responses = await Promise.all(
    claims.map((claim) => send(intent, payload, { 'payment-claim': claim })),
  )
  expect(responses.map(({ status }) => status)).toEqual([200, 402, 402])
  expect(headerOf(responses[1] as Response, 'payment-response')).toMatchObject({
    success: false,
    errorReason: 'invalid_exact_evm_nonce_already_used',
  })
})

test('an observer of a payment on its way cannot take its goods from the request that submitted it', async () => {
  const intent = await create()
  const payload = await signed(intent)
  const buying = send(intent, payload, { 'payment-claim': 'buyer-01' })
  await inFlight(reader)
  const observers = ['other-01', 'other-02', 'other-03', 'other-04'].map((claim) =>
    send(intent, payload, { 'payment-claim': claim }),
  )
  await until(async () => expect((await fetch(urlOf(intent))).status).toBe(409))
  await relay()
  for (const response of await Promise.all(observers)) expect(response.status).toBe(402)
  expect((await buying).status).toBe(200)
})

test('a relayer that cannot pay now causes 503, and without a relayer there is no link', async () => {
  const intent = await create()
  const payload = await signed(intent)
  isOffered = false
  for (const response of [await fetch(urlOf(intent)), await send(intent, payload)]) {
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('10')
    expect(await response.json()).toMatchObject({ reason: 'gasless_unavailable' })
  }
})

test('a relayer that gives up a payment causes 503, and the same payment is accepted again', async () => {
  const intent = await create()
  const payload = await signed(intent)
  const paying = send(intent, payload)
  const { id } = await inFlight(reader)
  await refuseAuthorizations(reader.db.pool, [{ id, reason: 'gasless_unavailable' }])
  const response = await paying
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '10'])
  const secondPayment = send(intent, payload)
  await relay()
  expect((await secondPayment).status).toBe(200)
})

test('a response waits for a payment for at most 25 seconds, and is then pending', async () => {
  const intent = await create()
  const payload = await signed(intent)
  const timers = holdTimers(20_000, 25_000)
  const paying = send(intent, payload)
  await inFlight(reader)
  await until(() => expect(timers.held()).toHaveLength(1))
  timers.runOut()
  const response = await paying
  expect(response.status).toBe(402)
  expect(headerOf(response, 'payment-response')).toMatchObject({
    ...{ success: false, errorReason: 'settlement_pending' },
  })
  const secondPayment = send(intent, payload)
  await relay()
  expect((await secondPayment).status).toBe(200)
})

test('an intent that has ended says so, and requests nothing', async () => {
  const intent = await create()
  const payload = await signed(intent)
  await reader.db.pool.query("update payment_intents set status = 'canceled'")
  const canceled = await send(intent, payload)
  expect(canceled.status).toBe(409)
  expect(await canceled.json()).toMatchObject({ reason: 'illegal_state' })
  await reader.db.pool.query("update payment_intents set status = 'expired'")
  for (const response of [await fetch(urlOf(intent)), await send(intent, payload)]) {
    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({ reason: 'intent_expired' })
    expect(response.headers.get('payment-required')).toBeNull()
  }
})

const countIntents = async () => {
  const { rows } = await reader.db.pool.query('select count(*)::int from payment_intents')
  return rows[0].count
}

test("the protocol's own client buys from a guarded route, whose handler runs once for a payment", async () => {
  const route = await openRoute(reader, { metadata: { product: 'weather' } })
  expect((await fetch(route.url)).status).toBe(402)
  expect(await countIntents()).toBe(0)

  const { fetch: payingFetch } = await x402Client(payer)
  const paying = payingFetch(route.url)
  const hash = await relay()
  const response = await paying
  expect([response.status, await response.json()]).toEqual([200, { sky: 'clear' }])
  expect(response.headers.get('cache-control')).toBe('private')
  expect(headerOf(response, 'payment-response')).toMatchObject({ success: true, transaction: hash })
  await reader.settle()
  const { rows } = await reader.db.pool.query('select status, metadata from payment_intents')
  expect(rows).toEqual([{ status: 'succeeded', metadata: '{"product":"weather"}' }])
  expect(route.sold).toEqual({ calls: 1, errors: [] })
})

test('a payment sent again, also to another process and route, buys nothing more', async () => {
  const [route, twin, pricierRoute] = [
    await openRoute(reader),
    await openRoute(reader),
    await openRoute(reader, { price: '0.02' }),
  ]
  const payload = await (await x402Client(payer)).sign(await route.unpaid())
  const buying = Promise.all([route.buy(payload), twin.buy(payload), route.buy(payload)])
  await relay()
  const statuses = (await buying).map(({ status }) => status)
  expect(statuses.sort()).toEqual([200, 402, 402])
  const late = await twin.buy(payload)
  expect(late.status).toBe(402)
  expect(headerOf(late, 'payment-required').error).toBe('invalid_exact_evm_nonce_already_used')
  expect((await pricierRoute.buy(payload)).status).toBe(402)
  expect([route.sold.calls + twin.sold.calls, pricierRoute.sold.calls]).toEqual([1, 0])
  expect(await countIntents()).toBe(1)
})

test('a route passes on why a payment is refused, and returns 503 while no payment can be accepted', async () => {
  const route = await openRoute(reader)
  const client = await x402Client(payer)
  const payload = await client.sign(await route.unpaid())
  payload.payload.authorization.nonce = `0x${'4'.repeat(64)}`
  const refused = await route.buy(payload)
  expect([refused.status, headerOf(refused, 'payment-required').error]).toEqual([
    402,
    'invalid_exact_evm_signature',
  ])
  isOffered = false
  const away = await route.buy(await client.sign(await route.unpaid()))
  expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5'])
  expect(route.sold.calls).toBe(0)
  isConfigured = false
  expect((await route.buy(await client.sign(await route.unpaid()))).status).toBe(503)
  const errors = route.sold.errors.map(String)
  expect(errors).toEqual([
    expect.stringContaining('submits no authorizations on this chain now'),
    expect.stringContaining('relays no payments on this chain: see its operator'),
  ])
  expect(errors.join()).not.toMatch(/_x402_|sk_test/)
  expect(await countIntents()).toBe(0)
})

/** Creates an account with this many units of USDC. */
async function funded(amount: number): Promise<DevAccount> {
  const privateKey = generatePrivateKey()
  const account = { address: privateKeyToAddress(privateKey), privateKey }
  if (amount > 0) {
    await chain.pay({ from: otherAccount.address, to: account.address, amount: BigInt(amount) })
  }
  return account
}

test('an account without USDC causes no intent, and an account with USDC for one payment causes one', async () => {
  const route = await openRoute(reader)
  const empty = await x402Client(await funded(0))
  const refused = await route.buy(await empty.sign(await route.unpaid()))
  const short = 'invalid_exact_evm_insufficient_balance'
  expect(headerOf(refused, 'payment-required').error).toBe(short)
  expect(await countIntents()).toBe(0)

  const poor = await x402Client(await funded(price))
  const payloads = await Promise.all(
    Array.from({ length: 5 }, async () => poor.sign(await route.unpaid())),
  )
  const made = await Promise.all(payloads.map((payload) => createFor(payload)))
  const reasons = made.map(({ reason = 'made' }) => reason)
  expect(reasons.sort()).toEqual([...Array(4).fill('insufficient_token'), 'made'])
  expect(await countIntents()).toBe(1)
})

test('an account buys as often as its USDC allows, since a submitted payment counts once', async () => {
  const account = await funded(2 * price)
  const route = await openRoute(reader)
  const buyer = await x402Client(account)
  for (const _ of ['once', 'again']) {
    const buying = route.buy(await buyer.sign(await route.unpaid()))
    await relay()
    expect((await buying).status).toBe(200)
  }
  const third = await route.buy(await buyer.sign(await route.unpaid()))
  expect([third.status, route.sold]).toEqual([402, { calls: 2, errors: [] }])
  expect(await countIntents()).toBe(2)
})

/** Creates an intent for a payment, as `paymentRequired` does. */
async function createFor(payload: X402Payload, body: object = {}, key?: string): Promise<Json> {
  const { nonce } = payload.payload.authorization
  const response = await reader.server.request('/v1/payment_intents', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${reader.merchant.apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': key ?? String(nonce),
      'payment-signature': encodeX402(payload as unknown as X402Payment),
    },
    body: JSON.stringify({ amount_units: price, ...body }),
  })
  return (await response.json()) as Json
}

test('an intent that is created with its payment reserves no amount, and is replayed once it is used', async () => {
  const route = await openRoute(reader)
  const payload = await (await x402Client(payer)).sign(await route.unpaid())
  for (const body of [{ amount_units: price + 1 }, { lane: 'manual' }]) {
    expect(await createFor(payload, body)).toMatchObject({
      error: 'invalid_body',
      issues: [{ path: 'Payment-Signature' }],
    })
  }
  const intent = await createFor(payload)
  expect(intent).toMatchObject({ amount_units: price, payable_amount_units: price })
  expect(await reader.resolved(intent)).toMatchObject({ manual: null, amount_units: price })
  const { rowCount } = await reader.db.pool.query('select from payable_reservations')
  expect(rowCount).toBe(0)
  const paying = send(intent, payload)
  await relay()
  expect((await paying).status).toBe(200)
  expect(await createFor(payload)).toEqual(intent)
  await reader.settle()
  expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded', exceptions: [] })
})

test('a creation that another process completes meanwhile has the same response, even if its payment is used by then', async () => {
  const route = await openRoute(reader)
  const payload = await (await x402Client(payer)).sign(await route.unpaid())
  const send = simulate
  let made: Json | null = null
  simulate = async (...requested) => {
    simulate = send
    const result = await send(...requested)
    made = await createFor(payload, {}, 'elsewhere')
    const key = payload.payload.authorization.nonce
    await reader.db.pool.query('update idempotency_keys set key = $1', [key])
    return result && { ...result, isUsed: true }
  }
  expect(await createFor(payload)).toEqual(made)
  expect(await countIntents()).toBe(1)
})
