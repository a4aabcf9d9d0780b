import { type DevChain, startDevChain } from '@payment-intents/testing'
import { concat, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { acceptIntent, assignTransfer, cancelIntent } from '../db/act.ts'
import { findHeaders } from '../db/chainBlocks.ts'
import { acquireLease, type Lease, LeaseLost, releaseLease } from '../db/chainCursors.ts'
import {
  createIntent,
  createTestMerchant,
  type Json,
  randomWallet,
  resolveIntent,
  startTestServer,
  type TestServer,
} from '../test/testServer.ts'
import { connect } from './connection.ts'
import { createRpc, type Rpc } from './rpc.ts'
import { type Known, knownAtStart, type Ticked, tick } from './tick.ts'

let chain: DevChain
let server: TestServer
let apiKey: string
let merchantId: string
let calls: string[]
let rpc: Rpc
let lease: Lease
let known: Known

beforeAll(async () => {
  chain = await startDevChain({ blockTime: 0 })
})
afterAll(() => chain.stop())

beforeEach(async () => {
  server = await startTestServer()
  const merchant = await createTestMerchant(server.db, { wallet: randomWallet() })
  apiKey = merchant.apiKey
  merchantId = merchant.id
  calls = []
  rpc = counting(createRpc(connect(chain.url), [chain.token]))
  await takeLease()
  return () => server.close()
})

/** As a process does that starts to follow. */
async function takeLease(): Promise<void> {
  if (lease) await releaseLease(server.db, lease)
  const taken = await acquireLease(server.db, chain.chainId)
  if (!taken) throw new Error('the lease is held')
  lease = taken
  known = knownAtStart(await findHeaders(server.db.pool, chain.chainId))
}

/** Reads up to the head, and once more: what a reading finds deep already, the next one proves and settles. */
async function read(): Promise<Ticked> {
  for (let current = 0; ; ) {
    const ticked = await tick({ db: server.db, rpc, lease, now: () => Date.now() }, known)
    if ('known' in ticked) known = ticked.known
    if (ticked.type !== 'catching_up') current += 1
    if (current === 2) return ticked
  }
}

function counting(target: Rpc): Rpc {
  const counted = Object.entries(target).map(([name, call]) => [
    name,
    (...args: unknown[]) => {
      calls.push(name)
      return (call as (...all: unknown[]) => unknown)(...args)
    },
  ])
  return Object.fromEntries(counted) as Rpc
}

function payer(index = 1): `0x${string}` {
  const account = chain.accounts[index]
  if (!account) throw new Error(`no account ${index}`)
  return account.address
}

type Rail = 'reference' | 'manual'

async function pay(
  intent: Json,
  rail: Rail,
  amount = intent.payable_amount_units,
): Promise<string> {
  const { hash } = await chain.pay({
    from: payer(),
    to: intent.expected_wallet,
    amount: BigInt(amount),
    ...(rail === 'reference' ? { reference: intent.payment_reference } : {}),
  })
  return hash
}

/** So many wallets that all transfers of the token are read. */
async function watchMany(): Promise<void> {
  await server.db.pool.query(
    `insert into watched_wallets (chain_id, wallet, since, until)
     select $1, '0x' || lpad(to_hex(n), 40, '0'), now(), now() + interval '1 day'
     from generate_series(1, 3001) n`,
    [chain.chainId],
  )
}

const resolved = (intent: Json) => resolveIntent(server, intent.client_secret)

async function eventsOf(intent: Json): Promise<string[]> {
  const { rows } = await server.db.pool.query(
    'select type, sequence from events where intent_id = $1 order by sequence',
    [intent.id],
  )
  expect(rows.map((row) => row.sequence)).toEqual(rows.map((_, index) => index + 1))
  return rows.map((row) => row.type.replace('payment_intent.', ''))
}

describe.each(['reference', 'manual'] as const)('a payment by %s', (rail) => {
  test('goes through its states, one confirmation a block', async () => {
    const intent = await createIntent(server, apiKey)
    const tx_hash = await pay(intent, rail)
    await read()
    expect(await resolved(intent)).toMatchObject({
      status: 'pending_confirmations',
      confirmations: 1,
      tx_hash,
      amount_received_units: intent.payable_amount_units,
    })
    await chain.mine(3)
    await read()
    expect(await resolved(intent)).toMatchObject({
      status: 'pending_confirmations',
      confirmations: 4,
    })
    await chain.mine()
    await read()
    const done = await resolved(intent)
    expect(done).toMatchObject({ status: 'succeeded', confirmations: 5, exceptions: [], tx_hash })
    expect(await eventsOf(intent)).toEqual(['created', 'pending_confirmations', 'succeeded'])
    const { rows } = await server.db.pool.query(
      `select object from events where intent_id = $1 and type = 'payment_intent.succeeded'`,
      [intent.id],
    )
    expect(JSON.parse(rows[0].object)).toMatchObject({ status: 'succeeded', tx_hash })
  })

  test('is read again without a change', async () => {
    const intent = await createIntent(server, apiKey)
    await pay(intent, rail)
    await read()
    const { server_time: _, ...before } = await resolved(intent)
    await read()
    await takeLease()
    await read()
    expect(await resolved(intent)).toMatchObject(before)
  })
})

describe('two intents of the same amount to the same wallet', () => {
  const rails: Rail[] = ['reference', 'manual']
  const cases = rails.flatMap((first) =>
    rails.flatMap((second) => [0, 1].map((order) => ({ first, second, order }))),
  )
  test.each(cases)(
    '$first and $second, paid in order $order, are each credited with their own',
    async ({ first, second, order }) => {
      const one = await createIntent(server, apiKey)
      const two = await createIntent(server, apiKey)
      const payments = [
        { intent: one, rail: first },
        { intent: two, rail: second },
      ]
      if (order === 1) payments.reverse()
      const hashes = new Map<string, string>()
      for (const { intent, rail } of payments) hashes.set(intent.id, await pay(intent, rail))
      await chain.mine(5)
      await read()
      for (const intent of [one, two]) {
        expect(await resolved(intent)).toMatchObject({
          status: 'succeeded',
          exceptions: [],
          amount_received_units: intent.payable_amount_units,
          tx_hash: hashes.get(intent.id),
        })
      }
    },
  )

  test('a reference decides even against the amount of the other', async () => {
    const one = await createIntent(server, apiKey)
    const two = await createIntent(server, apiKey)
    await pay(two, 'reference', one.payable_amount_units)
    await chain.mine(5)
    await read()
    expect(await resolved(one)).toMatchObject({ status: 'requires_payment' })
    expect(await resolved(two)).toMatchObject({ status: 'succeeded' })
  })
})

describe('a transfer that fits nothing', () => {
  async function unmatched() {
    const { rows } = await server.db.pool.query(
      `select t.id, t.tx_hash, t.reason, t.merchant_id, e.object
       from transfers t left join events e on e.transfer_id = t.id and e.type = 'transfer.unmatched'
       where t.intent_id is null`,
    )
    return rows
  }

  test('is kept, credited to nobody, and told to the merchant once', async () => {
    const intent = await createIntent(server, apiKey)
    const tx_hash = await pay(intent, 'manual', intent.payable_amount_units - 1)
    await read()
    await takeLease()
    await read()
    expect(await resolved(intent)).toMatchObject({ status: 'requires_payment', version: 1 })
    const [row, ...others] = await unmatched()
    expect(others).toEqual([])
    expect(row).toMatchObject({ tx_hash, reason: 'no_intent', merchant_id: merchantId })
    expect(JSON.parse(row.object)).toMatchObject({
      id: row.id,
      chain: 'base',
      tx_hash,
      to: intent.expected_wallet,
      amount_units: intent.payable_amount_units - 1,
      payment_intent: null,
      reason: 'no_intent',
    })
  })

  test('is credited when the merchant assigns it, also after the chain moved it', async () => {
    const intent = await createIntent(server, apiKey)
    await pay(intent, 'manual', 30_000_000)
    await read()
    const [{ id }] = await unmatched()
    const who = { merchantId, mode: 'testnet' } as const
    const assign = () => assignTransfer(server.db, who, id, intent.id, Date.now())
    expect(await assign()).toMatchObject({
      type: 'done',
      intent: { status: 'pending_confirmations' },
    })
    expect(await assign()).toMatchObject({ type: 'done' })
    await chain.mine(5)
    await read()
    expect(await resolved(intent)).toMatchObject({ status: 'succeeded', exceptions: ['overpaid'] })
    const other = await createIntent(server, apiKey)
    expect(await assignTransfer(server.db, who, id, other.id, Date.now())).toMatchObject({
      type: 'refused',
    })
    for (const stranger of [
      { ...who, merchantId: 'mer_x' },
      { ...who, mode: 'mainnet' as const },
    ]) {
      expect(await assignTransfer(server.db, stranger, id, other.id, 0)).toEqual({
        type: 'not_found',
      })
    }
  })

  test('in a token that is not USDC is told as such, whatever its reference', async () => {
    const lookalike = randomWallet()
    const code = await chain.rpc('eth_getCode', [chain.token, 'latest'])
    await chain.rpc('anvil_setCode', [lookalike, code])
    const abi = parseAbi([
      'function initialize(address[] holders, uint256 amount)',
      'function transfer(address to, uint256 amount)',
    ])
    const send = (data: Hex) =>
      chain.rpc('eth_sendTransaction', [{ from: payer(), to: lookalike, data }])
    const functionName = 'initialize'
    await send(encodeFunctionData({ abi, functionName, args: [[payer()], 1_000_000_000n] }))
    rpc = createRpc(connect(chain.url), [chain.token, lookalike])

    const intent = await createIntent(server, apiKey)
    const args = [intent.expected_wallet, BigInt(intent.payable_amount_units)] as const
    const call = encodeFunctionData({ abi, functionName: 'transfer', args })
    await send(concat([call, intent.payment_reference as Hex]))
    await chain.mine()
    await read()
    expect(await resolved(intent)).toMatchObject({ status: 'requires_payment' })
    expect(await unmatched()).toMatchObject([{ reason: 'wrong_token' }])
  })

  test('but an intent of the other chain is told as such', async () => {
    await createIntent(server, apiKey)
    const wallet_address = randomWallet()
    const elsewhere = await createIntent(server, apiKey, { chain: 'polygon', wallet_address })
    await pay(elsewhere, 'manual')
    await read()
    expect(await unmatched()).toMatchObject([{ reason: 'wrong_chain', merchant_id: merchantId }])
  })
})

describe('a wallet that one intent alone uses', () => {
  test('identifies its payment, whatever the amount', async () => {
    const intent = await createIntent(server, apiKey, { wallet_address: randomWallet() })
    await pay(intent, 'manual', 26_123_456)
    await chain.mine(5)
    await read()
    expect(await resolved(intent)).toMatchObject({ status: 'succeeded', exceptions: ['overpaid'] })
    const { rows } = await server.db.pool.query('select bound_by from transfers')
    expect(rows).toEqual([{ bound_by: 'address' }])
  })

  test('does so no longer when a second intent uses it, or a merchant keeps it', async () => {
    const wallet_address = randomWallet()
    const one = await createIntent(server, apiKey, { wallet_address })
    await createIntent(server, apiKey, { wallet_address, amount_units: 1 })
    const kept = randomWallet()
    await createTestMerchant(server.db, { wallet: kept })
    const two = await createIntent(server, apiKey, { wallet_address: kept })
    await pay(one, 'manual', 26_123_456)
    await pay(two, 'manual', 26_123_456)
    await read()
    for (const intent of [one, two]) {
      expect(await resolved(intent)).toMatchObject({ status: 'requires_payment', version: 1 })
    }
  })
})

test('a bare transfer from a payer who announced another payment of that amount is nobody’s', async () => {
  const shared = await createIntent(server, apiKey)
  const alone = await createIntent(server, apiKey)
  await server.db.pool.query(
    `update payment_intents set reference_only = true, payable_amount_units = amount_units
     where id = $1`,
    [alone.id],
  )
  await resolveIntent(server, alone.client_secret, { payer: payer() })
  await pay(shared, 'manual')
  await pay(alone, 'reference', alone.amount_units)
  await chain.mine(5)
  await read()
  expect(await resolved(shared)).toMatchObject({ status: 'requires_payment' })
  expect(await resolved(alone)).toMatchObject({ status: 'succeeded' })
  const { rows } = await server.db.pool.query(
    'select reason from transfers where intent_id is null',
  )
  expect(rows).toEqual([{ reason: 'ambiguous' }])
})

test('what the merchant accepts is settled as it stands', async () => {
  const intent = await createIntent(server, apiKey)
  await pay(intent, 'reference', 10_000_000)
  await read()
  const who = { merchantId, mode: 'testnet' } as const
  expect(await cancelIntent(server.db, who, intent.id, Date.now())).toMatchObject({
    type: 'refused',
  })
  expect(await acceptIntent(server.db, who, intent.id, Date.now())).toMatchObject({ type: 'done' })
  await chain.mine(5)
  await read()
  expect(await resolved(intent)).toMatchObject({
    status: 'succeeded',
    exceptions: ['underpaid'],
    amount_received_units: 10_000_000,
  })
  expect(await eventsOf(intent)).toEqual([
    'created',
    'underpaid',
    'pending_confirmations',
    'succeeded',
  ])
})

test('what is canceled before it is paid stays canceled, and late money is told', async () => {
  const intent = await createIntent(server, apiKey)
  const who = { merchantId, mode: 'testnet' } as const
  expect(await cancelIntent(server.db, who, intent.id, Date.now())).toMatchObject({ type: 'done' })
  await pay(intent, 'reference')
  await read()
  expect(await resolved(intent)).toMatchObject({ status: 'canceled', exceptions: ['late'] })
  expect(await eventsOf(intent)).toEqual(['created', 'canceled', 'paid_late'])
})

describe('a transfer from before the intent existed is not taken for its payment', () => {
  test('in a block that was read already', async () => {
    const first = await createIntent(server, apiKey)
    const amount_units = 31_000_000
    await pay(first, 'manual', amount_units)
    // The node does not know the block's logs yet, as happens right after it was announced.
    const honest = rpc
    rpc = { ...honest, transfers: async () => [] }
    await read()
    const intent = await createIntent(server, apiKey, { amount_units })
    rpc = honest
    await read()
    expect(await resolved(intent)).toMatchObject({ status: 'requires_payment', version: 1 })
    const { rows } = await server.db.pool.query('select reason from transfers')
    expect(rows).toEqual([{ reason: 'before_intent' }])
  })

  test('when nobody followed the chain', async () => {
    const intent = await createIntent(server, apiKey)
    await pay(intent, 'manual')
    const { rows } = await server.db.pool.query(
      `update payable_reservations set since = since + interval '1 minute'
       returning extract(epoch from since)::float8 as since`,
    )
    expect(rows[0].since).toBeCloseTo(Date.parse(intent.created_at) / 1000 - 2 + 60, 0)
    await read()
    expect(await resolved(intent)).toMatchObject({ status: 'requires_payment', version: 1 })
  })
})

test('part by reference is underpaid, the rest completes it', async () => {
  const intent = await createIntent(server, apiKey)
  await pay(intent, 'reference', 10_000_000)
  await read()
  expect(await resolved(intent)).toMatchObject({
    status: 'requires_payment',
    exceptions: ['underpaid'],
    amount_received_units: 10_000_000,
  })
  await pay(intent, 'reference', 15_000_000)
  await chain.mine(5)
  await read()
  expect(await resolved(intent)).toMatchObject({
    status: 'succeeded',
    exceptions: [],
    amount_received_units: 25_000_000,
  })
})

test('a transfer of nothing is ignored', async () => {
  const intent = await createIntent(server, apiKey)
  await pay(intent, 'reference', 0)
  await read()
  const { rows } = await server.db.pool.query('select 1 from transfers')
  expect(rows).toEqual([])
})

test('a payment made before anybody followed the chain is found', async () => {
  const intent = await createIntent(server, apiKey)
  await pay(intent, 'manual')
  await chain.mine(700)
  await read()
  expect(await resolved(intent)).toMatchObject({ status: 'succeeded' })
})

describe('a reorg', () => {
  test('takes an unconfirmed payment back, and a new one counts', async () => {
    const intent = await createIntent(server, apiKey)
    await pay(intent, 'reference')
    await chain.mine(2)
    await read()
    expect((await resolved(intent)).status).toBe('pending_confirmations')
    await chain.reorg(3)
    await chain.mine()
    await read()
    expect(await resolved(intent)).toMatchObject({
      status: 'requires_payment',
      exceptions: ['reorged'],
      amount_received_units: 0,
      confirmations: 0,
      tx_hash: null,
    })
    await pay(intent, 'reference')
    await chain.mine(5)
    await read()
    expect(await resolved(intent)).toMatchObject({ status: 'succeeded', exceptions: [] })
    expect(await eventsOf(intent)).toEqual([
      'created',
      'pending_confirmations',
      'reorged',
      'pending_confirmations',
      'succeeded',
    ])
  })

  test('while nobody followed is found at the next start, however deep', async () => {
    const intent = await createIntent(server, apiKey)
    await pay(intent, 'reference')
    await chain.mine(1)
    await read()
    await chain.reorg(2)
    await chain.mine(100)
    await takeLease()
    await read()
    expect(await resolved(intent)).toMatchObject({
      status: 'requires_payment',
      exceptions: ['reorged'],
    })
  })

  test('deeper than the blocks that are read again loses no payment of the new branch', async () => {
    const intent = await createIntent(server, apiKey)
    await chain.mine(30)
    await read()
    await chain.rpc('anvil_rollback', [25])
    await pay(intent, 'reference')
    await chain.mine(40)
    await read()
    expect(await resolved(intent)).toMatchObject({ status: 'succeeded' })
  })

  test('is followed to its end also where the whole token is read', async () => {
    await watchMany()
    const intent = await createIntent(server, apiKey)
    await chain.mine(30)
    await read()
    await read()
    await chain.rpc('anvil_rollback', [8])
    await pay(intent, 'reference')
    await chain.mine(20)
    await read()
    expect(await resolved(intent)).toMatchObject({ status: 'succeeded' })
  })

  test('deeper than a provider’s few blocks a query reach is read to its end', async () => {
    const few = async () => {
      for (let readings = 0; readings < 30; readings += 1) {
        const context = { db: server.db, rpc, lease, now: () => Date.now(), span: 5 }
        const ticked = await tick(context, known)
        if ('known' in ticked) known = ticked.known
        if (ticked.type === 'current' && readings > 20) return
      }
      throw new Error('never caught up')
    }
    const intent = await createIntent(server, apiKey)
    await chain.mine(200)
    await few()
    await chain.rpc('anvil_rollback', [150])
    await pay(intent, 'reference')
    await chain.mine(160)
    await few()
    expect(await resolved(intent)).toMatchObject({ status: 'succeeded' })
  })

  test.each([
    { wallets: 'few', within: 11 },
    { wallets: 'many', within: 16 },
  ])(
    'a log that a node tells ten blocks late is found within $within, with $wallets wallets',
    async ({ wallets, within }) => {
      if (wallets === 'many') await watchMany()
      const told = rpc.transfers
      rpc = {
        ...rpc,
        async transfers(range) {
          const { number: head } = (await rpc.header('latest')) ?? { number: 0n }
          return (await told(range)).filter(({ blockNumber }) => head - blockNumber >= 10n)
        },
      }
      // At each place between two readings that go back all the way.
      for (let place = 0; place < 6; place += 1) {
        const intent = await createIntent(server, apiKey)
        await pay(intent, 'reference')
        for (let later = 0; later < within; later += 1) {
          await chain.mine()
          await read()
        }
        await read()
        expect(await resolved(intent)).toMatchObject({ status: 'succeeded' })
      }
    },
  )

  test.each(['few', 'many'])(
    'nothing from long ago is read again, with %s wallets',
    async (wallets) => {
      // The clock of this one is moved on, which would be felt by all who come later.
      const shared = chain
      chain = await startDevChain({ blockTime: 0 })
      onTestFinished(async () => {
        await chain.stop()
        chain = shared
      })
      const starts: bigint[] = []
      const ours = createRpc(connect(chain.url), [chain.token])
      rpc = {
        ...ours,
        transfers(range) {
          starts.push(range.from)
          return ours.transfers(range)
        },
      }
      const readOften = async () => {
        for (let readings = 0; readings < 7; readings += 1) {
          await chain.mine()
          await read()
        }
      }
      /** From its last minutes on, which are not all of its blocks. */
      const watchFromHead = async () => {
        // 400 blocks, one every two seconds.
        await chain.rpc('anvil_mine', ['0x190', '0x2'])
        const head = await rpc.header('latest')
        await server.db.pool.query('update watched_wallets set since = to_timestamp($1)', [
          head?.timestamp,
        ])
      }
      if (wallets === 'many') await watchMany()
      await createIntent(server, apiKey)
      // Between them nobody waits for a while.
      for (let wait = 0; wait < 3; wait += 1) {
        await watchFromHead()
        await readOften()
      }
      const back = starts.map((start, index) => (starts[index - 1] ?? start) - start)
      expect(back.filter((blocks) => blocks > 16n)).toEqual([])
      expect(starts.length).toBeGreaterThan(30)
    },
    120_000,
  )

  test('is not concluded from an empty answer', async () => {
    const intent = await createIntent(server, apiKey)
    await pay(intent, 'reference')
    await read()
    const honest = rpc
    rpc = { ...honest, transfers: async () => [] }
    await chain.mine(1)
    await read()
    expect(await resolved(intent)).toMatchObject({ status: 'pending_confirmations' })
  })
})

describe('success', () => {
  test('is not told without a good receipt', async () => {
    const intent = await createIntent(server, apiKey)
    await pay(intent, 'reference')
    await read()
    const honest = rpc
    rpc = { ...honest, receipt: async () => null }
    await chain.mine(10)
    await read()
    expect(await resolved(intent)).toMatchObject({
      status: 'pending_confirmations',
      confirmations: 4,
    })
    rpc = honest
    await read()
    expect(await resolved(intent)).toMatchObject({ status: 'succeeded' })
  })
})

describe('logs that a node returned too late', () => {
  test('are found by reading blocks again', async () => {
    const intent = await createIntent(server, apiKey)
    await pay(intent, 'reference')
    const honest = rpc
    rpc = { ...honest, transfers: async () => [] }
    await read()
    await chain.mine(5)
    await read()
    expect(await resolved(intent)).toMatchObject({ status: 'requires_payment' })
    rpc = honest
    await read()
    expect(await resolved(intent)).toMatchObject({ status: 'succeeded' })
  })
})

describe('a provider', () => {
  test('that falls behind is waited for', async () => {
    const intent = await createIntent(server, apiKey)
    await pay(intent, 'reference')
    await read()
    const honest = rpc
    const old = await honest.header(1n)
    rpc = { ...honest, header: async () => old, transfers: async () => [] }
    expect(await read()).toMatchObject({ type: 'provider_behind' })
    expect(await resolved(intent)).toMatchObject({ status: 'pending_confirmations' })
  })
})

describe('the lease', () => {
  test('lets one process write; who lost it writes nothing', async () => {
    const intent = await createIntent(server, apiKey)
    const paused = lease
    await server.db.pool.query('update chain_cursors set lease_until = now()')
    await takeLease()
    await pay(intent, 'reference')
    await expect(
      tick({ db: server.db, rpc, lease: paused, now: () => Date.now() }, knownAtStart([])),
    ).rejects.toThrow(LeaseLost)
    expect(await resolved(intent)).toMatchObject({ status: 'requires_payment', version: 1 })
    await read()
    expect(await resolved(intent)).toMatchObject({ status: 'pending_confirmations' })
  })

  test('lost in the middle of a reading undoes that reading', async () => {
    const intent = await createIntent(server, apiKey)
    await pay(intent, 'reference')
    const honest = rpc
    rpc = {
      ...honest,
      async receipt(txHash) {
        await server.db.pool.query('update chain_cursors set epoch = epoch + 1')
        return honest.receipt(txHash)
      },
    }
    await expect(read()).rejects.toThrow(LeaseLost)
    expect(await resolved(intent)).toMatchObject({ status: 'requires_payment', version: 1 })
    const { rows } = await server.db.pool.query('select 1 from transfers')
    expect(rows).toEqual([])
  })

  test('is held by one at a time', async () => {
    expect(await acquireLease(server.db, chain.chainId)).toBeNull()
  })
})

test('with nobody waiting, the RPC is not asked', async () => {
  expect(await read()).toEqual({ type: 'idle' })
  expect(calls).toEqual([])
})

describe('the deadline', () => {
  // A chain for each, because its clock stays ahead.
  beforeEach(async () => {
    const shared = chain
    chain = await startDevChain({ blockTime: 0 })
    rpc = createRpc(connect(chain.url), [chain.token])
    return async () => {
      await chain.stop()
      chain = shared
    }
  })

  test('passing a payment that is still confirming, late window and all, does not leave it pending', async () => {
    const intent = await createIntent(server, apiKey)
    await pay(intent, 'reference')
    await read()
    await chain.increaseTime(28 * 3_600)
    await chain.mine()
    await read()
    expect(await resolved(intent)).toMatchObject({ status: 'pending_confirmations' })
    await chain.mine(5)
    await read()
    expect(await resolved(intent)).toMatchObject({ status: 'succeeded' })
    expect(await read()).toEqual({ type: 'idle' })
  })

  test('and the late window being over, an amount identifies nothing any more', async () => {
    const intent = await createIntent(server, apiKey)
    await read()
    await chain.setNextBlockTime(Date.parse(intent.expires_at) / 1000 + 24 * 3_600 + 1)
    await pay(intent, 'manual')
    await read()
    expect(await resolved(intent)).toMatchObject({ status: 'expired', amount_received_units: 0 })
  })

  test('unpaid becomes expired; what comes later is late, and told', async () => {
    const intent = await createIntent(server, apiKey, { expires_in_minutes: 5 })
    await read()
    expect(await resolved(intent)).toMatchObject({ status: 'requires_payment' })
    await chain.setNextBlockTime(Date.parse(intent.expires_at) / 1000 + 1)
    await chain.mine()
    await read()
    expect(await resolved(intent)).toMatchObject({ status: 'expired' })
    await pay(intent, 'manual')
    await read()
    expect(await resolved(intent)).toMatchObject({
      status: 'expired',
      exceptions: ['late'],
      amount_received_units: intent.payable_amount_units,
    })
    expect(await eventsOf(intent)).toEqual(['created', 'expired', 'paid_late'])
  })

  test('keeps the amount reserved and the wallet watched until the late window is over', async () => {
    const wallet_address = randomWallet()
    const intent = await createIntent(server, apiKey, { wallet_address, expires_in_minutes: 60 })
    const count = async (table: string) =>
      (await server.db.pool.query(`select 1 from ${table} where wallet = $1`, [wallet_address]))
        .rowCount
    await chain.setNextBlockTime(Date.parse(intent.expires_at) / 1000 + 24 * 3_600)
    await chain.mine()
    await read()
    expect(await resolved(intent)).toMatchObject({ status: 'expired' })
    expect([await count('payable_reservations'), await count('watched_wallets')]).toEqual([1, 1])
    await chain.increaseTime(2 * 3_600)
    await chain.mine()
    await read()
    expect([await count('payable_reservations'), await count('watched_wallets')]).toEqual([0, 0])
    expect(await read()).toEqual({ type: 'idle' })
  })
})
