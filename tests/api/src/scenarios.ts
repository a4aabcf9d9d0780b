import type { Json } from '@payment-intents/server/test/support/server/testServer.ts'
import { alone, intents } from './accounts.ts'
import { attentionScenarios } from './attentionScenarios.ts'
import { authorizeIntent, authorizePath } from './authorizeIntent.ts'
import { exportScenarios } from './exportScenarios.ts'
import { linkScenarios } from './linkScenarios.ts'
import type { Observed } from './record.ts'
import { refundScenarios } from './refundScenarios.ts'
import { settingScenarios } from './settingScenarios.ts'
import { webhookScenarios } from './webhookScenarios.ts'
import { x402Scenarios } from './x402Scenarios.ts'

const most = Number.MAX_SAFE_INTEGER

const creationsRefused: unknown[] = [
  {},
  { amount_units: 0 },
  { amount_units: 1.5 },
  { amount_units: '1' },
  { amount_units: most + 1 },
  { amount_units: 1, chain: 'solana' },
  { amount_units: 1, mode: 'mainnet', extra: 1 },
  { amount_units: 1, token: 'USDT' },
  { amount_units: 1, lane: 'fax' },
  { amount_units: 1, expires_in_minutes: 5.5 },
  { amount_units: 1, metadata: [] },
  { amount_units: 1, metadata: { long: 'x'.repeat(16 * 1024) } },
  { amount_units: 1, metadata: { a: { a: { a: { a: { a: { a: { a: { a: {} } } } } } } } } },
  { amount_units: 1, wallet_address: '0x1' },
  { amount_units: 1, wallet_address: '0x0000000000000000000000000000000000000000' },
  { amount_units: 1, wallet_address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' },
  { amount_units: 1, wallet_address: '0xA0Ee7A142d267C1f36714E4a8F75612F20a79720' },
  { amount_units: 1, chain: 'polygon' },
  { amount_units: 'x'.repeat(64 * 1024) },
  'no JSON',
  '[]',
  'null',
]

/** Run on the server and on the test kit, which respond alike. */
export const scenarios: Record<string, (service: Observed) => Promise<void>> = {
  async 'creation with everything, and with nothing but an amount'({ call, create, look }) {
    await look(await create())
    await create({ expires_in_minutes: 0, lane: 'manual' })
    await create({ expires_in_minutes: 1e9, token: 'USDC', metadata: {} })
    const metadata = { order_id: '1042', nested: [{ ü: null }], __proto: 1, n: 1.5 }
    const wallet_address = '0xa0ee7a142d267c1f36714e4a8f75612f20a79720'
    const full = { chain: 'polygon', wallet_address, expires_in_minutes: 7, metadata }
    await look(await create({ ...full, lane: 'sdk' }))
    await call('GET', intents)
  },

  async 'creation refused'({ call, apiKey }) {
    const json = { 'content-type': 'application/json' }
    const authorization = `Bearer ${apiKey}`
    for (const body of creationsRefused) {
      await call('POST', intents, { body, headers: { ...json, authorization } })
    }
    await call('POST', intents)
    await call('POST', intents, { body: '{"amount_units":1}', headers: { authorization } })
    const body = { amount_units: 1 }
    await call('POST', intents, { body, headers: {} })
    await call('POST', intents, { body: {}, headers: { authorization: 'Basic x' } })
    await call('POST', intents, { body, headers: { authorization: 'Bearer sk_test_1' } })
    const encoded = { authorization, 'content-encoding': 'gzip' }
    await call('POST', intents, { body, headers: encoded })
    await call('POST', `${intents}/resolve`, { body, headers: encoded })
    const keys = ['', 'x'.repeat(256), 'schlüssel']
    for (const key of keys) {
      await call('POST', intents, { body, headers: { authorization, 'idempotency-key': key } })
    }
  },

  async 'handed to another browser, and not once it has ended'({ call, create }) {
    const { id, client_secret } = await create()
    const handOff = (body: unknown, headers: Record<string, string> = {}) =>
      call('POST', `${intents}/handoff`, { body, headers })
    await handOff({ client_secret })
    await handOff(JSON.stringify({ client_secret }), { 'content-type': 'text/plain' })
    await handOff({ client_secret: `${client_secret}x` })
    await handOff({ client_secret, return_url: 'https://shop.example/thanks' })
    await handOff({ client_secret, more: 1 })
    await handOff({ client_secret, return_url: 'x'.repeat(4_096) })
    await call('OPTIONS', `${intents}/handoff`, { headers: {} })
    await call('POST', `${intents}/${id}/cancel`)
    await handOff({ client_secret })
  },

  async 'one idempotency key, several requests'({ call, apiKey }) {
    const authorization = `Bearer ${apiKey}`
    const send = (body: object, key = 'order 1042') =>
      call('POST', intents, { body, headers: { authorization, 'idempotency-key': key } })
    await send({ amount_units: 0 })
    await send({ amount_units: 5, lane: 'sdk' })
    await send({ lane: 'sdk', amount_units: 5 })
    await send({ amount_units: 6, wallet_address: '0x0000000000000000000000000000000000000000' })
    await send({ amount_units: 6, lane: 'sdk' })
    await send({ amount_units: 5 })
    await send({ amount_units: 5, lane: 'sdk', metadata: {} })
    const next = await send({ amount_units: 5, lane: 'sdk' }, 'order 1043')
    await call('POST', `${intents}/${next.id}/cancel`)
    await send({ amount_units: 5, lane: 'sdk' }, 'order 1043')
  },

  async 'amounts that identify their payment'({ call, create, look }) {
    await create()
    await create()
    await create({ amount_units: 25_000_100 })
    await create()
    await create({ wallet_address: alone })
    await create({ amount_units: most })
    const unnamed = await create({ amount_units: most })
    await look(unnamed)
    await call('POST', intents, { body: { amount_units: most, lane: 'manual' } })
    const { client_secret } = unnamed
    const body = { client_secret, payer: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }
    await call('POST', `${intents}/resolve`, { body, headers: {} })
  },

  async 'a payment by reference, block by block'({ create, pay, confirm, look, call }) {
    const intent = await create({ metadata: { order_id: '1042' } })
    await pay(intent, { confirmations: 1 })
    await look(intent)
    await call('POST', `${intents}/${intent.id}/cancel`)
    await call('POST', `${intents}/${intent.id}/accept`)
    await confirm(intent, 1)
    await look(intent)
    await confirm(intent, 2)
    await look(intent)
    await confirm(intent, 1)
    await look(intent)
    await confirm(intent, 3)
    await look(intent)
    await call('POST', `${intents}/${intent.id}/cancel`, { body: {} })
    await call('POST', `${intents}/${intent.id}/accept`, { body: {} })
  },

  async 'a payment by hand, of the intent among several that has this amount'({
    create,
    pay,
    look,
  }) {
    const first = await create()
    const second = await create()
    await pay(second, { rail: 'manual' })
    await look(first)
    await look(second)
  },

  async 'too little, then the rest; too much; and again'({ create, pay, underpay, look }) {
    const [parts, more, twice] = [await create(), await create(), await create()]
    await underpay(parts)
    await look(parts)
    await pay(parts)
    await look(parts)
    await pay(more, { amount_units: 26_000_000 })
    await look(more)
    await pay(twice, { confirmations: 2 })
    await pay(twice, { confirmations: 1 })
    await look(twice)
    await pay(twice, { amount_units: 1 })
    await look(twice)
  },

  async 'cancelled and accepted'({ call, create, pay, underpay, confirm, look }) {
    const [canceled, short, tagged] = [await create(), await create(), await create()]
    const postAction = (name: string, { id } = canceled) => call('POST', `${intents}/${id}/${name}`)
    await postAction('accept')
    await postAction('cancel')
    await postAction('cancel')
    await pay(canceled, { confirmations: 1 })
    await look(canceled)
    await postAction('accept')
    await look(canceled)
    await confirm(canceled, 4)
    await look(canceled)

    await underpay(short, 1)
    await postAction('cancel', short)
    await confirm(short, 6)
    await postAction('accept', short)
    await postAction('accept', short)
    await look(short)

    await pay(tagged, { amount_units: tagged.amount_units })
    await look(tagged)
    await call('POST', `${intents}/${tagged.id}/cancel`, { body: { reason: 'none' } })
    await call('POST', `${intents}/${tagged.id}/cancel`, { body: 'no JSON' })
  },

  async 'deadlines by the clock of the chain'({ call, advance, create, pay, underpay, look }) {
    const [waiting, short, paid] = [
      await create({ expires_in_minutes: 10 }),
      await create({ expires_in_minutes: 10 }),
      await create({ expires_in_minutes: 10 }),
    ]
    await advance(4)
    await underpay(short)
    await pay(paid, { confirmations: 2 })
    await advance(7)
    for (const intent of [waiting, short, paid]) await look(intent)
    await call('POST', `${intents}/${waiting.id}/cancel`)
    await call('POST', `${intents}/${short.id}/accept`)
    await look(short)
  },

  async 'paid late, and accepted'({ call, create, payLate, pay, look, confirm }) {
    const intent = await create({ expires_in_minutes: 5 })
    await payLate(intent)
    await look(intent)
    await pay(intent, { amount_units: 1_000_000, confirmations: 1 })
    await look(intent)
    await call('POST', `${intents}/${intent.id}/accept`)
    await look(intent)
    await confirm(intent, 5)
    await look(intent)
  },

  async 'taken back by a reorg before it is confirmed'({ create, pay, reorg, confirm, look }) {
    const intent = await create()
    await pay(intent, { confirmations: 3 })
    await reorg(intent)
    await look(intent)
    await pay(intent, { confirmations: 1 })
    await look(intent)
    await confirm(intent, 4)
    await look(intent)
  },

  async 'taken back by a reorg in part'({ create, pay, underpay, reorg, look }) {
    const [short, more] = [await create(), await create()]
    await underpay(short)
    await underpay(short, 24_000_000)
    await reorg(short)
    await look(short)
    await pay(more, { confirmations: 2 })
    await pay(more, { confirmations: 1 })
    await reorg(more)
    await look(more)
  },

  async 'reversed after it had succeeded, and restored'({ create, pay, reorg, look, confirm }) {
    const intent = await create()
    await pay(intent)
    await pay(intent, { amount_units: 1_000_000, confirmations: 1 })
    await look(intent)
    await reorg(intent)
    await look(intent)
    await reorg(intent)
    await look(intent)
    await pay(intent, { amount_units: 1_000_000, confirmations: 1 })
    await look(intent)
    await pay(intent, { confirmations: 2 })
    await look(intent)
    await confirm(intent, 4)
    await look(intent)
  },

  async 'reversed, and paid again too late'({ create, pay, payLate, reorg, look }) {
    const intent = await create({ expires_in_minutes: 5 })
    await pay(intent)
    await reorg(intent)
    await payLate(intent)
    await look(intent)
  },

  async 'reorganised after the deadline'({ advance, create, pay, reorg, look }) {
    const intent = await create({ expires_in_minutes: 5 })
    await pay(intent, { confirmations: 1 })
    await advance(6)
    await look(intent)
    await reorg(intent)
    // The blocks that replace others have the time of the fork.
    await advance(6)
    await look(intent)
  },

  ...attentionScenarios,

  async 'unmatched transfers, and assigning them'(service) {
    const { call, create, transfer, confirm, look } = service
    const intent = await create()
    await transfer(11_000_000)
    const { id: other } = await create()
    await create({ amount_units: 7_000_000, chain: 'polygon', wallet_address: alone })
    await transfer(12_000_000)
    await transfer(7_000_000, alone)
    await transfer(25_000_000 + 1)
    const list = await call('GET', '/v1/transfers?matched=false')
    const [enough, elsewhere, short] = list.data.map(({ id }: { id: string }) => id)
    const assign = (id: string, body: unknown) =>
      call('POST', `/v1/transfers/${id}/assign`, { body })
    await assign(short, {})
    await assign(short, { payment_intent: 'pi_unknown' })
    await assign('tr_unknown', { payment_intent: intent.id })
    await assign(short, { payment_intent: intent.id })
    await assign(short, { payment_intent: intent.id })
    await assign(short, { payment_intent: other })
    await look(intent)
    await assign(enough, { payment_intent: intent.id })
    await confirm(intent, 2)
    await look(intent)
    await assign(elsewhere, { payment_intent: intent.id })
    await call('GET', `/v1/transfers?payment_intent=${intent.id}&limit=1`)
    await call('GET', '/v1/transfers?matched=true&chain=base')
    await call('GET', '/v1/transfers?chain=polygon')
  },

  async 'the price by hand: of one intent, then of two'({ create, transfer, look, call }) {
    const first = await create()
    await transfer(25_000_000)
    await look(first)
    const second = await create()
    await transfer(25_000_000)
    await transfer(24_999_000)
    for (const intent of [first, second]) await look(intent)
    await call('GET', '/v1/transfers?matched=false')
  },

  async 'a transfer that no state rests on moves to another intent'(service) {
    const { call, create, pay, underpay, look } = service
    const [twice, other, elsewhere] = [
      await create(),
      await create(),
      await create({ wallet_address: alone }),
    ]
    await pay(twice)
    await pay(twice, { confirmations: 2 })
    await underpay(other)
    const { data } = await call('GET', `/v1/transfers?payment_intent=${twice.id}`)
    const [second, first] = data.map(({ id }: { id: string }) => id)
    const move = (id: string, { id: payment_intent } = other) =>
      call('POST', `/v1/transfers/${id}/assign`, { body: { payment_intent } })
    await move(first)
    await move(second, elsewhere)
    await move(second)
    await move(second)
    for (const intent of [twice, other, elsewhere]) await look(intent)
  },

  async 'dust with a reference'({ call, create, pay, look }) {
    const intent = await create()
    await pay(intent, { amount_units: 249_999, confirmations: 1 })
    await look(intent)
    await call('POST', `${intents}/${intent.id}/accept`)
    await call('POST', `${intents}/${intent.id}/cancel`)
    await look(intent)
  },

  async 'a wallet that is one intent’s alone, and then two’s'({ create, transfer, look }) {
    const intent = await create({ wallet_address: alone })
    await transfer(3, alone)
    await look(intent)
    const second = await create({ wallet_address: alone, amount_units: 9 })
    await transfer(8, alone)
    await transfer(9, alone)
    await look(second)
  },

  async lists({ call, create, pay }) {
    const made = [
      await create({ metadata: { order_id: '1', paid: true, n: 7, nested: { a: 1 } } }),
      await create({ metadata: { order_id: '2', n: 7 } }),
      await create({ metadata: { order_id: '2', 'a]b': 'ü &' }, wallet_address: alone }),
    ]
    const [first, second, third] = made
    if (!first || !second || !third) return
    await pay(second)
    const queries = [
      'limit=2',
      'limit=3',
      `limit=1&starting_after=${third.id}`,
      `starting_after=${first.id}`,
      'status=succeeded',
      'status=expired',
      'chain=base&status=requires_payment',
      'chain=polygon',
      'metadata[order_id]=2',
      'metadata[order_id]=2&metadata[n]=7',
      'metadata[paid]=true',
      'metadata[nested]=1',
      'metadata[a]b]=%C3%BC+%26',
      'limit=0',
      'limit=101',
      'limit=x',
      'limit=1&limit=2',
      'order=asc',
      'status=paid',
      'starting_after=evt_1',
      Array.from({ length: 11 }, (_, index) => `metadata[k${index}]=1`).join('&'),
    ]
    for (const query of queries) await call('GET', `${intents}?${query}`)
    const { data: transfers } = await call('GET', '/v1/transfers?limit=1')
    await call('GET', `/v1/transfers?starting_after=${transfers[0].id}`)

    const { data } = await call('GET', '/v1/events?limit=2')
    const ofEvents = [
      `starting_after=${data[1].id}`,
      `starting_after=${data[0].id.replace(/.$/, (last: string) => (last === '0' ? '1' : '0'))}`,
      'type=payment_intent.succeeded',
      'type=unheard.of',
      `payment_intent=${second.id}&limit=2`,
      'payment_intent=!',
    ]
    for (const query of ofEvents) await call('GET', `/v1/events?${query}`)
    await call('GET', `/v1/events/${data[0].id}`)
    const newest = (await call('GET', '/v1/events?limit=100')).data.at(-1).id
    const latest = await call('GET', '/v1/events?order=desc&limit=2')
    await call('GET', `/v1/events?order=desc&limit=2&starting_after=${latest.data[1].id}`)
    await call('GET', '/v1/events?order=desc&wait=1')
    const next = call('GET', `/v1/events?starting_after=${newest}&wait=25`)
    const open = await create()
    await next
    await call('GET', `/v1/events?starting_after=${newest}&wait=25&payment_intent=${open.id}`)
    await call('GET', `/v1/events?type=payment_intent.reorged&wait=1`)
    await call('GET', '/v1/events?wait=26')
    await call('GET', '/v1/transfers?matched=perhaps')
  },

  async 'lists that are searched'(service) {
    const { advance, call, create, pay, transfer, reorg, underpay } = service
    const first = await create({ metadata: { order_id: '1' } })
    await advance(1)
    const second = await create({ amount_units: 9_000_000, wallet_address: alone })
    await advance(1)
    const third = await create({ amount_units: 9_000_000 })
    await advance(1)
    await pay(first)
    await pay(second, { rail: 'manual' })
    await underpay(third)
    await reorg(third)
    await transfer(11_000_000)
    const { data } = await call('GET', '/v1/transfers')
    const queries = [
      ...data.flatMap((transfer: Json) => [
        `tx_hash=${transfer.tx_hash}`,
        `tx_hash=${transfer.tx_hash}&chain=base`,
        `amount_units=${transfer.amount_units}`,
      ]),
      `tx_hash=${first.payment_reference}`,
      ...[first, second, third].flatMap((intent) => [
        `reference=${intent.payment_reference}`,
        `amount_units=${intent.payable_amount_units}`,
        `wallet=${intent.expected_wallet}&amount_units=${intent.amount_units}`,
        `created_after=${intent.created_at}`,
        `created_before=${intent.created_at}`,
        `created_after=${intent.created_at}&created_before=${third.created_at}&limit=1`,
      ]),
      `wallet=${alone}`,
      `created_after=${encodeURIComponent('2020-01-01T00:00:00+02:00')}&chain=base`,
      'created_after=2030-01-01T00:00:00Z',
      ...['tx_hash=0x1', 'payer=me', 'wallet=0x', 'reference=pi_1', 'amount_units=1.5'],
      ...['amount_units=0', `amount_units=${most}`, `amount_units=${most}0`, 'amount_units=-1'],
      ...['created_after=2026-01-01', 'created_before=1767225600', 'created_after=yesterday'],
      'created_before=2026-02-30T00:00:00Z',
    ]
    for (const query of queries) {
      await call('GET', `${intents}?${query}`)
      await call('GET', `/v1/transfers?${query}`)
    }
    for (const { from } of data) {
      await call('GET', `${intents}?payer=${from}`)
      await call('GET', `/v1/transfers?payer=${from.toLowerCase()}&matched=false`)
      await call('GET', `${intents}?payer=${from}&status=succeeded&limit=1`)
    }
  },

  async 'what is not there'({ call, create }) {
    const { id } = await create()
    const paths = ['/v1/nothing', '/', `${intents}/pi_unknown`, `${intents}/a-b`]
    const more = [`${intents}/${'x'.repeat(300)}`, '/v1/events/evt_unknown', `${intents}/${id}/pay`]
    const slashed = [
      `${intents}/`,
      `${intents}/${id}/`,
      `${intents}/resolve/`,
      '/v1/events/',
      '/v1/',
    ]
    for (const path of [...paths, ...more, ...slashed]) await call('GET', path)
    await call('GET', `${intents}/pi_unknown`, { headers: {} })
    await call('POST', `${intents}/pi_unknown/cancel`)
    await call('POST', `${intents}/pi_unknown/accept`, { headers: {} })
    await call('DELETE', intents)
    await call('PUT', `${intents}/resolve`)
    await call('POST', '/v1/events')
    await call('GET', `${intents}/${id}/cancel`)
    await call('HEAD', `${intents}/${id}`)
    const headers = { 'x-request-id': 'my-own.id' }
    await call('GET', intents, { headers })
    await call('GET', intents, { headers: { 'x-request-id': 'not sane' } })
  },

  async 'authorized without gas, taken back, and paid twice'(service) {
    const { call, create, pay, confirm, reorg, submit, look } = service
    const [intent, other] = [await create(), await create({ amount_units: 30_000_000 })]
    const signed = await authorizeIntent(service, intent)
    await look(intent)
    await call('POST', `${intents}/${intent.id}/cancel`)
    await submit(intent, signed)
    await look(intent)
    await reorg(intent)
    await look(intent)
    await submit(intent, signed)
    await confirm(intent, 4)
    await look(intent)
    await call('POST', authorizePath, { body: { ...signed, client_secret: intent.client_secret } })
    await authorizeIntent(service, other)
    await pay(other, { confirmations: 1 })
    await look(other)
  },

  async 'an authorization refused, or over'(service) {
    const { call, create, advance, look } = service
    const intent = await create({ expires_in_minutes: 10 })
    await authorizeIntent(service, intent, { value: '1', nonce: `0x${'ab'.repeat(32)}` })
    const signed = await authorizeIntent(service, intent)
    const { client_secret } = intent
    const hand = (body: object) =>
      call('POST', authorizePath, { body: { ...signed, client_secret, ...body }, headers: {} })
    for (const signature of ['0x', `0x${'12'.repeat(65)}`, `0x${'6492'.repeat(40)}`]) {
      await hand({ signature })
    }
    await hand({ extra: 1 })
    await hand({ client_secret: `${client_secret}x` })
    await call('OPTIONS', authorizePath, { headers: {} })
    await call('GET', authorizePath, { headers: {} })
    await advance(11)
    await look(intent)
    const canceled = await create()
    await call('POST', `${intents}/${canceled.id}/cancel`)
    await look(canceled)
  },

  async 'what happened to a payment, told in order'({ call, create }) {
    const { id } = await create()
    await call('GET', `${intents}/${id}/timeline`)
    await call('POST', `${intents}/${id}/cancel`)
    await call('GET', `${intents}/${id}/timeline`)
    await call('GET', `${intents}/pi_unknown/timeline`)
  },

  async 'what was received and refunded in a period'({
    call,
    create,
    pay,
    underpay,
    confirm,
    reorg,
  }) {
    const summary = async (query: string) => call('GET', `/v1/summary${query}`)
    const [quarter, hour] = [900_000, 3_600_000]
    const iso = (hours: number, from = begin) => new Date(from + hours * hour).toISOString()
    // The middle of its first hour is now, so that whatever happens does in that hour.
    const begin = Math.round((Date.now() - hour / 2) / quarter) * quarter
    const midnight = Math.floor(begin / (24 * hour)) * 24 * hour
    const period = `?from=${iso(0)}&to=${iso(3)}`
    await summary(period)
    const paid = await create()
    await pay(paid)
    const byHand = await create({ amount_units: 7_000_000 })
    await pay(byHand, { rail: 'manual' })
    await pay(await create(), { confirmations: 1 })
    const part = await create({ amount_units: 9_000_000 })
    await underpay(part, 1_000_000)
    await summary(period)
    await call('POST', `${intents}/${part.id}/accept`)
    await confirm(part, 20)
    await summary(`${period}&interval=hour`)
    await reorg(byHand)
    await summary(period)
    const before = `?from=${iso(-48, midnight)}&to=${iso(0, midnight)}`
    await summary(`${before}&interval=day&time_zone=UTC`)
    for (const query of [
      ...['', `?from=${iso(0)}`, '?from=2026-01-31&to=2026-02-01', `${period}&interval=week`],
      ...[`${period}&interval=hour&time_zone=UTC`, `?from=${iso(0)}&to=${iso(-1)}`],
      ...[`?from=${iso(-9_000)}&to=${iso(0)}`, `${period}&interval=day&time_zone=Mars`],
      ...[`?from=${iso(-900)}&to=${iso(0)}&interval=hour`, `?from=${iso(0.01)}&to=${iso(1)}`],
      `${before}&interval=day&time_zone=Asia/Kolkata`,
    ]) {
      await summary(query)
    }
    await call('GET', `/v1/summary${period}`, { headers: {} })
    await call('POST', `/v1/summary${period}`)
  },

  async 'a receipt, once it is paid'({ call, create, pay }) {
    const intent = await create({ metadata: { order_id: '1042' } })
    const path = `${intents}/${intent.id}/receipt`
    await call('GET', path)
    await pay(intent, { confirmations: 1 })
    await call('GET', path)
    await pay(intent)
    const { payment_intent, salt } = await call('GET', path)
    await call('GET', `${intents}/pi_unknown/receipt`)
    const confirm = (body: object) => call('POST', '/receipt', { body, headers: {} })
    await confirm({ payment_intent, salt })
    await confirm({ payment_intent, salt: `0x${'ab'.repeat(32)}` })
    await confirm({ payment_intent: 'pi_unknown', salt })
    await confirm({ payment_intent })
    await call('OPTIONS', '/receipt', { headers: {} })
  },

  ...x402Scenarios,
  ...refundScenarios,
  ...linkScenarios,
  ...exportScenarios,
  ...settingScenarios,
  ...webhookScenarios,

  async resolving({ call, create, pay, look }) {
    const intent = await create()
    const { client_secret } = intent
    const resolve = (body: unknown) => call('POST', `${intents}/resolve`, { body, headers: {} })
    await call('OPTIONS', `${intents}/resolve`, { headers: {} })
    const otherSecret = client_secret.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
    const refused = [{}, { client_secret: '' }, { client_secret, wait_seconds: 26 }, 'no JSON']
    const more = [
      { client_secret, payer: '0x1' },
      { client_secret, extra: 1 },
    ]
    for (const body of [...refused, ...more, { client_secret: otherSecret }]) await resolve(body)
    await resolve({ client_secret, after_version: 0, wait_seconds: 20 })
    await resolve({ client_secret, after_version: 1, wait_seconds: 1 })
    const held = resolve({ client_secret, after_version: 1, wait_seconds: 25 })
    await look(intent)
    await pay(intent, { confirmations: 1 })
    await held
    await look(intent)
  },
}
