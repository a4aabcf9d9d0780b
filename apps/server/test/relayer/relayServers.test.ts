import { randomBytes } from 'node:crypto'
import type { DevAccount } from '@payment-intents/testing'
import { expect, onTestFinished, test } from 'vitest'
import { slowness } from '../../../../tests/support/patience.ts'
import { isFull } from '../../../../tests/support/tier.ts'
import { until } from '../../../../tests/support/until.ts'
import { chainServerOfFile } from '../support/chain/chainServer.ts'
import { ofTest } from '../support/database/fixtures.ts'
import { type ServerProcess, startServer } from '../support/server/serverProcess.ts'
import { createTestMerchant, randomWallet } from '../support/server/testServer.ts'
import { hostileAccounts, longSignature } from './support/hostileAccounts.ts'
import { startRelaying } from './support/relaying.ts'

const shared = chainServerOfFile()
const relaying = ofTest(
  () => startRelaying(shared),
  () => {},
)

/** The servers of a test share this secret. */
const secret = randomBytes(32).toString('hex')

/** @param isRelayer whether it broadcasts. Every server withdraws */
async function startProcess(isRelayer: boolean): Promise<ServerProcess> {
  const server = await startServer({
    DATABASE_URL: shared.server.db.pool.options.connectionString,
    SERVER_SECRET: secret,
    RPC_URL_BASE_TESTNET: relaying.chain.url,
    ...(isRelayer ? { RELAYER_KEY_BASE_TESTNET: relaying.key } : {}),
  })
  onTestFinished(async () => void (await server.end('SIGTERM')))
  return server
}

/** Makes the chain mine a block each second. */
async function startBlocks(): Promise<void> {
  const { rpc } = relaying.chain
  await rpc('evm_setAutomine', [false])
  await rpc('evm_setIntervalMining', [1])
  onTestFinished(async () => {
    await rpc('evm_setIntervalMining', [0])
    await rpc('anvil_dropAllTransactions')
    await rpc('evm_setAutomine', [true])
  })
}

/** The number of payments that the honest payers can make without a wait. */
const honestPayments = isFull ? 30 : 8

test.each(isFull ? [1, 50, 500] : [50])(
  'beside %i hostile accounts, a server broadcasts each payment of another merchant within ten seconds',
  async (count) => {
    const { db, chain } = relaying
    const hostile = hostileAccounts(relaying)
    const accounts = await hostile.create(count)
    const { apiKey } = await createTestMerchant(db, { wallet: randomWallet() })
    const payers = [2, 3, 5, 6].map((index) => chain.accounts[index] as DevAccount)
    for (const payer of accounts)
      await relaying.submitAuthorization({ payer, signature: longSignature })
    await startBlocks()
    await startProcess(true)
    const waits: number[] = []
    for (let sent = 0; sent < honestPayments; sent += 1) {
      const payer = payers[sent % payers.length] as DevAccount
      const { id } = await relaying.submitAuthorization({ payer, apiKey })
      const since = performance.now()
      await until(async () => expect((await relaying.status(id)).tx_hash).not.toBeNull())
      waits.push((performance.now() - since) / 1_000)
      // Every broadcast transaction is in a block, or soon will be.
      if (sent === Math.floor(honestPayments / 2)) await hostile.dropCode(accounts)
    }
    expect(Math.max(...waits), waits.join()).toBeLessThan(10 * slowness)
  },
)

test('either the server that withdraws or the server that broadcasts acts on an authorization, never both', async () => {
  const { chain, db } = relaying
  // Blocks are not mined, so that broadcast authorizations wait, and could be withdrawn by mistake.
  await chain.rpc('evm_setAutomine', [false])
  onTestFinished(async () => {
    await chain.rpc('anvil_dropAllTransactions')
    await chain.rpc('evm_setAutomine', [true])
  })
  await startProcess(true)
  await startProcess(false)
  const outcomes = { broadcast: 0, withdrawn: 0 }
  /** Authorizations that were both withdrawn and sent, or neither. */
  const invalid: unknown[] = []
  const withdrawAll = async (ids: readonly string[]) => {
    // No relayer sends an authorization that ends so soon.
    const last = await relaying.submitAuthorization({ seconds: 5 })
    await db.pool.query(
      `update authorizations set created_at = created_at - interval '1 minute' where id = any($1)`,
      [[...ids, last.id]],
    )
    await until(async () =>
      expect(await relaying.status(last.id)).toMatchObject({ reason: 'gasless_unavailable' }),
    )
  }
  await until(async () => {
    const all = await Promise.all(Array.from({ length: 40 }, () => relaying.submitAuthorization()))
    const ids = all.map(({ id }) => id)
    // Withdrawal and broadcast become due at about the same time: the server checks withdrawals each second, broadcasts every two.
    await db.pool.query(
      `update authorizations set created_at = now() - make_interval(secs => 13 + 2 * random())
       where id = any($1) and tx_hash is null`,
      [ids],
    )
    await until(async () => {
      const { rows } = await db.pool.query(
        `select from authorizations where id = any($1) and status = 'in_flight' and tx_hash is null`,
        [ids],
      )
      expect(rows).toEqual([])
    })
    await withdrawAll(ids)
    const { rows } = await db.pool.query(
      `select a.status, count(t.tx_hash)::int as sent from authorizations a
       left join relayer_transactions t on t.authorization_id = a.id
       where a.id = any($1) group by a.id`,
      [ids],
    )
    for (const { sent } of rows) outcomes[sent > 0 ? 'broadcast' : 'withdrawn'] += 1
    invalid.push(
      ...rows.filter(({ status, sent }) => status !== (sent > 0 ? 'in_flight' : 'refused')),
    )
    if (invalid.length > 0) return
    expect(Math.min(outcomes.broadcast, outcomes.withdrawn)).toBeGreaterThan(0)
  })
  expect(invalid).toEqual([])
  // Check the chain too: no other authorization is ever used.
  await until(async () => {
    await chain.mine()
    const { rows } = await db.pool.query(`select from relayer_transactions where state = 'pending'`)
    expect(rows).toEqual([])
  })
  expect(await relaying.check()).toMatchObject({ used: outcomes.broadcast, reverts: 0 })
})
