import type { DevAccount, DevChain } from '@payment-intents/testing'
import { expect } from 'vitest'
import { until } from '../../../../../tests/support/until.ts'
import { type PollResult, pollChain } from '../../../src/chain/pollChain.ts'
import { initialState } from '../../../src/chain/polling/followerState.ts'
import { toDeferred } from '../../../src/chain/polling/quarantine.ts'
import type { SecondProvider } from '../../../src/chain/providers/secondProvider.ts'
import { createRpc, type Rpc } from '../../../src/chain/rpc/rpc.ts'
import { connect } from '../../../src/chain/rpc/rpcConnection.ts'
import { findHeaders } from '../../../src/store/chains/blocks.ts'
import { acquireLease, type Lease, releaseLease } from '../../../src/store/chains/cursors.ts'
import { findDeferred } from '../../../src/store/chains/deferredTransactions.ts'
import type { Db } from '../../../src/store/connection/connect.ts'
import { updateSettings } from '../../../src/store/merchants/settings.ts'
import { ofTest, standIn } from '../database/fixtures.ts'
import {
  createIntent,
  createTestMerchant,
  type Json,
  randomWallet,
  resolveIntent,
  type TestServer,
} from '../server/testServer.ts'
import { type ChainServer, chainServerOfFile, type startChainServer } from './chainServer.ts'

/** A clock by which the time of every chain is this machine's. */
export const wallClock = () => ({ now: Date.now() })

export type MatchMethod = 'reference' | 'manual'

/** Differences from an ordinary poll. */
type PollOptions = {
  db?: Db
  blocksPerQuery?: number
  secondProvider?: SecondProvider
  now?: () => number
}

/** A process that polls the chain when a test tells it to, and a merchant whose payments it finds. */
export type Reader = {
  readonly chain: DevChain
  readonly server: TestServer
  readonly db: Db
  readonly merchant: {
    readonly id: string
    readonly apiKey: string
    readonly wallet: `0x${string}`
  }
  readonly payer: `0x${string}`
  /** The provider that it polls. Tests replace it with faulty nodes. */
  rpc: Rpc
  readonly lease: Lease
  /** Takes the lease again, and forgets everything that is not in the database, like a process that starts. */
  takeLease(): Promise<void>
  /** Lets another process follow the chain. */
  release(): Promise<void>
  readOnce(options?: PollOptions): Promise<PollResult>
  /** Polls until no transaction is deferred. */
  readDeferred(): Promise<void>
  /** Polls twice: the second poll proves and settles payments that the first finds deep. */
  read(): Promise<PollResult>
  /** Polls after five more blocks, which the merchant's payments need. */
  settle(): Promise<PollResult>
  create(body?: Record<string, unknown>): Promise<Json>
  /** Sets `match_plain_price` for the merchant's wallet. */
  matchPlainPrice(): Promise<void>
  /**
   * Pays the requested amount, or another.
   * @returns the transaction's hash
   */
  pay(intent: Json, method: MatchMethod, amount?: number): Promise<string>
  /** Creates an intent, and pays it in this way. */
  paid(method: MatchMethod, amount?: number): Promise<Json>
  resolved(intent: Json): Promise<Json>
  /** The types of an intent's events without `payment_intent.`. Expects a sequence without gaps. */
  eventsOf(intent: Json): Promise<string[]>
  /** The reasons why transfers are unmatched, by block; null: the transfer is credited. */
  reasons(): Promise<(string | null)[]>
}

/** @param shared is reset, so that nothing of an earlier reader remains */
async function startReader(shared: ChainServer): Promise<Reader> {
  const { chain, server } = shared
  const [, payer] = chain.accounts as [DevAccount, DevAccount]
  await shared.reset()
  const { db } = server
  const wallet = randomWallet()
  const merchant = { wallet, ...(await createTestMerchant(db, { wallet })) }
  let rpc = createRpc(connect(chain.url), [chain.token])
  let lease = await acquire()
  let state = initialState([])

  async function acquire(): Promise<Lease> {
    return (await acquireLease(db, chain.chainId)) ?? expect.fail('the lease is held')
  }

  async function readOnce(options: PollOptions = {}): Promise<PollResult> {
    const polled: PollResult = await pollChain(
      { db, rpc, lease, now: () => Date.now(), ...options },
      state,
    )
    if ('state' in polled) state = polled.state
    return polled
  }

  const create: Reader['create'] = (body = {}) => createIntent(server, merchant.apiKey, body)
  const pay: Reader['pay'] = async (intent, method, amount = intent.payable_amount_units) => {
    const { hash } = await chain.pay({
      from: payer.address,
      to: intent.expected_wallet,
      amount: BigInt(amount),
      ...(method === 'reference' ? { reference: intent.payment_reference } : {}),
    })
    return hash
  }

  async function read(): Promise<PollResult> {
    for (let there = 0; ; ) {
      const polled = await readOnce()
      if (polled.type !== 'catching_up') there += 1
      if (there === 2) return polled
    }
  }

  return {
    ...{ chain, server, db, merchant, payer: payer.address, readOnce },
    get rpc() {
      return rpc
    },
    set rpc(other) {
      rpc = other
    },
    get lease() {
      return lease
    },
    async readDeferred() {
      await until(async () => {
        const all = [...state.deferred.values()]
        state = {
          ...state,
          deferred: toDeferred(all.map((deferral) => ({ ...deferral, retryAt: 0 }))),
        }
        await readOnce()
        expect([...state.deferred.keys()]).toEqual([])
      })
    },
    async takeLease() {
      await releaseLease(db, lease)
      lease = await acquire()
      const deferred = await findDeferred(db.pool, chain.chainId, Date.now())
      state = initialState(await findHeaders(db.pool, chain.chainId), deferred)
    },
    release: () => releaseLease(db, lease),
    read,
    async settle() {
      await chain.mine(5)
      return read()
    },
    ...{ create, pay },
    async matchPlainPrice() {
      const base = { mode: 'testnet', chain: 'base' } as const
      await updateSettings(db, merchant.id, { chains: [{ ...base, matchPlainPrice: true }] })
    },
    async paid(method, amount) {
      const intent = await create()
      await pay(intent, method, amount)
      return intent
    },
    resolved: (intent) => resolveIntent(server, intent.client_secret),
    async eventsOf(intent) {
      const { rows } = await db.pool.query(
        'select type, sequence from events where intent_id = $1 order by sequence',
        [intent.id],
      )
      expect(rows.map((row) => row.sequence)).toEqual(rows.map((_, index) => index + 1))
      return rows.map((row) => row.type.replace('payment_intent.', ''))
    },
    async reasons() {
      const { rows } = await db.pool.query(
        'select reason from transfers where not orphaned order by block_number, log_index',
      )
      return rows.map(({ reason }) => reason)
    },
  }
}

/** A reader for each test of a file. All of them share a chain and a database. */
export function readerOfTest(options: Parameters<typeof startChainServer>[0] = {}): {
  readonly reader: Reader
  readonly chain: DevChain
} {
  const shared = chainServerOfFile(options)
  const reader = ofTest(
    () => startReader(shared),
    () => {},
  )
  return { reader, chain: standIn(() => shared.chain) }
}

/** Makes a reader watch so many wallets that it reads all transfers of the token. */
export async function watchMany({ db, chain }: Reader): Promise<void> {
  await db.pool.query(
    `insert into watched_topics (chain_id, topic, since, until)
     select $1, '0x' || lpad(to_hex(n), 40, '0'), now(), now() + interval '1 day'
     from generate_series(1, 3001) n`,
    [chain.chainId],
  )
}
