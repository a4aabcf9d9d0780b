import {
  encodeX402,
  type PaymentIntent,
  type TransferAuthorization,
  type X402Payment,
  type X402Requirements,
} from '@payment-intents/contract'
import { sign } from '@payment-intents/server/test/support/chain/signAuthorization.ts'
import type { Signed } from '@payment-intents/server/test/support/server/authorizing.ts'
import { alone, intents, payer } from './accounts.ts'
import type { Observed } from './record.ts'

const version1 = btoa('{"x402Version":1,"scheme":"exact","network":"base-sepolia","payload":{}}')

/** Payments by x402. */
export const x402Scenarios: Record<string, (service: Observed) => Promise<void>> = {
  async 'paid by x402, once, and by nothing that was handed in elsewhere'(service) {
    const { call, create, relay, look, confirm } = service
    const [intent, other] = [await create(), await create()]
    const path = pathOf(intent)
    await call('OPTIONS', path, { headers: {} })
    const unpaid = await call('GET', path, { headers: {} })
    await call('HEAD', path, { headers: {} })
    const { signed, header: bare } = await payBy(unpaid.accepts[0])
    const header = withSecret(bare, 'secret-of-the-first-22-chars')
    const send = (to = path, headers: Record<string, string> = {}, payment = header) =>
      call('POST', to, { headers: { 'payment-signature': payment, ...headers } })
    const { header: less } = await payBy({ ...unpaid.accepts[0], amount: '1' })
    const { header: long } = await payBy(unpaid.accepts[0], { validBefore: String(2 ** 40) })
    const { header: forged } = await payBy(unpaid.accepts[0], {}, { nonce: `0x${'cd'.repeat(32)}` })
    for (const invalid of ['e30=', 'no base64', less, long, forged, version1]) {
      await send(path, {}, invalid)
    }
    await call('POST', path, { headers: { 'x-payment': version1 } })
    await send(path, { 'payment-claim': 'short' })
    await call('GET', `${path}x`, { headers: {} })
    const paying = send(path, { 'payment-claim': 'request-1' })
    await relay(signed)
    await paying
    await send(path, { 'payment-claim': 'request-1' })
    await send(path, { 'payment-claim': 'request-2' })
    await send(
      path,
      { 'payment-claim': 'request-1' },
      withSecret(header, 'another-secret-of-22-chars'),
    )
    await send()
    await send(pathOf(other))
    await look(intent)
    await confirm(intent, 4)
    await call('GET', path, { headers: {} })
    await call('GET', path, { headers: { 'x-payment': version1 } })
    const { header: another } = await payBy(unpaid.accepts[0])
    await send(path, {}, another)
    await call('POST', `${intents}/${other.id}/cancel`)
    await call('GET', pathOf(other), { headers: {} })
    await send(pathOf(other), {}, another)
  },

  async 'created for a payment by x402, or not'(service) {
    const { call, apiKey, create, relay, look } = service
    const { accepts } = await call('GET', pathOf(await create()), { headers: {} })
    const authorization = `Bearer ${apiKey}`
    const body = { amount_units: 25_000_000 }
    const forPayment = (payment: string, more: object = {}, key = payment.slice(-20)) => {
      const headers = { authorization, 'idempotency-key': key, 'payment-signature': payment }
      return call('POST', intents, { body: { ...body, ...more }, headers })
    }
    const { signed, header } = await payBy(accepts[0])
    const { header: forged } = await payBy(accepts[0], {}, { nonce: `0x${'cd'.repeat(32)}` })
    const { header: early } = await payBy(accepts[0], { validAfter: String(2 ** 33) })
    for (const invalid of ['e30=', forged, early]) await forPayment(invalid)
    await forPayment(header, { amount_units: 1 })
    await forPayment(header, { lane: 'manual' })
    await forPayment(header, { wallet_address: alone })
    const intent = await forPayment(header, {}, 'one')
    await look(intent)
    const paying = call('GET', pathOf(intent), { headers: { 'payment-signature': header } })
    await relay(signed)
    await paying
    await forPayment(header, {}, 'one')
    await forPayment(header, {}, 'two')
    await look(intent)
  },

  async 'a payment link, paid by x402'(service) {
    const { call, relay, confirm } = service
    const create = (body: object) =>
      call('POST', '/v1/payment_links', { body: { description: 'A call', ...body } })
    const link = await create({ amount_units: 25_000_000, max_payments: 1, metadata: { a: 1 } })
    const path = new URL(link.url).pathname
    await call('OPTIONS', path, { headers: {} })
    const unpaid = await call('GET', path, { headers: {} })
    const { signed, header } = await payBy(unpaid.accepts[0])
    const { header: less } = await payBy({ ...unpaid.accepts[0], amount: '1' })
    const { header: forged } = await payBy(unpaid.accepts[0], {}, { nonce: `0x${'cd'.repeat(32)}` })
    const send = (payment: string, to = path) =>
      call('POST', to, { headers: { 'payment-signature': payment } })
    for (const invalid of ['e30=', less, forged]) await send(invalid)
    await call('GET', path, { headers: { 'x-payment': version1 } })
    // No request so far has created anything.
    await call('GET', `${intents}?payment_link=${link.id}`)
    const paying = send(header)
    await relay(signed)
    const { payment_intent } = await paying
    const intent = await call('GET', `${intents}/${payment_intent.id}`)
    await send(header)
    await call('GET', path, { headers: {} })
    await send((await payBy(unpaid.accepts[0])).header)
    await confirm(intent, 5)
    await send(header)
    await call('GET', `/v1/payment_links/${link.id}`)
    const open = await create({ amount_units: null })
    await call('GET', new URL(open.url).pathname, { headers: {} })
    await send(header, '/l/plink_unknown')
  },
}

/** The payment, as if the 402 had had this secret for its reader. */
function withSecret(header: string, claim: string): string {
  const payment = JSON.parse(Buffer.from(header, 'base64').toString())
  payment.accepted.extra.claim = claim
  return encodeX402(payment)
}

const pathOf = ({ links }: Pick<PaymentIntent, 'links'>) => new URL(links.x402 ?? '').pathname

/** Pays the required amount as a client of x402 does. @param forged changed after it was signed */
async function payBy(
  accepted: X402Requirements,
  changes: Partial<TransferAuthorization> = {},
  forged: object = {},
): Promise<{ signed: Signed; header: string }> {
  const now = Math.floor(Date.now() / 1_000)
  const nonce = `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')}`
  const authorization = {
    ...{ from: payer.address, to: accepted.payTo, value: accepted.amount, nonce },
    ...{ validAfter: String(now - 600), validBefore: String(now + 120), ...changes },
  }
  const token = { chainId: Number(accepted.network.split(':')[1]), token: accepted.asset }
  const signature = await sign(token, payer, authorization)
  const payload = { authorization: { ...authorization, ...forged }, signature }
  const header = encodeX402({ x402Version: 2, accepted, payload } as unknown as X402Payment)
  return { signed: { authorization, signature }, header }
}
