import { setTimeout as sleep } from 'node:timers/promises'
import { startDevChain } from '@payment-intents/testing'
import { follow } from '../../apps/server/src/chain/follow.ts'
import { openProviders } from '../../apps/server/src/chain/providers/openProviders.ts'
import { ascending } from '../numbers.ts'
import { facts } from './measurePolling.ts'
import { chainId, type Setting } from './watchSetting.ts'

/** Milliseconds from the block of the last confirmation to `succeeded` in resolve, sorted. */
export async function settleLatency(
  setting: Setting,
  options: { pollMs: number; sockets: boolean; samples: number },
): Promise<number[]> {
  const { pollMs, sockets, samples } = options
  const chain = await startDevChain({ blockTime: 0 })
  await setting.db.pool.query(
    'truncate payment_intents, watched_topics, chain_cursors, chain_blocks cascade',
  )
  const urls = sockets ? [chain.url, chain.url.replace('http', 'ws')] : [chain.url]
  const random = Math.random
  const log = { debug() {}, info() {}, warn() {} }
  const providers = openProviders({
    ...{ facts, urls, now: Date.now, databaseNow: Date.now, random, log },
  })
  await providers.start(5_000)
  const stop = follow({
    ...{
      db: setting.db,
      database: { report() {} },
      providers,
      chainId,
      pollMs,
      latePollMs: pollMs,
    },
    ...{ now: Date.now, random, log },
  })
  const [, payer] = chain.accounts
  if (!payer) throw new Error('the chain has no accounts')
  const latencies: number[] = []
  for (let sample = 0; sample < samples; sample += 1) {
    const intent = await setting.create()
    const { expected_wallet: to, payable_amount_units, payment_reference: reference } = intent
    await chain.pay({ from: payer.address, to, amount: BigInt(payable_amount_units), reference })
    await chain.mine(3)
    while ((await setting.resolve(intent)).status !== 'pending_confirmations') await sleep(5)
    // At any moment between two polls.
    await sleep(Math.random() * pollMs)
    await chain.mine(1)
    const confirmed = performance.now()
    while ((await setting.resolve(intent)).status !== 'succeeded') await sleep(2)
    latencies.push(performance.now() - confirmed)
  }
  await stop()
  providers.close()
  await chain.stop()
  return latencies.sort(ascending)
}
