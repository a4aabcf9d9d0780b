import { getAddress } from 'viem'
import { expect, onTestFinished } from 'vitest'
import { patience } from '../../../../tests/support/patience.ts'
import { until } from '../../../../tests/support/until.ts'
import { developmentChain } from '../../src/chain/development/developmentChain.ts'
import { connect, requestTimeouts } from '../../src/store/connection/connect.ts'
import { closeMerchant } from '../../src/store/merchants/merchants.ts'
import type { Reader } from '../support/chain/readerOfTest.ts'
import { sign } from '../support/chain/signAuthorization.ts'
import { startDatabaseProxy } from '../support/database/databaseProxy.ts'
import { createTestDb, testTimeouts } from '../support/database/testDb.ts'
import { readAt, simulateAt } from '../support/server/authorizing.ts'
import { type MerchantApi, merchantApi } from '../support/server/merchantApi.ts'
import {
  createTestKey,
  createTestMerchant,
  randomWallet,
  startTestServer,
  type TestServer,
} from '../support/server/testServer.ts'
import { startReceiver } from '../support/server/webhookReceiver.ts'
import type { Recorded, WorldAction } from './wireRequests.ts'

export type World = {
  readonly servers: Readonly<Record<Recorded['to'], TestServer>>
  /** The values to which requests refer by name. */
  readonly names: Readonly<Record<string, string>>
  /** @returns more such values */
  run(run: WorldAction): Promise<Readonly<Record<string, string>>>
}

/** Creates servers with the same database, a merchant, a chain, and a receiver of webhooks. */
export async function createWorld(reader: Reader): Promise<World> {
  const { db, chain, merchant } = reader
  const receiver = await startReceiver()
  const none = { max: 0, windowMs: 1_000 }
  // A request whose idempotency key is held waits for this time.
  const impatient = connect({
    url: db.pool.options.connectionString ?? '',
    poolSize: 10,
    timeouts: { ...testTimeouts, lock: 1_000 },
  })
  // The server has the machine's clock, like the reader: ids are not always in order if a clock follows a chain's.
  const [server, helpers, limited, gasless, away] = await Promise.all([
    startTestServer({ db: impatient, webhooks: 'delivering' }),
    startTestServer({ db, developmentChain: developmentChain(chain) }),
    startTestServer({ db, resolveLimit: none }),
    startTestServer({
      ...{ db, gasless: { isConfigured: () => false, isOffered: () => true } },
      simulateTransfer: simulateAt(chain.url),
      readTransaction: readAt(chain),
    }),
    startAway(),
  ])
  const closed = await createTestMerchant(db)
  await closeMerchant(db.pool, closed.id)
  const otherMerchant = await createTestMerchant(db)
  const holder = await db.pool.connect()
  onTestFinished(async () => {
    holder.release()
    await Promise.all(
      [server, helpers, limited, gasless, away].map((testServer) => testServer.close()),
    )
    await receiver.close()
    await impatient.pool.end()
  })
  const api = merchantApi(server, merchant.apiKey)

  const actions: Record<WorldAction, () => Promise<unknown>> = {
    'read the chain': reader.read,
    async 'hold the idempotency key order-3'() {
      await holder.query('begin; set local idle_in_transaction_session_timeout = 0')
      await holder.query(
        `insert into idempotency_keys (merchant_id, mode, route, key, request_hash, response, secret_key)
         values ($1, 'testnet', 'POST /v1/payment_intents', 'order-3', '', '{}', '')`,
        [merchant.id],
      )
    },
    'release the idempotency key order-3': () => holder.query('rollback'),
    'reserve every payable amount above 7 units': () =>
      db.pool.query(
        `insert into payable_reservations (chain_id, wallet, payable_amount_units, intent_id, since, until)
         select $1, $2, n, 'pi_other', now(), now() + interval '1 day' from generate_series(8, 7 + 99) n`,
        [chain.chainId, merchant.wallet],
      ),
    'wait until every webhook is delivered': () => until(() => expectDelivered(api)),
    'sign what is offered to a payer without gas': () => signNewest(reader),
    'sign the newest refund': () => signRefund(reader),
    'pay the newest refund by hand': () => payRefund(reader),
    'cut the connection to the database': away.cut,
  }
  return {
    servers: { server, helpers, limited, gasless, away: away.server },
    names: {
      key: merchant.apiKey,
      other_key: otherMerchant.apiKey,
      closed_key: closed.apiKey,
      read_only_key: await createTestKey(db, merchant.id, 'testnet', 'read_only'),
      wallet: getAddress(merchant.wallet),
      other_wallet: getAddress(randomWallet()),
      payer: reader.payer,
      receiver: receiver.url,
      yesterday: new Date(Date.now() - 24 * 60 * 60 * 1_000).toISOString(),
    },
    async run(action) {
      const names = await actions[action]()
      return /^(sign|pay) /.test(action) ? (names as Record<string, string>) : {}
    },
  }
}

type Signature = { reference: string; expires: string; signature: string }

/** Signs the authorization of the newest intent. */
async function signNewest({ db, chain, merchant }: Reader): Promise<Signature> {
  const { rows } = await db.pool.query(
    `select payment_reference, extract(epoch from expires_at)::bigint::text as expires,
       amount_units::text as price from payment_intents order by id desc limit 1`,
  )
  const [{ payment_reference: reference, expires, price }] = rows
  const payer = chain.accounts[1] ?? expect.fail('no account')
  const authorization = {
    ...{ from: payer.address, to: merchant.wallet, value: price, nonce: reference },
    ...{ validAfter: '0', validBefore: expires },
  }
  return { reference, expires, signature: await sign(chain, payer, authorization) }
}

/** Signs the newest refund by a refund wallet of the merchant. */
async function signRefund({ db, chain, merchant }: Reader): Promise<Record<string, string>> {
  const shop = chain.accounts[5] ?? expect.fail('no account')
  await db.pool.query('insert into refund_wallets (merchant_id, address) values ($1, lower($2))', [
    ...[merchant.id, shop.address],
  ])
  const { destination: to, amount_units: value, refund_reference: nonce } = await newestRefund(db)
  const until = String(Math.floor(Date.now() / 1000) + 600)
  const terms = { value: String(value), validAfter: '0', validBefore: until, nonce }
  const signature = await sign(chain, shop, { from: shop.address, to, ...terms })
  return {
    refund_wallet: shop.address,
    refund_nonce: nonce,
    refund_until: until,
    refunded: signature,
  }
}

/** Pays the newest refund from a treasury, which is no wallet of the merchant. */
async function payRefund({ db, chain }: Reader): Promise<Record<string, string>> {
  const from = chain.accounts[6]?.address ?? expect.fail('no account')
  const { destination: to, amount_units: amount } = await newestRefund(db)
  const { hash } = await chain.pay({ from, to, amount })
  return { payout: hash }
}

async function newestRefund(db: Reader['db']) {
  const { rows } = await db.pool.query('select * from refunds order by id desc limit 1')
  return rows[0]
}

/** Expects that all deliveries succeeded. Deliveries are written with their event, so none is missing. */
async function expectDelivered(api: MerchantApi): Promise<void> {
  for (const { id } of (await api.read('/v1/webhook_endpoints')).data) {
    const { data } = await api.read(`/v1/webhook_endpoints/${id}/deliveries`, { limit: '100' })
    for (const { status } of data) expect(status).toBe('succeeded')
  }
}

/** Starts a server whose connection to its database can be cut. */
async function startAway() {
  const database = await createTestDb()
  const proxy = await startDatabaseProxy(database.url)
  const db = connect({ url: proxy.url, poolSize: 2, timeouts: requestTimeouts(patience / 40) })
  const server = await startTestServer({ db })
  return {
    ...{ server, cut: proxy.cut },
    async close() {
      await proxy.restore()
      await server.close()
      await db.pool.end()
      await proxy.cut()
      await database.close()
    },
  }
}
