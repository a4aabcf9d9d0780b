import type { Address } from '@payment-intents/contract'
import { type Merchant, type NewPaymentIntent, newTerms, type Terms } from '@payment-intents/core'
import type { QueryConfig } from 'pg'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { holdTimers } from '../../../../../tests/support/holdTimers.ts'
import { until } from '../../../../../tests/support/until.ts'
import { dbOfFile } from '../../../test/support/database/fixtures.ts'
import { countWaiting, lock } from '../../../test/support/database/locks.ts'
import { testTimeouts } from '../../../test/support/database/testDb.ts'
import { createTestMerchant, randomWallet } from '../../../test/support/server/testServer.ts'
import { randomBytes } from '../../lib/crypto/randomBytes.ts'
import { connect, type Db } from '../connection/connect.ts'
import { newId } from '../lists/ids.ts'
import { createCreationStore } from './storeCreations.ts'

const db = dbOfFile()
let shop: Merchant
let otherMerchant: Merchant

beforeAll(async () => {
  const merchant = async (): Promise<Merchant> => {
    const wallet = randomWallet()
    const { id } = await createTestMerchant(db, { wallet })
    const wallets = { base: wallet }
    const settings = { allowedWallets: [], confirmations: {} }
    return { ...{ id, mode: 'testnet', defaultChain: null, wallets }, ...settings }
  }
  shop = await merchant()
  otherMerchant = await merchant()
})

type Input = {
  of?: Merchant
  amount?: number
  wallet?: Address
  key?: string
  lane?: 'manual'
  metadata?: string
}

function creationRequest({
  of = shop,
  amount = 1_000_000,
  wallet,
  key,
  lane,
  metadata,
}: Input = {}): NewPaymentIntent {
  const terms = newTerms(
    { amount_units: amount, ...(wallet && { wallet_address: wallet }), ...(lane && { lane }) },
    metadata ?? '{}',
    of,
    {
      newId: (now) => newId('pi', now),
      salt: `0x${randomBytes(32).toString('hex')}`,
      clock: Date.now,
      confirmations: { base: 5 },
    },
  )
  const idempotency = key ? { key, fingerprint: `${amount}` } : null
  const made = { namesWallet: wallet !== undefined, reservesAmount: true, since: Date.now() }
  const rest = { ...made, secretKey: 'of the test' }
  return { terms, operation: 'createPaymentIntent', idempotency, ...rest }
}

/** Numbers in [0, 1) that are far from each other: a random amount may be taken, which costs another statement. */
function spread(start = 0): () => number {
  let drawn = start
  return () => (drawn++ * 0.618_033_988_75) % 1
}

function storeTogether(creations: readonly NewPaymentIntent[], on: Db = db, random = spread()) {
  const store = createCreationStore(on, random)
  return Promise.all(
    [creationRequest(), ...creations].map((newPaymentIntent) =>
      store(newPaymentIntent).catch(String),
    ),
  ).then(([, ...stored]) => stored)
}

const statementsOf = (on: Db) => {
  const query = vi.spyOn(on.pool, 'query')
  onTestFinished(() => query.mockRestore())
  return () =>
    query.mock.calls.map(([statement]) => (statement as unknown as { name: string }).name)
}

/** Counts the rows of each table that belong to an intent, its key or its wallet. */
async function rowsOf({ id, wallet }: Terms, key: string) {
  const { rows } = await db.pool.query(
    `select (select count(*)::int from payment_intents where id = $1) as intents,
       (select count(*)::int from payment_intent_metadata where intent_id = $1) as metadata,
       (select count(*)::int from payable_reservations where intent_id = $1) as reservations,
       (select count(*)::int from events where intent_id = $1) as events,
       (select count(*)::int from idempotency_keys where key = $3) as keys,
       (select count(*)::int from wallet_owners where address = $2) as owners,
       (select count(*)::int from watched_topics where topic = $2) as watched`,
    [id, wallet, key],
  )
  return rows[0]
}

const payableOf = (stored: unknown): number =>
  JSON.parse((stored as { response: string }).response).payable_amount_units

test.each([
  ['a wallet that is watched', {}, 'insert-creations'],
  ['a new wallet that it names', { wallet: randomWallet() }, 'insert-rare-creations'],
])('a lone creation is one statement: %s', async (key, named, statement) => {
  const store = createCreationStore(db, spread())
  await store(creationRequest())
  const statements = statementsOf(db)
  const connected = vi.spyOn(db.pool, 'connect')
  onTestFinished(() => connected.mockRestore())
  expect(await store(creationRequest({ key, ...named }))).toMatchObject({ type: 'created' })
  expect(statements()).toEqual([statement])
  // The statement itself takes a connection.
  expect(connected.mock.calls.length).toBe(1)
})

test('a creation whose wallet is not watched for long enough takes a second statement, which prolongs the watch', async () => {
  const store = createCreationStore(db, spread())
  await store(creationRequest())
  const until = async () => {
    const { rows } = await db.pool.query<{ until: Date }>(
      'select until from watched_topics where chain_id = 84532 and topic = $1',
      [shop.wallets.base],
    )
    return Number(rows[0]?.until)
  }
  await db.pool.query(`update watched_topics set until = until - interval '2 hours'`)
  const before = await until()
  const statements = statementsOf(db)
  expect(await store(creationRequest())).toMatchObject({ type: 'created' })
  expect(statements()).toEqual(['insert-creations', 'insert-rare-creations'])
  expect(await until()).toBeGreaterThan(before)
})

test('each creation of a batch has the outcome that it would have alone', async () => {
  // A batch that takes 50 ms lets the next batch begin, so a busy machine would have more batches.
  holdTimers(50, 50)
  const store = createCreationStore(db, spread())
  const earlier = await store(creationRequest({ key: 'kept', amount: 7 }))
  const [full, theirs] = [randomWallet(), randomWallet()]
  await store(creationRequest({ of: otherMerchant, wallet: theirs }))
  await store(creationRequest({ wallet: full }))
  await db.pool.query(
    `insert into payable_reservations (chain_id, wallet, payable_amount_units, intent_id, since, until)
     select 84532, $1, n, 'pi_other', now(), now() + interval '1 day' from generate_series(8, 7 + 99) n`,
    [full],
  )
  const statements = statementsOf(db)
  const creations = [
    creationRequest({ key: 'new', wallet: randomWallet(), metadata: '{"a":"b"}' }),
    creationRequest({ key: 'kept', amount: 7 }),
    creationRequest({ key: 'kept', amount: 8 }),
    creationRequest({ key: 'kept', amount: 9, wallet: theirs }),
    creationRequest({ key: 'theirs', wallet: theirs }),
    creationRequest({ key: 'configured', wallet: otherMerchant.wallets.base ?? theirs }),
    creationRequest({ key: 'full', amount: 7, wallet: full, lane: 'manual' }),
    creationRequest({ amount: 7, wallet: full }),
    creationRequest({ amount: 5_000_000 }),
    creationRequest({ amount: 5_000_000 }),
    // This price is an amount for another price of the batch, with a tag of the first shape.
    creationRequest({ amount: 5_000_100 }),
  ]
  const stored = await storeTogether(creations, db, spread(1))
  expect(stored).toMatchObject([
    { type: 'created' },
    { ...earlier, type: 'replayed' },
    { type: 'mismatch' },
    { type: 'wallet_taken' },
    { type: 'wallet_taken' },
    { type: 'wallet_taken' },
    { type: 'no_payable_amount_left' },
    { type: 'created' },
    { type: 'created' },
    { type: 'created' },
    { type: 'created' },
  ])
  expect(payableOf(stored[7])).toBe(7)
  const amounts = [5_000_000, 5_000_100, ...stored.slice(8).map(payableOf)]
  expect(new Set(amounts).size).toBe(amounts.length)
  // The first runs alone, the rest together. Creations at a full wallet are looked up and repeated.
  const inserts = statements().filter((name) => name.startsWith('insert-'))
  expect(inserts.length).toBeLessThanOrEqual(4)
  const all = {
    intents: 1,
    metadata: 1,
    reservations: 1,
    events: 1,
    keys: 1,
    owners: 1,
    watched: 1,
  }
  expect(await rowsOf((creations[0] as NewPaymentIntent).terms, 'new')).toEqual(all)
  const { rows } = await db.pool.query(
    `select key from idempotency_keys where key in ('theirs', 'configured', 'full')`,
  )
  expect(rows).toEqual([])
})

test('a creation that the database refuses leaves nothing, and the others of the batch are stored', async () => {
  const bad = creationRequest({ key: 'bad', wallet: randomWallet(), metadata: '{"a":"b"}' })
  const creations = [
    creationRequest({ key: 'good 1' }),
    creationRequest({ key: 'good 2', of: otherMerchant }),
  ]
  // A check fails after the key, the wallet and the reservation are written.
  const minutes = { ...bad.terms, confirmationsRequired: 0 }
  const stored = await storeTogether([{ ...bad, terms: minutes }, ...creations])
  expect(stored).toMatchObject([
    expect.stringContaining('confirmations_required'),
    { type: 'created' },
    { type: 'created' },
  ])
  expect(Object.values(await rowsOf(bad.terms, 'bad'))).toEqual(Array(7).fill(0))
})

test('a key that another transaction holds is in flight, and the others of the batch do not wait for it twice', async () => {
  const timeouts = { connect: 10_000, statement: 60_000, lock: 200 }
  const database = connect({ url: db.url, poolSize: 10, timeouts })
  onTestFinished(() => database.pool.end())
  await lock(
    db,
    `insert into idempotency_keys (merchant_id, mode, route, key, request_hash, response, secret_key)
     values ($1, 'testnet', 'POST /v1/payment_intents', 'held', '', '{}', '')`,
    [shop.id],
  )
  const creations = [
    creationRequest({ key: 'held' }),
    creationRequest({ key: 'free' }),
    creationRequest({ of: otherMerchant }),
  ]
  const stored = await storeTogether(creations, database)
  expect(stored).toMatchObject([{ type: 'in_flight' }, { type: 'created' }, { type: 'created' }])
})

test('an amount is neither a price nor an amount of the same batch', async () => {
  const wallet = randomWallet()
  // The prices are the least amounts of the first shape above 5 USDC, which are proposed in order. More creations would
  // be in several batches.
  const prices = Array.from({ length: 8 }, (_, n) => 5_000_100 + 200 * n)
  const ascending = () => 1 - Number.EPSILON
  const creations = [5_000_000, 5_000_000, 5_000_050, ...prices].map((amount) =>
    creationRequest({ amount, wallet }),
  )
  const stored = await storeTogether(creations, db, ascending)
  const amounts = [...prices, ...stored.map(payableOf)]
  expect(new Set(amounts).size).toBe(amounts.length)
})

describe('with two concurrent batches', () => {
  /** With so many creations, a second batch runs beside the first. */
  const enough = 16
  const others = (count: number) =>
    Array.from({ length: count }, () => creationRequest({ of: otherMerchant }))

  /** Sends the first statement when all creations of the second batch are stored. */
  async function storeConcurrently(first: NewPaymentIntent, second: readonly NewPaymentIntent[]) {
    const query = db.pool.query.bind(db.pool)
    const sent = vi.spyOn(db.pool, 'query')
    onTestFinished(() => sent.mockRestore())
    const isSecondDone = Promise.withResolvers<void>()
    sent.mockImplementationOnce((async (statement: QueryConfig) => {
      await isSecondDone.promise
      return query(statement)
    }) as never)
    const store = createCreationStore(db, spread())
    const stored = [first, ...second].map((newPaymentIntent) =>
      store(newPaymentIntent).catch(String),
    )
    await Promise.all(stored.slice(1))
    isSecondDone.resolve()
    return Promise.all(stored)
  }

  test('no price of a batch is an amount of the other', async () => {
    const wallet = randomWallet()
    // The only amount of the first shape that is left for the second batch is a price of the first, which no snapshot
    // shows.
    await db.pool.query(
      `insert into payable_reservations (chain_id, wallet, payable_amount_units, intent_id, since, until)
       select 84532, $1, 5000100 + 200 * n, 'pi_other', now(), now() + interval '1 day' from generate_series(1, 49) n`,
      [wallet],
    )
    const price = creationRequest({ amount: 5_000_100, wallet })
    const stored = await storeConcurrently(price, [
      creationRequest({ amount: 5_000_000, wallet }),
      ...others(enough - 1),
    ])
    expect([5_000_000, 5_000_100]).not.toContain(payableOf(stored[1]))
  })

  test('a key in both has a single intent, which both return', async () => {
    const wallet = randomWallet()
    const twice = () => creationRequest({ key: 'in both batches', amount: 9_000_000, wallet })
    const concurrent = Array.from({ length: enough - 1 }, () =>
      creationRequest({ amount: 9_000_000, wallet }),
    )
    const [first, second, ...rest] = await storeConcurrently(twice(), [twice(), ...concurrent])
    expect(second).toMatchObject({ type: 'created' })
    expect(first).toEqual({ ...(second as object), type: 'replayed' })
    const amounts = [second, ...rest].map(payableOf)
    expect(new Set(amounts).size).toBe(enough)
  })

  test('a batch that is refused does not affect the other', async () => {
    const bad = creationRequest({
      key: 'bad beside',
      wallet: randomWallet(),
      metadata: '{"a":"b"}',
    })
    const refused = { ...bad, terms: { ...bad.terms, confirmationsRequired: 0 } }
    const [first, second, ...rest] = await storeConcurrently(creationRequest(), [
      refused,
      ...others(enough - 1),
    ])
    expect([first, ...rest]).toEqual(
      Array.from({ length: enough }, () => expect.objectContaining({ type: 'created' })),
    )
    expect(second).toContain('confirmations_required')
    expect(Object.values(await rowsOf(bad.terms, 'bad beside'))).toEqual(Array(7).fill(0))
  })
})

describe('a concurrent write of another transaction decides', () => {
  let database: Db
  const named = randomWallet()

  beforeAll(() => {
    database = connect({ url: db.url, poolSize: 4, timeouts: testTimeouts })
    return () => database.pool.end()
  })

  /** Stores a creation that waits for a transaction which executes this SQL, and then more. */
  async function storeBehind(
    creation: NewPaymentIntent,
    sql: string,
    values: readonly unknown[],
    more = 'select',
  ) {
    const client = await db.pool.connect()
    onTestFinished(() => client.release())
    await client.query('begin')
    await client.query(sql, [...values])
    const query = vi.spyOn(database.pool, 'query')
    onTestFinished(() => query.mockRestore())
    const stored = createCreationStore(database, spread())(creation)
    await until(async () => expect(await countWaiting(db)).toBe(1))
    await client.query(more)
    await client.query('commit')
    const outcome = await stored
    const failures = query.mock.settledResults.filter(({ type }) => type === 'rejected')
    // The failure is a unique violation. A deadlock would also be repeated, and show here.
    expect(failures.map(({ value }) => (value as unknown as { code: string }).code)).toEqual([
      '23505',
    ])
    return outcome
  }

  test.each([
    ['a key', 'select'],
    [
      'a key, whose transaction then writes what the creation has not locked yet',
      `insert into wallet_owners (mode, address, merchant_id) select 'testnet', '${named}', id from merchants limit 1;
       insert into watched_topics (chain_id, topic, since, until) values (84532, '${named}', now(), now())`,
    ],
  ])('%s', async (key, more) => {
    const creation = creationRequest({ key, amount: 9, wallet: named })
    const response = '{"id":"pi_first"}'
    const stored = await storeBehind(
      creation,
      `insert into idempotency_keys (merchant_id, mode, route, key, request_hash, response, secret_key)
       values ($1, 'testnet', 'POST /v1/payment_intents', $2, sha256('9'), $3, 'of the first')`,
      [shop.id, key, response],
      more,
    )
    expect(stored).toEqual({
      type: 'replayed',
      response,
      secretKey: 'of the first',
    })
    expect(await rowsOf(creation.terms, key)).toMatchObject({ intents: 0, events: 0 })
  })

  test('the owner of a wallet', async () => {
    const wallet = randomWallet()
    const stored = await storeBehind(
      creationRequest({ wallet }),
      `insert into wallet_owners (mode, address, merchant_id) values ('testnet', $1, $2)`,
      [wallet, otherMerchant.id],
    )
    expect(stored).toEqual({ type: 'wallet_taken' })
  })

  test('an amount', async () => {
    const wallet = randomWallet()
    const stored = await storeBehind(
      creationRequest({ wallet, amount: 7 }),
      `insert into payable_reservations (chain_id, wallet, payable_amount_units, intent_id, since, until)
       select 84532, $1, n, 'pi_other', now(), now() + interval '1 day' from generate_series(8, 7 + 99) n`,
      [wallet],
    )
    expect(payableOf(stored)).toBe(7)
  })
})

test('processes that race for keys, wallets and amounts create one intent per key, each with its own amount', async () => {
  const pools = [1, 2, 3].map(() => connect({ url: db.url, poolSize: 4 }))
  onTestFinished(async () => {
    await Promise.all(pools.map(({ pool }) => pool.end()))
  })
  const wallets = [randomWallet(), randomWallet()]
  const keys = Array.from({ length: 40 }, (_, n) => `race ${n}`)
  const raced = await Promise.all(
    pools.map((database, index) => {
      const store = createCreationStore(database, spread())
      // Each process has another order, and there are two merchants.
      const order = index === 1 ? keys.toReversed() : keys
      return Promise.all(
        order.map(async (key, n) => {
          const wallet = wallets[n % 2] as Address
          const of = index === 2 && n < 8 ? otherMerchant : shop
          return {
            key: of === otherMerchant ? `other's ${key}` : key,
            stored: await store(creationRequest({ of, key, wallet })),
          }
        }),
      )
    }),
  )
  const all = raced.flat()
  const made = all.filter(({ stored }) => stored.type === 'created')
  expect(new Set(made.map(({ key }) => key)).size).toBe(made.length)
  const responses = Map.groupBy(
    all.filter(({ stored }) => 'response' in stored),
    ({ key }) => key,
  )
  for (const same of responses.values()) {
    const texts = same.map(({ stored }) => 'response' in stored && stored.response)
    expect(new Set(texts).size).toBe(1)
  }
  const payables = made.map(({ stored }) => `${payableOf(stored)}`)
  const { rows } = await db.pool.query(
    `select expected_wallet, count(distinct payable_amount_units)::int as amounts, count(*)::int as intents,
       count(distinct merchant_id)::int as merchants
     from payment_intents where expected_wallet = any($1) group by 1`,
    [wallets],
  )
  expect(rows.reduce((sum, { intents }) => sum + intents, 0)).toBe(payables.length)
  for (const { amounts, intents, merchants } of rows) {
    expect(amounts).toBe(intents)
    expect(merchants).toBe(1)
  }
})

test('replays use up no amounts', async () => {
  const store = createCreationStore(db, spread())
  const wallet = randomWallet()
  // 99 amounts exist above this price, and 98 are left.
  const replay = () => store(creationRequest({ key: 'replayed', amount: 5, wallet }))
  await replay()
  const replays = await Promise.all(Array.from({ length: 120 }, replay))
  expect(new Set(replays.map(({ type }) => type))).toEqual(new Set(['replayed']))
  const last = await Promise.all(
    Array.from({ length: 99 }, () => store(creationRequest({ amount: 5, wallet, lane: 'manual' }))),
  )
  expect(last.filter(({ type }) => type === 'created').length).toBe(98)
  expect(last.filter(({ type }) => type === 'no_payable_amount_left').length).toBe(1)
})

test('amounts do not count as taken while they are looked up', async () => {
  const wallet = randomWallet()
  const newRequest = () => creationRequest({ amount: 5, wallet, lane: 'manual' })
  // Both processes draw the 99 amounts in the same order, so the second finds the first amount taken.
  await createCreationStore(db, () => 0)(newRequest())
  const store = createCreationStore(db, () => 0)
  const rest = await Promise.all(Array.from({ length: 98 }, () => store(newRequest())))
  expect(new Set(rest.map(({ type }) => type))).toEqual(new Set(['created']))
  expect((await store(newRequest())).type).toBe('no_payable_amount_left')
})

describe('for a price that has thousands of intents', () => {
  // The greatest price whose amounts are all within a cent.
  const amount = 1_000_000
  const lookups = (statements: readonly string[]) =>
    statements.filter((name) => name === 'find-free-amounts').length

  /** Creates a wallet at which all but these amounts are taken. */
  async function crowdedWallet(free: readonly number[]): Promise<Address> {
    const wallet = randomWallet()
    await createCreationStore(db, spread())(creationRequest({ amount: 9_000_000, wallet }))
    await db.pool.query(
      `insert into payable_reservations (chain_id, wallet, payable_amount_units, intent_id, since, until)
       select 84532, $1, $2::bigint + n, 'pi_other', now(), now() + interval '1 day'
       from generate_series(1, 9999) n where $2::bigint + n <> all ($3)`,
      [wallet, amount, free],
    )
    return wallet
  }

  test('a few statements find the last amount, and once as many find that none is left', async () => {
    const last = amount + 5_050
    const wallet = await crowdedWallet([last])
    const store = createCreationStore(db, spread())
    const create = () => store(creationRequest({ amount, wallet, lane: 'manual' }))
    const statements = statementsOf(db)
    expect(payableOf(await create())).toBe(last)
    expect((await create()).type).toBe('no_payable_amount_left')
    expect(lookups(statements())).toBeLessThan(10)
    const before = statements().length
    expect((await create()).type).toBe('no_payable_amount_left')
    expect(statements().length).toBe(before + 1)
  })

  test('a lone creation looks up few amounts if the first shape is used up', async () => {
    const free = Array.from({ length: 9999 }, (_, n) => amount + 1 + n).filter(
      (n) => n % 200 !== 100,
    )
    const wallet = await crowdedWallet(free)
    const store = createCreationStore(db, spread())
    const query = vi.spyOn(db.pool, 'query')
    expect((await store(creationRequest({ amount, wallet, lane: 'manual' }))).type).toBe('created')
    const calls = query.mock.calls as unknown as [
      { name: string; values: [unknown, unknown, bigint[]] },
    ][]
    query.mockRestore()
    const sizes = calls
      .filter(([{ name }]) => name === 'find-free-amounts')
      .map(([{ values }]) => values[2].length)
    expect(sizes).toEqual([49, 256])
  })

  test('creations that arrive together look up amounts together', async () => {
    const free = Array.from({ length: 32 }, (_, n) => amount + 1 + 311 * n)
    const wallet = await crowdedWallet(free)
    const store = createCreationStore(db, spread())
    const statements = statementsOf(db)
    const stored = await Promise.all(
      free.map(() => store(creationRequest({ amount, wallet, lane: 'manual' }))),
    )
    expect(stored.map(payableOf).toSorted()).toEqual(free)
    expect(lookups(statements())).toBeLessThan(10)
  })
})

test('a merchant with very many creations does not delay another', async () => {
  // With held timers, no statement counts as slow.
  holdTimers(10)
  const query = vi.spyOn(db.pool, 'query')
  onTestFinished(() => query.mockRestore())
  const store = createCreationStore(db, spread())
  const greedy = Promise.all(
    Array.from({ length: 400 }, (_, n) =>
      store(creationRequest({ amount: 3_000_000 + n * 10_007 })),
    ),
  )
  const theirs = creationRequest({ of: otherMerchant })
  await store(theirs)
  await greedy
  // It runs directly after the two batches that were under way.
  const statements = query.mock.calls.map(([statement]) =>
    String((statement as unknown as QueryConfig).values?.[0]),
  )
  expect(statements.findIndex((statement) => statement.includes(theirs.terms.id))).toBe(2)
})
