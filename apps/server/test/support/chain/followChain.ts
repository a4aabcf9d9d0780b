import { type Chain, chainFacts } from '@payment-intents/contract'
import { patience } from '../../../../../tests/support/patience.ts'
import { follow } from '../../../src/chain/follow.ts'
import { openProviders } from '../../../src/chain/providers/openProviders.ts'
import type { Db } from '../../../src/store/connection/connect.ts'

export type Logged = { readonly fields: object; readonly message: string }

/**
 * Follows the development chain by these URLs, as a server does.
 * @returns a function that stops it
 */
export function followChain(options: {
  db: Db
  urls: readonly string[]
  /** The testnet that the chain replaces; by default Base's. */
  chain?: Chain
  pollMs?: number
  /** `pollMs` by default. */
  latePollMs?: number
  timeoutMs?: number
  logs?: Logged[]
  /** The clock of the providers' backoffs, in Unix milliseconds. */
  backoffClock?: () => number
  /** Seconds between the blocks of a development chain; by default it makes blocks all the time. */
  blockSeconds?: () => Promise<number | null>
}): () => Promise<void> {
  const {
    db,
    urls,
    chain = 'base',
    pollMs = 50,
    latePollMs = pollMs,
    timeoutMs = Math.ceil(patience / 20),
    logs = [],
    backoffClock = Date.now,
    blockSeconds,
  } = options
  const facts = chainFacts('testnet', chain)
  const write = (fields: object, message: string) => void logs.push({ fields, message })
  const clock = {
    now: () => Date.now(),
    random: Math.random,
    log: { debug: write, info: write, warn: write },
  }
  const providers = openProviders({
    ...clock,
    now: backoffClock,
    databaseNow: backoffClock,
    facts,
    urls,
    timeoutMs,
  })
  const { chainId } = facts
  const database = { report: (error: unknown) => write({ err: error }, 'database trouble') }
  const stop = follow({
    ...{ ...clock, db, database, providers, chainId, pollMs, latePollMs, blockSeconds },
  })
  return async () => {
    await stop()
    providers.close()
  }
}
