import { concat, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import { connect } from '../../src/chain/rpc/rpcConnection.ts'
import { type MatchMethod, readerOfTest, wallClock } from '../support/chain/readerOfTest.ts'
import { assignTransfer } from '../support/server/directActions.ts'
import { createTestMerchant, randomWallet, resolveIntent } from '../support/server/testServer.ts'

const { reader, chain } = readerOfTest()

describe('two intents of the same amount to the same wallet', () => {
  const methods: MatchMethod[] = ['reference', 'manual']
  const cases = methods.flatMap((first) =>
    methods.flatMap((second) => [0, 1].map((order) => ({ first, second, order }))),
  )
  test.each(cases)(
    '$first and $second, paid in order $order, are each credited with their own payment',
    async ({ first: firstMethod, second: secondMethod, order }) => {
      const firstIntent = await reader.create()
      const secondIntent = await reader.create()
      const payments = [
        { intent: firstIntent, rail: firstMethod },
        { intent: secondIntent, rail: secondMethod },
      ]
      if (order === 1) payments.reverse()
      const hashes = new Map<string, string>()
      for (const { intent, rail: method } of payments)
        hashes.set(intent.id, await reader.pay(intent, method))
      await chain.mine(5)
      await reader.read()
      for (const intent of [firstIntent, secondIntent]) {
        expect(await reader.resolved(intent)).toMatchObject({
          status: 'succeeded',
          exceptions: [],
          amount_received_units: intent.payable_amount_units,
          tx_hash: hashes.get(intent.id),
        })
      }
    },
  )

  test('a reference takes precedence over the amount of another intent', async () => {
    const pricedIntent = await reader.create()
    const referencedIntent = await reader.paid('reference', pricedIntent.payable_amount_units)
    await reader.settle()
    expect(await reader.resolved(pricedIntent)).toMatchObject({ status: 'requires_payment' })
    expect(await reader.resolved(referencedIntent)).toMatchObject({ status: 'succeeded' })
  })
})

describe('a transfer that matches nothing', () => {
  async function unmatched() {
    const { rows } = await reader.db.pool.query(
      `select t.id, t.tx_hash, t.reason, t.merchant_id, e.object
       from transfers t left join events e on e.transfer_id = t.id and e.type = 'transfer.unmatched'
       where t.intent_id is null`,
    )
    return rows
  }

  test('is stored, unmatched, and reported to the merchant once', async () => {
    const intent = await reader.create()
    const tx_hash = await reader.pay(intent, 'manual', intent.payable_amount_units - 1)
    await reader.read()
    await reader.takeLease()
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({
      ...{ status: 'requires_payment', version: 2 },
      near_misses: [{ tx_hash, amount_units: intent.payable_amount_units - 1 }],
    })
    const [row, ...others] = await unmatched()
    expect(others).toEqual([])
    expect(row).toMatchObject({
      tx_hash,
      reason: 'amount_mismatch',
      merchant_id: reader.merchant.id,
    })
    expect(JSON.parse(row.object)).toMatchObject({
      id: row.id,
      chain: 'base',
      tx_hash,
      to: intent.expected_wallet,
      amount_units: intent.payable_amount_units - 1,
      payment_intent: null,
      reason: 'amount_mismatch',
      suggestions: [{ payment_intent: intent.id, match: 'amount' }],
    })
  })

  test('is credited when the merchant assigns it, even after a reorg moved it', async () => {
    const intent = await reader.paid('manual', 30_000_000)
    await reader.read()
    const [{ id }] = await unmatched()
    const actor = { merchantId: reader.merchant.id, mode: 'testnet' } as const
    const assign = () => assignTransfer(reader.db, actor, id, intent.id, wallClock)
    expect(await assign()).toMatchObject({
      type: 'done',
      intent: { status: 'pending_confirmations' },
    })
    expect(await assign()).toMatchObject({ type: 'done' })
    await reader.settle()
    expect(await reader.resolved(intent)).toMatchObject({
      status: 'succeeded',
      exceptions: ['overpaid'],
    })
    const otherIntent = await reader.create()
    expect(await assignTransfer(reader.db, actor, id, otherIntent.id, wallClock)).toMatchObject({
      type: 'refused',
    })
    for (const stranger of [
      { ...actor, merchantId: 'mer_x' },
      { ...actor, mode: 'mainnet' as const },
    ]) {
      expect(await assignTransfer(reader.db, stranger, id, otherIntent.id, wallClock)).toEqual({
        type: 'not_found',
      })
    }
  })

  test('in a token that is not USDC is reported as such, with or without a reference', async () => {
    const lookalike = randomWallet()
    const code = await chain.rpc('eth_getCode', [chain.token, 'latest'])
    await chain.rpc('anvil_setCode', [lookalike, code])
    const abi = parseAbi([
      'function initialize(address[] holders, uint256 amount)',
      'function transfer(address to, uint256 amount)',
    ])
    const send = (data: Hex) =>
      chain.rpc('eth_sendTransaction', [{ from: reader.payer, to: lookalike, data }])
    const functionName = 'initialize'
    await send(encodeFunctionData({ abi, functionName, args: [[reader.payer], 1_000_000_000n] }))
    reader.rpc = createRpc(connect(chain.url), [chain.token, lookalike])

    const intent = await reader.create()
    const args = [intent.expected_wallet, BigInt(intent.payable_amount_units)] as const
    const call = encodeFunctionData({ abi, functionName: 'transfer', args })
    await send(concat([call, intent.payment_reference as Hex]))
    await chain.mine()
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({ status: 'requires_payment' })
    expect(await unmatched()).toMatchObject([{ reason: 'wrong_token' }])
  })

  test('for an intent of the other chain is reported as such', async () => {
    await reader.create()
    const wallet_address = randomWallet()
    const elsewhere = await reader.create({ chain: 'polygon', wallet_address })
    await reader.pay(elsewhere, 'manual')
    await reader.read()
    expect(await unmatched()).toMatchObject([
      { reason: 'wrong_chain', merchant_id: reader.merchant.id },
    ])
  })
})

describe('a wallet that a single intent uses', () => {
  test('identifies its payment by any amount', async () => {
    const intent = await reader.create({ wallet_address: randomWallet() })
    await reader.pay(intent, 'manual', 26_123_456)
    await reader.settle()
    expect(await reader.resolved(intent)).toMatchObject({
      status: 'succeeded',
      exceptions: ['overpaid'],
    })
    const { rows } = await reader.db.pool.query('select bound_by from transfers')
    expect(rows).toEqual([{ bound_by: 'address' }])
  })

  test('no longer identifies it when a second intent uses the wallet, or a merchant lists it', async () => {
    const wallet_address = randomWallet()
    const sharedWalletIntent = await reader.create({ wallet_address })
    await reader.create({ wallet_address, amount_units: 1 })
    const stored = randomWallet()
    const storedWalletIntent = await reader.create({ wallet_address: stored })
    await createTestMerchant(reader.db, { wallet: stored })
    await reader.pay(sharedWalletIntent, 'manual', 26_123_456)
    await reader.pay(storedWalletIntent, 'manual', 26_123_456)
    await reader.read()
    const open = { status: 'requires_payment', amount_received_units: 0 }
    expect(await reader.resolved(sharedWalletIntent)).toMatchObject({
      ...{ ...open, version: 2, near_misses: [{ amount_units: 26_123_456 }] },
    })
    // The payment may be for the other merchant.
    expect(await reader.resolved(storedWalletIntent)).toMatchObject({
      ...open,
      version: 1,
      near_misses: [],
    })
  })
})

test('an account that a checkout names as its payer only causes a suggestion', async () => {
  const [named, otherIntent] = [
    await reader.create(),
    await reader.create({ amount_units: 31_000_000 }),
  ]
  await resolveIntent(reader.server, named.client_secret, { payer: reader.payer })
  await reader.pay(otherIntent, 'manual')
  await reader.pay(named, 'manual', 99_000_000)
  await reader.settle()
  expect(await reader.resolved(otherIntent)).toMatchObject({ status: 'succeeded' })
  expect(await reader.resolved(named)).toMatchObject({
    ...{ status: 'requires_payment', version: 1, near_misses: [] },
  })
  const { rows } = await reader.db.pool.query(
    `select t.reason, s.intent_id, s.match from transfers t
     join transfer_suggestions s on s.transfer_id = t.id`,
  )
  expect(rows).toEqual([{ reason: 'no_intent', intent_id: named.id, match: 'payer' }])
})

describe('a transfer from before the intent existed does not pay it', () => {
  test('in a block that was already read', async () => {
    const firstIntent = await reader.create()
    const amount_units = 31_000_000
    await reader.pay(firstIntent, 'manual', amount_units)
    // The node does not know the logs of the block yet, as right after its announcement.
    const honest = reader.rpc
    reader.rpc = { ...honest, transfers: async () => [] }
    await reader.read()
    const intent = await reader.create({ amount_units })
    reader.rpc = honest
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({ status: 'requires_payment', version: 1 })
    const { rows } = await reader.db.pool.query('select reason from transfers')
    expect(rows).toEqual([{ reason: 'before_intent' }])
  })

  test('while nobody followed the chain', async () => {
    const intent = await reader.paid('manual')
    const { rows } = await reader.db.pool.query(
      `update payable_reservations set since = since + interval '1 minute'
       returning extract(epoch from since)::float8 as since`,
    )
    expect(rows[0].since).toBeCloseTo(Date.parse(intent.created_at) / 1000 - 2 + 60, 0)
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({ status: 'requires_payment', version: 1 })
  })
})

test.each([
  ['a cent more', 10_000],
  ['the fee of an exchange added', 1_000_000],
])('%s than the payable amount is a near miss', async (_, more) => {
  const intent = await reader.create()
  const amount_units = intent.payable_amount_units + more
  const tx_hash = await reader.pay(intent, 'manual', amount_units)
  await reader.read()
  expect(await reader.resolved(intent)).toMatchObject({
    ...{ status: 'requires_payment', version: 2, near_misses: [{ tx_hash, amount_units }] },
  })
})

describe('dust that is read together with another payment', () => {
  test('does not keep a near miss from its checkout', async () => {
    const intent = await reader.create()
    const { version } = await reader.resolved(intent)
    await reader.pay(intent, 'manual', intent.payable_amount_units - 1)
    await reader.pay(intent, 'reference', 1)
    await reader.read()
    const resolved = await reader.resolved(intent)
    expect(resolved).toMatchObject({ status: 'requires_payment', near_misses: [{}] })
    expect(resolved.version).toBeGreaterThan(version)
  })

  test('does not keep a plain price from its intent', async () => {
    await reader.matchPlainPrice()
    const intent = await reader.paid('reference', 1)
    await reader.pay(intent, 'manual', intent.amount_units)
    await reader.settle()
    expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded', exceptions: [] })
  })
})
