import { describe, expect, test } from 'vitest'
import { openShop } from '../support/server/merchantApi.ts'
import { refundingOfTest } from '../support/server/refunding.ts'
import { randomWallet } from '../support/server/testServer.ts'

const refunding = refundingOfTest()
const { reader, chain, paid, refund, read, signedBy, authorize, submit, eventsOfRefund, send } =
  refunding

const exceeds = { error: 'conflict', reason: 'amount_exceeds_refundable' }

describe('the refundable amount', () => {
  test('is the received amount, which parts never exceed', async () => {
    const intent = await paid({ amount_units: 30_000 })
    const parts = [
      await refund(intent, { amount_units: 10_000 }),
      await refund(intent, { amount_units: 10_000 }),
    ]
    expect(await refund(intent, { amount_units: 10_001 }, 409)).toMatchObject(exceeds)
    parts.push(await refund(intent))
    expect(parts.map(({ amount_units }) => amount_units)).toEqual([10_000, 10_000, 10_000])
    expect(await refund(intent, {}, 409)).toMatchObject(exceeds)
    for (const part of parts) {
      const signed = await signedBy(part)
      await authorize(part, signed)
      await submit(signed)
    }
    await reader.settle()
    for (const part of parts) expect(await read(part)).toMatchObject({ status: 'succeeded' })
    expect(await refunding.api.read(`/v1/payment_intents/${intent.id}`)).toMatchObject({
      ...{ amount_refunded_units: 30_000, amount_refunding_units: 0, status: 'succeeded' },
    })
    expect(await refund(intent, {}, 409)).toMatchObject(exceeds)
  })

  test('goes to one of many concurrent requests', async () => {
    const intent = await paid()
    const destination = refunding.payer.address
    const responses = await Promise.all(
      Array.from({ length: 30 }, () =>
        refunding.api.post('/v1/refunds', { payment_intent: intent.id, destination }),
      ),
    )
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(29)
  })

  test('is refunded once by requests with the same idempotency key', async () => {
    const intent = await paid()
    const body = { payment_intent: intent.id, amount_units: 20_000 }
    const headers = { 'idempotency-key': 'refund of order 7' }
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => refunding.api.post('/v1/refunds', body, headers)),
    )
    const bodies = await Promise.all(responses.map((response) => response.json()))
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
    expect(new Set(bodies.map(({ id }) => id)).size).toBe(1)
    const otherResponse = await refunding.api.post(
      '/v1/refunds',
      { ...body, amount_units: 20_001 },
      headers,
    )
    expect(await otherResponse.json()).toMatchObject({ reason: 'idempotency_key_reused' })
    // The creation of a payment intent may use the same key.
    const created = await refunding.api.post('/v1/payment_intents', { amount_units: 5 }, headers)
    expect(created.status).toBe(200)
  })

  test('is 0 before the payment is deep', async () => {
    const intent = await reader.create({ wallet_address: refunding.shop.address })
    expect(await refund(intent, {}, 409)).toMatchObject(exceeds)
    await reader.pay(intent, 'reference')
    await reader.read()
    expect(await refund(intent, {}, 409)).toMatchObject(exceeds)
    await chain.mine(5)
    await reader.read()
    expect(await refund(intent)).toMatchObject({ status: 'requires_signature' })
  })

  test('includes an overpayment, and late payments', async () => {
    const intent = await paid()
    await reader.pay(intent, 'reference', 1_000_000)
    await reader.settle()
    const all = intent.amount_units + 1_000_000
    expect(await refund(intent, { reason: 'overpaid' })).toMatchObject({ amount_units: all })
  })

  test('is an unmatched transfer, which then cannot be assigned', async () => {
    const intent = await reader.create({ wallet_address: refunding.shop.address })
    await chain.pay({
      ...{ from: refunding.payer.address, to: refunding.shop.address, amount: 777_777n },
    })
    await reader.settle()
    const { data } = await refunding.api.read('/v1/transfers', { amount_units: '777777' })
    const [{ id: transfer }] = data
    const body = { transfer, destination: refunding.payer.address }
    const created = await send('/v1/refunds', body)
    expect(created).toMatchObject({ payment_intent: null, transfer, amount_units: 777_777 })
    expect(await send('/v1/refunds', body, 409)).toMatchObject(exceeds)
    const assigned = await refunding.api.post(`/v1/transfers/${transfer}/assign`, {
      payment_intent: intent.id,
    })
    expect(assigned.status).toBe(409)
    const signed = await signedBy(created)
    await authorize(created, signed)
    await submit(signed)
    await reader.settle()
    expect(await read(created)).toMatchObject({ status: 'succeeded' })
  })

  test('is an unmatched transfer that is either refunded or assigned by concurrent requests', async () => {
    const intent = await reader.create({ wallet_address: refunding.shop.address })
    const { payer, shop, api } = refunding
    for (let amount = 777_001; amount <= 777_005; amount += 1) {
      await chain.pay({ from: payer.address, to: shop.address, amount: BigInt(amount) })
    }
    await reader.settle()
    for (let amount = 777_001; amount <= 777_005; amount += 1) {
      const { data } = await api.read('/v1/transfers', { amount_units: String(amount) })
      const [{ id: transfer }] = data
      const responses = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          index % 2 === 0
            ? api.post('/v1/refunds', { transfer, destination: payer.address })
            : api.post(`/v1/transfers/${transfer}/assign`, { payment_intent: intent.id }),
        ),
      )
      const statuses = responses.map(({ status }) => status)
      const isRefunded = statuses.some((status, index) => status === 200 && index % 2 === 0)
      // Repeated assignments succeed, and change nothing.
      const expected = isRefunded ? [1, 0] : [0, 4]
      const succeeded = [0, 1].map(
        (kind) => statuses.filter((status, index) => status === 200 && index % 2 === kind).length,
      )
      expect(succeeded).toEqual(expected)
    }
  })

  test('is not a transfer of another token', async () => {
    const lookalike = randomWallet()
    await reader.create({ wallet_address: refunding.shop.address })
    await chain.pay({
      ...{ from: refunding.payer.address, to: refunding.shop.address, amount: 777_778n },
    })
    await reader.settle()
    const { data } = await refunding.api.read('/v1/transfers', { amount_units: '777778' })
    const [{ id: transfer }] = data
    // The follower would record it like this.
    await reader.server.db.pool.query(
      `update transfers set token_address = $2, reason = 'wrong_token' where id = $1`,
      [transfer, lookalike],
    )
    const body = { transfer, destination: refunding.payer.address }
    expect(await send('/v1/refunds', body, 409)).toMatchObject({
      ...{ reason: 'illegal_state', message: expect.stringContaining('another token than USDC') },
    })
  })

  test('does not include a credited transfer, which its intent refunds', async () => {
    const intent = await paid()
    const { data } = await refunding.api.read('/v1/transfers', { payment_intent: intent.id })
    const body = { transfer: data[0].id, destination: refunding.payer.address }
    expect(await send('/v1/refunds', body, 409)).toMatchObject({ reason: 'illegal_state' })
  })

  test('is not moved to another payment intent', async () => {
    const intent = await paid()
    await reader.pay(intent, 'reference', 30_000)
    await reader.settle()
    await refund(intent)
    const { data } = await refunding.api.read('/v1/transfers', { amount_units: '30000' })
    const otherIntent = await reader.create({ wallet_address: refunding.shop.address })
    const path = `/v1/transfers/${data[0].id}/assign`
    expect((await refunding.api.post(path, { payment_intent: otherIntent.id })).status).toBe(409)
  })

  test('is either refunded or moved to another payment intent by concurrent requests', async () => {
    const { api } = refunding
    const otherIntent = await reader.create({ wallet_address: refunding.shop.address })
    for (let amount = 30_001; amount <= 30_004; amount += 1) {
      const intent = await paid()
      await reader.pay(intent, 'reference', amount)
      await reader.settle()
      const { data } = await api.read('/v1/transfers', { amount_units: String(amount) })
      const responses = await Promise.all([
        // Refund everything, including the transfer.
        api.post('/v1/refunds', {
          ...{ payment_intent: intent.id, amount_units: intent.amount_units + amount },
        }),
        api.post(`/v1/transfers/${data[0].id}/assign`, { payment_intent: otherIntent.id }),
      ])
      expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409])
    }
  })

  test('has at most ten refunds that are not canceled', async () => {
    const intent = await paid()
    const refunds = []
    for (let made = 0; made < 10; made += 1) {
      refunds.push(await refund(intent, { amount_units: 10_000 }))
    }
    expect(await refund(intent, { amount_units: 10_000 }, 409)).toMatchObject(exceeds)
    await send(`/v1/refunds/${refunds[0].id}/cancel`, {})
    await refund(intent, { amount_units: 10_000 })
  })
})

describe('a refund’s destination', () => {
  test('is named later, or again', async () => {
    const intent = await paid()
    const created = await send('/v1/refunds', { payment_intent: intent.id })
    expect(created).toMatchObject({
      ...{ status: 'requires_destination', destination: null, destination_proof: null },
      typed_data: null,
    })
    const path = `/v1/refunds/${created.id}`
    for (const destination of [refunding.payer.address, refunding.other.address]) {
      const named = await refunding.api.send('PATCH', path, { destination })
      expect(await named.json()).toMatchObject({
        ...{ status: 'requires_signature', destination, destination_proof: 'merchant' },
        typed_data: { message: { to: destination, nonce: created.refund_reference } },
      })
    }
    expect(await eventsOfRefund(created)).toEqual(['created', 'updated', 'updated'])
  })

  test.each([
    ['the zero address', () => `0x${'0'.repeat(40)}`],
    ['the token', () => chain.token],
    ['a wallet of the merchant', () => refunding.shop.address],
    ['a wrong checksum', () => '0xA0Ee7A142d267C1f36714E4a8F75612F20a79720'],
  ])('is not %s', async (_what, address) => {
    const intent = await paid()
    const destination = address()
    expect(await refund(intent, { destination }, 400)).toMatchObject({ error: 'wallet_invalid' })
    const created = await refund(intent)
    const path = `/v1/refunds/${created.id}`
    const named = await refunding.api.send('PATCH', path, { destination })
    expect(await named.json()).toMatchObject({ error: 'wallet_invalid' })
  })
})

test('another merchant’s and another mode’s refunds are not found', async () => {
  const created = await refund(await paid())
  const stranger = await openShop(reader.server)
  const path = `/v1/refunds/${created.id}`
  const requests = [
    ['GET', path],
    ['PATCH', path, { destination: refunding.other.address }],
    ['POST', `${path}/cancel`, {}],
    ['POST', `${path}/authorize`, await signedBy(created)],
    ['POST', `${path}/attach`, { tx_hash: `0x${'11'.repeat(32)}` }],
    ['POST', '/v1/refunds', { payment_intent: created.payment_intent }],
  ] as const
  for (const [method, url, body] of requests) {
    for (const api of [stranger.api, stranger.live]) {
      const response = await api.send(method, url, body)
      expect([url, response.status]).toEqual([url, 404])
    }
  }
  expect((await stranger.api.read('/v1/refunds')).data).toEqual([])
})

test('a list of refunds is filtered by each of its properties', async () => {
  const intent = await paid()
  const signedRefund = await refund(intent, { amount_units: 20_000 })
  const openRefund = await send('/v1/refunds', { payment_intent: intent.id, amount_units: 30_000 })
  const signed = await signedBy(signedRefund)
  await authorize(signedRefund, signed)
  const txHash = await submit(signed)
  await reader.settle()
  const cases: [Record<string, string>, string[]][] = [
    [{}, [openRefund.id, signedRefund.id]],
    [{ payment_intent: intent.id }, [openRefund.id, signedRefund.id]],
    [{ status: 'succeeded' }, [signedRefund.id]],
    [{ status: 'requires_destination' }, [openRefund.id]],
    [{ destination: refunding.payer.address }, [signedRefund.id]],
    [{ reference: openRefund.refund_reference }, [openRefund.id]],
    [{ amount_units: '30000' }, [openRefund.id]],
    [{ tx_hash: txHash }, [signedRefund.id]],
    [{ transfer: 'tr_1' }, []],
    [{ limit: '1' }, [openRefund.id]],
    [{ starting_after: openRefund.id }, [signedRefund.id]],
    [{ created_before: '2020-01-01T00:00:00Z' }, []],
    [{ created_after: '2020-01-01T00:00:00Z', status: 'succeeded' }, [signedRefund.id]],
  ]
  for (const [query, ids] of cases) {
    const { data } = await refunding.api.read('/v1/refunds', query)
    expect([query, data.map(({ id }: { id: string }) => id)]).toEqual([query, ids])
  }
})

test('metrics count waiting refunds, and signed refunds of payments that the chain took back', async () => {
  const sample = async (name: string) => {
    const metrics = await (await reader.server.request('/metrics')).text()
    const line = metrics.split('\n').find((sample) => sample.startsWith(`payment_intents_${name}{`))
    return Number(line?.split(' ').at(-1))
  }
  const intent = await reader.create({ wallet_address: refunding.shop.address })
  const snapshot = await chain.rpc('evm_snapshot')
  await reader.pay(intent, 'reference', intent.amount_units)
  await reader.settle()
  const created = await refund(intent)
  await authorize(created, await signedBy(created))
  await reader.db.pool.query(`update refunds set created_at = created_at - interval '1 day'`)
  expect(await sample('refunds_open')).toBe(1)
  expect(await sample('refund_oldest_seconds')).toBeGreaterThanOrEqual(86_400)
  expect(await sample('refunds_uncovered')).toBe(0)
  await chain.rpc('evm_revert', [snapshot])
  await chain.mine(8)
  await reader.read()
  expect(await sample('refunds_uncovered')).toBe(1)
})
