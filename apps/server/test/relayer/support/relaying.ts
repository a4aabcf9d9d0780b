import { chainFacts } from '@payment-intents/contract'
import type { DevAccount, DevChain } from '@payment-intents/testing'
import { expect, onTestFinished } from 'vitest'
import { until } from '../../../../../tests/support/until.ts'
import { openProviders } from '../../../src/chain/providers/openProviders.ts'
import { openSigner } from '../../../src/relayer/account/openSigner.ts'
import { type Memory, newMemory } from '../../../src/relayer/cycle/relayerMemory.ts'
import { type CycleResult, runRelayerCycle } from '../../../src/relayer/cycle/runRelayerCycle.ts'
import type { RelayContext, RelayLimits } from '../../../src/relayer/relayContext.ts'
import { storeAuthorization } from '../../../src/store/authorizations/authorizations.ts'
import { storeRefundAuthorization } from '../../../src/store/authorizations/refundAuthorizations.ts'
import { withdrawAuthorizations } from '../../../src/store/authorizations/withdrawAuthorizations.ts'
import type { Db } from '../../../src/store/connection/connect.ts'
import { newId } from '../../../src/store/lists/ids.ts'
import { acquireRelayLease, releaseRelayLease } from '../../../src/store/relaying/leases.ts'
import type { ChainServer } from '../../support/chain/chainServer.ts'
import { sign } from '../../support/chain/signAuthorization.ts'
import { storeRefund } from '../../support/database/storeRefund.ts'
import {
  createIntent,
  createTestMerchant,
  type Json,
  randomWallet,
} from '../../support/server/testServer.ts'
import { checkRelayed, type Relayed } from './checkRelayed.ts'

type Hex = `0x${string}`
const gwei = 10n ** 9n
export const confirmations = 3

const generous: RelayLimits = {
  maxFeePerGas: 100n * gwei,
  dailySpend: 10n ** 19n,
  merchantDailySpend: 10n ** 19n,
}

/** An authorization that was submitted. */
export type HandedIn = {
  readonly id: string
  readonly intent: Json
  readonly message: Parameters<typeof sign>[2]
  readonly signature: Hex
}

/** A relayer that runs when a test runs it, and payers. */
export type Relaying = {
  readonly chain: DevChain
  readonly db: Db
  readonly address: Hex
  readonly key: Hex
  readonly merchantId: string
  readonly logs: { fields: object; message: string }[]
  context(options?: { urls?: readonly string[]; limits?: Partial<RelayLimits> }): RelayContext
  /** Submits an authorization without checks. */
  submitAuthorization(options?: {
    payer?: DevAccount
    /** The API key of another merchant. */
    apiKey?: string
    /** Replaces the payer's signature, for example with a signature that only code accepts. */
    signature?: Hex
    amount?: number
    seconds?: number
  }): Promise<HandedIn>
  /**
   * Submits the signature of a refund without checks.
   * @returns the authorization's id
   */
  signRefund(options: { merchantId: string; shop: DevAccount; amount?: number }): Promise<string>
  /** Runs a cycle of a process with this memory. */
  cycle(options?: { memory?: Memory; context?: RelayContext }): Promise<CycleResult>
  /** Runs cycles and mines blocks until everything is final on the chain. */
  settle(options?: { memory?: Memory; context?: RelayContext }): Promise<void>
  /** Withdraws authorizations, as every server does each second. */
  withdraw(): ReturnType<typeof withdrawAuthorizations>
  rows(): Promise<Json[]>
  status(id: string): Promise<Json>
  check(others?: readonly string[]): Promise<Relayed>
}

/** @param shared is reset, so that nothing of an earlier test remains */
export async function startRelaying(shared: ChainServer): Promise<Relaying> {
  await shared.reset()
  const { chain, server } = shared
  // Otherwise this test would mine a transaction that an earlier test sent late.
  await chain.rpc('anvil_dropAllTransactions')
  const { db } = server
  const [, payer] = chain.accounts as [DevAccount, DevAccount]
  const { privateKey: key } = chain.accounts[8] ?? expect.fail('ten accounts')
  const signer = openSigner(key)
  const facts = chainFacts('testnet', 'base')
  const merchant = await createTestMerchant(db, { wallet: randomWallet() })
  const logs: Relaying['logs'] = []
  const balance = BigInt(await chain.rpc<Hex>('eth_getBalance', [signer.address, 'latest']))
  const from = Number(await chain.rpc<Hex>('eth_blockNumber'))
  const write = (fields: object, message: string) => void logs.push({ fields, message })

  const context: Relaying['context'] = ({ urls = [chain.url], limits = {} } = {}) => {
    const log = { info: write, warn: write }
    const clock = { now: () => Date.now(), databaseNow: Date.now, random: () => 0 }
    const providers = openProviders({ ...clock, log, facts, urls, timeoutMs: 20_000 })
    onTestFinished(() => providers.close())
    const database = { report: (error: unknown) => write({ err: error }, 'database trouble') }
    const context = { db, database, log, facts, providers, signer, confirmations }
    return { ...context, limits: { ...generous, ...limits } }
  }
  const standard = { memory: newMemory(), context: context() }

  const runCycle: Relaying['cycle'] = async (options) => {
    const { memory, context: used } = { ...standard, ...options }
    const lease =
      (await acquireRelayLease(db, chain.chainId)) ?? expect.fail('another process submits')
    try {
      const result = await runRelayerCycle(used, lease, memory)
      await waitForAutomine()
      return result
    } finally {
      await releaseRelayLease(db, lease)
    }
  }

  /** Anvil responds before it mines, even with automine. */
  async function waitForAutomine(): Promise<void> {
    if (!(await chain.rpc<boolean>('anvil_getAutomine'))) return
    await until(async () => {
      const { pending } = await chain.rpc<{ pending: Hex }>('txpool_status')
      if (Number(pending) > 0) throw new Error(`${Number(pending)} transactions have no block`)
    })
  }

  /** A time after the newest block, in Unix seconds. */
  async function chainTime(later: number): Promise<string> {
    type Block = { timestamp: Hex }
    const { timestamp } = await chain.rpc<Block>('eth_getBlockByNumber', ['latest', false])
    return String(Number(timestamp) + later)
  }

  async function readRows(): Promise<Json[]> {
    const { rows } = await db.pool.query(
      `select nonce::int, state, succeeded, authorization_id, tx_hash, max_fee_per_gas as max_fee
       from relayer_transactions order by nonce, max_fee_per_gas`,
    )
    return rows
  }

  return {
    ...{ chain, db, key, address: signer.address as Hex, merchantId: merchant.id, logs, context },
    cycle: runCycle,
    async submitAuthorization(options = {}) {
      const { payer: by = payer, amount = 2_000_000, seconds = 1_500 } = options
      const { apiKey = merchant.apiKey } = options
      const intent = await createIntent(server, apiKey, { amount_units: amount })
      const validBefore = Number(await chainTime(seconds))
      const message = {
        ...{ from: by.address.toLowerCase(), to: intent.expected_wallet.toLowerCase() },
        ...{ value: String(amount), validAfter: '0', validBefore: String(validBefore) },
        nonce: intent.payment_reference,
      }
      const signature = options.signature ?? (await sign(chain, by, message))
      const id = newId('auth', Date.now())
      await storeAuthorization(db.pool, {
        ...{
          id,
          chainId: chain.chainId,
          intentId: intent.id,
          signature,
          claimant: null,
          source: 'checkout',
        },
        ...{ from: message.from as Hex, nonce: message.nonce, to: message.to as Hex },
        ...{ token: chain.token.toLowerCase() as Hex, value: BigInt(amount) },
        ...{ validAfter: 0, validBefore },
      })
      return { id, intent, message, signature }
    },
    async signRefund({ merchantId, shop, amount = 10_000 }) {
      const intent = await createIntent(server, merchant.apiKey)
      const refundId = await storeRefund(db, { merchantId, intentId: intent.id, status: 'pending' })
      const { rows } = await db.pool.query('select refund_reference from refunds where id = $1', [
        refundId,
      ])
      const message = {
        ...{ from: shop.address.toLowerCase() as Hex, to: randomWallet(), value: String(amount) },
        ...{
          validAfter: '0',
          validBefore: await chainTime(1_500),
          nonce: rows[0].refund_reference,
        },
      }
      const id = newId('auth', Date.now())
      await storeRefundAuthorization(db.pool, {
        ...{ id, refundId, chainId: chain.chainId, token: chain.token.toLowerCase() as Hex },
        ...{ from: message.from, to: message.to, value: BigInt(amount), nonce: message.nonce },
        ...{ validAfter: 0, validBefore: Number(message.validBefore), codeHash: null },
        signature: await sign(chain, shop, message),
      })
      return id
    },
    async settle(options) {
      let before = ''
      for (let round = 0; (await runCycle(options)) !== 'idle'; round++) {
        const rows = await readRows()
        const isOver = rows.every(({ state }) => state === 'final' || state === 'dropped')
        // Stop if nothing changes: an authorization may wait for something else than the chain.
        if (isOver && before === print(rows)) return
        before = print(rows)
        if (round > 60)
          throw new Error(`It never ends: ${before} ${JSON.stringify(logs.slice(-5))}`)
        await chain.mine()
      }
    },
    withdraw: () => withdrawAuthorizations(db),
    rows: readRows,
    async status(id) {
      const { rows } = await db.pool.query(
        'select status, reason, tx_hash from authorizations where id = $1',
        [id],
      )
      return rows[0]
    },
    check: (others) =>
      checkRelayed({ chain, db }, { relayer: signer.address, balance, from, others: others ?? [] }),
  }
}

function print(rows: Json[]): string {
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}
