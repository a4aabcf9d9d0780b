import { chainFacts } from '@payment-intents/contract'
import type { DevAccount } from '@payment-intents/testing'
import { onTestFinished } from 'vitest'
import { openProviders } from '../../../src/chain/providers/openProviders.ts'
import { openSigner } from '../../../src/relayer/account/openSigner.ts'
import { newMemory } from '../../../src/relayer/cycle/relayerMemory.ts'
import { runRelayerCycle } from '../../../src/relayer/cycle/runRelayerCycle.ts'
import { acquireRelayLease, releaseRelayLease } from '../../../src/store/relaying/leases.ts'
import type { Reader } from '../../support/chain/readerOfTest.ts'
import type { Json } from '../../support/server/testServer.ts'

export type SingleRelayer = {
  /** Runs a cycle. */
  cycle(): Promise<void>
  /** The transactions that carry the signature of an intent or a refund, oldest first. */
  sent(subject: Json): Promise<`0x${string}`[]>
}

/** A relayer beside a reader. It runs when a test runs it, and forgets its deferrals. */
export function singleRelayer({ chain, db }: Pick<Reader, 'chain' | 'db'>): SingleRelayer {
  const facts = chainFacts('testnet', 'base')
  const log = { info: () => {}, warn: () => {} }
  const clock = { now: () => Date.now(), databaseNow: Date.now, random: () => 0 }
  const providers = openProviders({ ...clock, log, facts, urls: [chain.url] })
  onTestFinished(() => providers.close())
  const coin = 10n ** 18n
  const { privateKey } = chain.accounts[8] as DevAccount
  const context = {
    ...{ db, log, facts, providers, confirmations: 3, database: { report: () => {} } },
    signer: openSigner(privateKey),
    limits: { maxFeePerGas: coin, dailySpend: coin, merchantDailySpend: coin },
  }
  return {
    async cycle() {
      const lease = await acquireRelayLease(db, chain.chainId)
      if (!lease) throw new Error('Another process submits.')
      await runRelayerCycle(context, lease, newMemory()).finally(() => releaseRelayLease(db, lease))
    },
    async sent({ id }) {
      const { rows } = await db.pool.query(
        `select t.tx_hash from relayer_transactions t
         join authorizations a on a.id = t.authorization_id
         where coalesce(a.intent_id, a.refund_id) = $1 order by t.created_at`,
        [id],
      )
      return rows.map(({ tx_hash }) => tx_hash)
    },
  }
}
