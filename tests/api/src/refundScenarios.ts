import { sign } from '@payment-intents/server/test/support/chain/signAuthorization.ts'
import type { Signed } from '@payment-intents/server/test/support/server/authorizing.ts'
import type { Json } from '@payment-intents/server/test/support/server/testServer.ts'
import { privateKeyToAccount } from 'viem/accounts'
import { alone, payer, shop } from './accounts.ts'
import type { Observed } from './record.ts'

const refunds = '/v1/refunds'
const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

/** The authorization that a refund needs, signed by an account, on request with other terms. */
export async function signedBy(
  { chain_id: chainId, token_address: token, typed_data }: Json,
  account: typeof payer | typeof shop = shop,
  more = {},
): Promise<Signed> {
  const authorization = { from: account.address, ...typed_data.message, ...more }
  return { authorization, signature: await sign({ chainId, token }, account, authorization) }
}

export const refundScenarios: Record<string, (service: Observed) => Promise<void>> = {
  async 'a refund by a signature, block by block'({
    call,
    create,
    pay,
    confirmRefund,
    submitRefund,
  }) {
    const intent = await create()
    await pay(intent)
    const refund = await call('POST', refunds, {
      body: {
        ...{ payment_intent: intent.id, amount_units: 20_000_000, destination: payer.address },
        ...{ reason: 'requested_by_customer', metadata: { rma: '7', __proto: 1, n: 1.5 } },
      },
    })
    const path = `${refunds}/${refund.id}`
    await call('GET', path)
    await call('GET', `/v1/payment_intents/${intent.id}`)
    const signed = await signedBy(refund)
    await call('POST', `${path}/authorize`, { body: signed })
    await call('POST', `${path}/authorize`, { body: signed })
    await call('POST', `${path}/cancel`)
    await call('PATCH', path, { body: { destination: other } })
    await submitRefund(refund, signed)
    const { tx_hash } = await call('GET', path)
    await call('POST', `${path}/authorize`, { body: signed })
    await confirmRefund(refund, 3)
    await call('GET', path)
    await confirmRefund(refund, 1)
    await call('GET', path)
    await call('POST', `${path}/cancel`, { body: {} })
    await call('GET', `/v1/payment_intents/${intent.id}`)
    for (const query of [
      ...[`tx_hash=${tx_hash}`, `reference=${refund.refund_reference}`, 'status=succeeded'],
      ...[`payment_intent=${intent.id}`, 'transfer=tr_1', 'amount_units=20000000', 'status=x'],
      ...[`destination=${payer.address}`, `from=${shop.address}`],
      ...['created_after=2020-01-01T00:00:00Z', 'limit=0'],
      ...['created_before=2020-01-01T00:00:00Z', `starting_after=${refund.id}&limit=1`],
    ]) {
      await call('GET', `${refunds}?${query}`)
    }
  },

  async 'refunds refused'({ call, create, pay, transfer }) {
    const intent = await create()
    const id = intent.id
    const send = (body: unknown) => call('POST', refunds, { body })
    await send({ payment_intent: id })
    await pay(intent)
    for (const body of [
      ...[{}, { payment_intent: id, transfer: 'tr_1' }, { payment_intent: 'pi_unknown' }],
      ...[{ transfer: 'tr_unknown' }, { payment_intent: id, amount_units: 9_999 }],
      ...[
        { payment_intent: id, amount_units: 25_000_001 },
        { payment_intent: id, reason: 'x' },
      ],
      ...[
        { payment_intent: id, destination: '0x1' },
        { payment_intent: id, more: 1 },
      ],
      { payment_intent: id, destination: '0x0000000000000000000000000000000000000000' },
      { payment_intent: id, destination: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' },
      { payment_intent: id, destination: '0xA0Ee7A142d267C1f36714E4a8F75612F20a79720' },
      { payment_intent: id, destination: intent.expected_wallet },
      { payment_intent: id, destination: shop.address },
    ]) {
      await send(body)
    }
    const refund = await send({ payment_intent: id, destination: payer.address })
    await send({ payment_intent: id, amount_units: 10_000 })
    const path = `${refunds}/${refund.id}`
    const authorize = (body: unknown) => call('POST', `${path}/authorize`, { body })
    await authorize({})
    await authorize(await signedBy(refund, payer))
    await authorize(await signedBy(refund, shop, { to: other }))
    await authorize(await signedBy(refund, shop, { value: '1', validAfter: '1' }))
    await authorize({
      ...(await signedBy(refund)),
      signature: (await signedBy(refund, payer)).signature,
    })
    await call('POST', `${path}/attach`, { body: { tx_hash: '0x1' } })
    await call('POST', `${path}/attach`, { body: { tx_hash: `0x${'ab'.repeat(32)}` } })
    await call('PATCH', path, { body: {} })
    await call('PATCH', path, { body: { destination: shop.address } })
    for (const [method, verb] of [
      ['GET', ''],
      ['POST', '/cancel'],
      ['POST', '/attach'],
    ]) {
      const body = verb === '/attach' ? { tx_hash: `0x${'ab'.repeat(32)}` } : undefined
      await call(method as string, `${refunds}/re_unknown${verb}`, { body })
    }
    await transfer(123_456)
  },

  async 'a refund whose destination is named later, that is canceled'({ call, create, pay }) {
    const intent = await create()
    await pay(intent)
    const refund = await call('POST', refunds, { body: { payment_intent: intent.id } })
    const path = `${refunds}/${refund.id}`
    const tx_hash = `0x${'ab'.repeat(32)}`
    await call('POST', `${path}/attach`, { body: { tx_hash } })
    await call('PATCH', path, { body: { destination: payer.address } })
    await call('PATCH', path, { body: { destination: payer.address } })
    await call('PATCH', path, { body: { destination: other } })
    await call('POST', `${path}/cancel`)
    await call('POST', `${path}/cancel`)
    await call('PATCH', path, { body: { destination: payer.address } })
    await call('POST', refunds, { body: { payment_intent: intent.id, destination: alone } })
  },

  async 'a refund whose destination the payer names by its link'({ call, create, pay }) {
    const intent = await create()
    await pay(intent)
    const page = (path: string, body: object) =>
      call('POST', `${refunds}/${path}`, { body, headers: {} })
    const amount_units = 10_000
    const body = { payment_intent: intent.id, amount_units }
    const [first, second] = [
      await call('POST', refunds, { body }),
      await call('POST', refunds, { body }),
    ]
    const [proven, claimed] = [first, second].map(({ links }: Json) => links.page.split('#')[1])
    const destination = payer.address
    const resolved = await page('resolve', { token: proven, account: destination })
    const message = resolved.message_to_sign
    const signature = await privateKeyToAccount(payer.privateKey).signMessage({ message })
    const otherSignature = await privateKeyToAccount(shop.privateKey).signMessage({ message })
    await page('destination', { token: proven, destination, message, signature: otherSignature })
    await page('destination', { token: claimed, destination, message, signature })
    await page('destination', { token: proven, destination, message, signature })
    await page('destination', { token: proven, destination, message, signature })
    await page('destination', { token: proven, destination: other })
    await page('resolve', { token: proven })

    const path = `${refunds}/${second.id}`
    const confirm = (destination: string) =>
      call('POST', `${path}/confirm`, { body: { destination } })
    await confirm(other)
    await page('destination', { token: claimed, destination: shop.address })
    await page('destination', { token: claimed, destination })
    await page('destination', { token: claimed, destination: other })
    await call('GET', path)
    await call('GET', `${refunds}?status=requires_confirmation`)
    await confirm(destination)
    await confirm(other)
    await confirm(other)
    await page('resolve', { token: claimed })
    await page('resolve', { token: `${second.id}_link_${'a'.repeat(43)}` })
    await page('destination', { token: `${second.id}_link_${'a'.repeat(43)}`, destination })
    await page('resolve', {})
    await call('POST', `${refunds}/re_unknown/confirm`, { body: { destination } })
    await call('POST', `${path}/confirm`, { body: {} })
  },

  async 'a refund by a transfer made elsewhere, of which the chain takes back nothing'({
    call,
    create,
    pay,
    payOut,
    confirmRefund,
  }) {
    const intent = await create()
    await pay(intent)
    const body = { payment_intent: intent.id, amount_units: 10_000, destination: payer.address }
    const refund = await call('POST', refunds, { body })
    const second = await call('POST', refunds, { body })
    const attach = ({ id }: Json, tx_hash: string) =>
      call('POST', `${refunds}/${id}/attach`, { body: { tx_hash } })
    await attach(refund, await payOut(9_999, payer.address))
    const txHash = await payOut(10_000, payer.address)
    await attach(refund, txHash)
    await attach(refund, txHash)
    await attach(second, txHash)
    await confirmRefund(refund, 5)
    await call('GET', `${refunds}/${refund.id}`)
    await attach(refund, txHash)
  },

  async 'a refund of an unmatched transfer, which is not assigned then'({
    call,
    create,
    transfer,
  }) {
    const intent = await create()
    await transfer(777_777)
    await transfer(1_000)
    await transfer(1_000)
    await transfer(1_000)
    await transfer(1_000)
    const { data } = await call('GET', '/v1/transfers?amount_units=777777')
    const id = data[0].id
    const body = { transfer: id, destination: payer.address }
    const refund = await call('POST', refunds, { body })
    await call('GET', `${refunds}?transfer=${id}`)
    await call('POST', refunds, { body })
    await call('POST', `/v1/transfers/${id}/assign`, { body: { payment_intent: intent.id } })
    await call('POST', `${refunds}/${refund.id}/cancel`)
    await call('POST', `/v1/transfers/${id}/assign`, { body: { payment_intent: intent.id } })
    await call('POST', refunds, { body })
  },

  async 'one idempotency key, several refunds'({ call, create, pay, apiKey }) {
    const intent = await create()
    await pay(intent)
    const authorization = `Bearer ${apiKey}`
    const send = (body: object, key = 'refund 7') =>
      call('POST', refunds, { body, headers: { authorization, 'idempotency-key': key } })
    await send({ payment_intent: intent.id, amount_units: 1 })
    const refund = await send({ payment_intent: intent.id, amount_units: 20_000 })
    await send({ amount_units: 20_000, payment_intent: intent.id })
    await send({ payment_intent: intent.id, amount_units: 20_001 })
    await call('PATCH', `${refunds}/${refund.id}`, { body: { destination: payer.address } })
    await send({ payment_intent: intent.id, amount_units: 20_000 })
    await send({ payment_intent: intent.id, amount_units: 20_000 }, 'refund 8')
  },
}
