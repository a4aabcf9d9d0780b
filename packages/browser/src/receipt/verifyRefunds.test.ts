import { limits } from '@payment-intents/contract'
import { paymentReference, refundReference } from '@payment-intents/core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Receipt, ReceiptRefund } from './parseReceipt.ts'
import { verifyReceipt } from './verifyReceipt.ts'

type Hex = `0x${string}`
const hash = (digits: string): Hex => `0x${digits.repeat(32)}`
const account = (digits: string): Hex => `0x${digits.repeat(20)}`
const word = (value: string | bigint) => {
  const digits = typeof value === 'bigint' ? value.toString(16) : value.slice(2)
  return `0x${digits.padStart(64, '0')}` as Hex
}

const token = '0x036cbd53842c5426634e7929541ec2318f3dcf7e'
const [shop, buyer, treasury] = [account('11'), account('22'), account('33')]
const terms = { id: 'pi_test_0001', chainId: 84532, token, salt: hash('5a') } as const
const expiresAt = 1_800_000_000
const price = 25_000_000
const [paidIn, refundedIn] = [hash('a1'), hash('a2')]
const time = Date.parse('2026-11-22T12:00:00.000Z')

function refundOf(change: Partial<ReceiptRefund> = {}): ReceiptRefund {
  const refund = {
    ...{ id: 're_1', status: 'succeeded' as const, amount_units: 4_000_000 },
    ...{ destination: buyer, from: shop, tx_hash: refundedIn, salt: hash('5b') },
    ...change,
  }
  const { id, amount_units: units, salt } = refund
  const reference = refundReference({
    ...{ id, source: terms.id, chainId: terms.chainId, token, amount: BigInt(units), salt },
  })
  return { ...refund, refund_reference: reference, ...change }
}

const payment = paymentReference({ ...terms, to: shop, amount: BigInt(price), expiresAt })

function receiptOf(...refunds: readonly unknown[]): Receipt {
  return {
    ...{ payment_intent: terms.id, merchant_name: 'Kiosk', chain: 'base', chain_id: 84532 },
    ...{ token_address: token, expected_wallet: shop, amount_units: price, salt: terms.salt },
    expires_at: new Date(expiresAt * 1000).toISOString(),
    payment_reference: payment,
    transfers: [
      {
        ...{ tx_hash: paidIn, log_index: 1, amount_units: price, bound_by: 'authorization' },
        block_timestamp: new Date(time).toISOString(),
      },
    ],
    refunds: refunds as ReceiptRefund[],
  }
}

type Move = { from: Hex; to: Hex; units: number; nonce?: Hex }

/** The logs of transfers, each with the authorization before it if it has a nonce. */
function logsOf(moves: readonly Move[]) {
  const logs = moves.flatMap(({ from, to, units, nonce }) => [
    ...(nonce
      ? [
          {
            topics: [
              '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5',
              word(from),
              nonce,
            ],
            data: '0x',
          },
        ]
      : []),
    {
      topics: [
        '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
        ...[word(from), word(to)],
      ],
      data: word(BigInt(units)),
    },
  ])
  return logs.map((log, index) => ({ ...log, address: token, logIndex: `0x${index.toString(16)}` }))
}

/** The payment and the chain's other transfers, by transaction. */
type World = { transactions?: Record<Hex, readonly Move[]>; service?: unknown }
const paying: Move = { from: buyer, to: shop, units: price, nonce: payment }
const rpcUrl = 'http://rpc.example/'
const serviceUrl = 'http://pay.example'

/** Responds for a chain, and for a service if there is one. */
function play({ transactions = {}, service }: World): void {
  const all: Record<string, readonly Move[]> = { [paidIn]: [paying], ...transactions }
  const respond = (method: string, [hash]: [string]) => {
    const moves = all[hash]
    if (method === 'eth_chainId') return '0x14a34'
    if (method === 'eth_blockNumber') return '0x14'
    if (method === 'eth_getBlockByNumber') {
      return { hash: '0xb1', timestamp: `0x${(time / 1000).toString(16)}` }
    }
    if (!moves) return null
    if (method === 'eth_getTransactionByHash') return { from: treasury, to: token, input: '0x' }
    return { status: '0x1', blockNumber: '0x10', blockHash: '0xb1', logs: logsOf(moves) }
  }
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    const body = JSON.parse(String(init?.body))
    if (url !== rpcUrl) return service ? Response.json(service) : new Response('', { status: 404 })
    return Response.json({ id: body.id, result: respond(body.method, body.params) })
  })
}

afterEach(() => vi.restoreAllMocks())

function signed(refund: ReceiptRefund, change: Partial<Move> = {}): Move {
  const { from, destination: to, amount_units: units, refund_reference: nonce } = refund
  return { from, to, units, nonce, ...change }
}

/** Pays by a call of `transfer`. */
function unsigned({ from, destination: to, amount_units: units }: ReceiptRefund): Move {
  return { from, to, units }
}

const proof = { [refundedIn]: [signed(refundOf())] }

async function verdictOf(world: World, ...refunds: readonly unknown[]) {
  play(world)
  return verifyReceipt(receiptOf(...refunds), {
    rpcUrl,
    ...(world.service === undefined ? {} : { serviceUrl }),
  })
}

const refuted = { type: 'refuted', reason: 'refund' }

describe('a refund whose reference a signature names', () => {
  test('is proven', async () => {
    expect(await verdictOf({ transactions: proof }, refundOf())).toMatchObject({
      type: 'proven',
      refunds: [
        {
          ...{
            type: 'proven',
            id: 're_1',
            amountUnits: 4_000_000n,
            from: shop,
            destination: buyer,
          },
          ...{ txHash: refundedIn, timestamp: time / 1000, confirmations: 5, isConfirmed: false },
        },
      ],
    })
  })

  test.each<[keyof ReceiptRefund, unknown]>([
    ['id', 're_2'],
    ['amount_units', 4_000_001],
    ['destination', treasury],
    ['from', treasury],
    ['tx_hash', paidIn],
    ['tx_hash', hash('ff')],
    ['salt', hash('5c')],
    ['refund_reference', hash('ab')],
  ])('is refuted with another %s: %s', async (field, value) => {
    const refund = { ...refundOf(), [field]: value }
    expect(await verdictOf({ transactions: proof }, refund)).toMatchObject(refuted)
  })

  test('is refuted with the reference of another payment intent', async () => {
    const { refund_reference } = refundOf()
    play({ transactions: proof })
    const other = paymentReference({
      ...{ ...terms, id: 'pi_test_0002', to: shop, amount: BigInt(price), expiresAt },
    })
    const verdict = await verifyReceipt(
      {
        ...receiptOf({ ...refundOf(), refund_reference }),
        ...{ payment_intent: 'pi_test_0002', payment_reference: other },
      },
      { rpcUrl },
    )
    expect(verdict).toMatchObject(refuted)
  })

  test.each<[string, Partial<Move>]>([
    ['another account', { to: treasury }],
    ['less', { units: 3_999_999 }],
    ['more', { units: 4_000_001 }],
    ['itself', { to: shop }],
  ])('is refuted if the signature paid %s', async (_, change) => {
    const transactions = { [refundedIn]: [signed(refundOf(), change)] }
    expect(await verdictOf({ transactions }, refundOf())).toMatchObject(refuted)
  })

  test('is refuted if another account signed its reference', async () => {
    const transactions = { [refundedIn]: [signed(refundOf(), { from: treasury })] }
    expect(await verdictOf({ transactions }, refundOf())).toMatchObject(refuted)
  })

  test('is matched among several refunds of one transaction', async () => {
    const refunds = [refundOf(), refundOf({ id: 're_2' }), refundOf({ id: 're_3' })]
    const [first, second, third] = refunds as [ReceiptRefund, ReceiptRefund, ReceiptRefund]
    const transactions = { [refundedIn]: [unsigned(third), signed(second), signed(first)] }
    const verdict = await verdictOf({ transactions }, ...refunds)
    expect(verdict).toMatchObject({
      refunds: [{ type: 'proven' }, { type: 'proven' }, { type: 'stated', id: 're_3' }],
    })
  })
})

describe('a refund by a transfer that names nothing', () => {
  const transactions = { [refundedIn]: [unsigned(refundOf())] }

  test('is stated', async () => {
    const verdict = await verdictOf({ transactions }, refundOf())
    expect(verdict).toMatchObject({
      ...{ type: 'proven', refunds: [{ type: 'stated', isConfirmed: false }] },
    })
  })

  test('is refuted if another refund claims the same transfer', async () => {
    const twice = [refundOf(), refundOf({ id: 're_2' })]
    expect(await verdictOf({ transactions }, ...twice)).toMatchObject(refuted)
  })

  test('is refuted if the nonce names something else, unless the service confirms the refund', async () => {
    const random = { [refundedIn]: [signed(refundOf(), { nonce: hash('ee') })] }
    expect(await verdictOf({ transactions: random }, refundOf())).toMatchObject(refuted)
    const service = receiptOf(refundOf())
    expect(await verdictOf({ transactions: random, service }, refundOf())).toMatchObject({
      refunds: [{ type: 'stated', isConfirmed: true }],
    })
  })
})

describe('a refund that is pending', () => {
  const early = refundOf({ status: 'pending', tx_hash: null })

  test('stays pending until the chain has its transfer', async () => {
    const pending = { type: 'pending', timestamp: null, confirmations: 0 }
    expect(await verdictOf({}, early)).toMatchObject({ refunds: [{ ...pending, txHash: null }] })
    const late = refundOf({ status: 'pending' })
    expect(await verdictOf({}, late)).toMatchObject({
      refunds: [{ ...pending, txHash: refundedIn }],
    })
    expect(await verdictOf({ transactions: proof }, late)).toMatchObject({
      refunds: [{ type: 'proven' }],
    })
  })

  test('is refuted by a transaction that does not pay it', async () => {
    const verdict = await verdictOf({}, refundOf({ status: 'pending', tx_hash: paidIn }))
    expect(verdict).toMatchObject(refuted)
  })

  test('is updated to the newer version of the service', async () => {
    const verdict = await verdictOf({ transactions: proof, service: receiptOf(refundOf()) }, early)
    expect(verdict).toMatchObject({
      refunds: [{ type: 'proven', txHash: refundedIn, isConfirmed: true }],
    })
  })
})

describe('a refund that the service lists', () => {
  test('is added to an earlier receipt, and verified', async () => {
    const service = receiptOf(refundOf())
    play({ transactions: proof, service })
    const { refunds: _, ...before } = receiptOf()
    expect(await verifyReceipt(before, { rpcUrl, serviceUrl })).toMatchObject({
      ...{ type: 'proven', refunds: [{ type: 'proven', isConfirmed: true }] },
    })
    play({ service })
    expect(await verifyReceipt(before, { rpcUrl, serviceUrl })).toMatchObject(refuted)
  })

  test('confirms only a refund with the same terms', async () => {
    const transactions = {
      [refundedIn]: [unsigned(refundOf())],
      [hash('a3')]: [unsigned(refundOf())],
    }
    const service = receiptOf(refundOf({ tx_hash: hash('a3') }))
    expect(await verdictOf({ transactions, service }, refundOf())).toMatchObject({
      refunds: [{ type: 'stated', isConfirmed: false }],
    })
  })
})

describe('a malformed receipt is refuted', () => {
  test.each<[string, unknown[]]>([
    ['with null in place of a refund', [null]],
    [
      'with a refund that is neither succeeded nor pending',
      [{ ...refundOf(), status: 'canceled' }],
    ],
    ['with a succeeded refund without a transaction', [{ ...refundOf(), tx_hash: null }]],
    ['with a refund without a destination', [{ ...refundOf(), destination: null }]],
    ['with a refund without a sender', [{ ...refundOf(), from: null }]],
    ['with a fraction of a unit', [{ ...refundOf(), amount_units: 0.5 }]],
    ['with a refund without a salt', [{ ...refundOf(), salt: undefined }]],
    ['with a refund that is listed twice', [refundOf(), refundOf()]],
    [
      'with more refunds than a payment intent can have',
      Array.from({ length: limits.refunds + 1 }, (_, n) => refundOf({ id: `re_${n}` })),
    ],
  ])('%s', async (_, refunds) => {
    const verdict = await verdictOf({ transactions: proof }, ...refunds)
    expect(verdict).toMatchObject({ type: 'refuted', reason: 'malformed' })
  })

  test('with an object in place of the list of refunds', async () => {
    play({})
    const verdict = await verifyReceipt({ ...receiptOf(), refunds: {} }, { rpcUrl })
    expect(verdict).toMatchObject({ reason: 'malformed' })
  })
})

test('the verdict is unknown if the chain fails between the payment and the refunds', async () => {
  play({ transactions: proof })
  const respond = vi.mocked(globalThis.fetch).getMockImplementation()
  vi.mocked(globalThis.fetch).mockImplementation(async (url, init) => {
    if (String(init?.body).includes(refundedIn)) throw new Error('away')
    return respond?.(url, init) as Promise<Response>
  })
  const verdict = await verifyReceipt(receiptOf(refundOf()), { rpcUrl })
  expect(verdict).toMatchObject({ type: 'unknown', message: 'away' })
})
