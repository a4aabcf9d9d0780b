import { chainFacts } from '@payment-intents/contract'
import { follow } from '../chain/follow.ts'
import { openProviders } from '../chain/openProviders.ts'
import type { Db } from '../db/connect.ts'

export type Logged = { readonly fields: object; readonly message: string }

/**
 * Follows the development chain by these URLs, as a server does.
 *
 * @returns a function that stops it
 */
export function followChain(options: {
  db: Db
  urls: readonly string[]
  pollMs?: number
  timeoutMs?: number
  logs?: Logged[]
  /** The clock by which providers rest, in Unix milliseconds. */
  restClock?: () => number
}): () => Promise<void> {
  const { db, urls, pollMs = 50, timeoutMs = 1_000, logs = [], restClock = Date.now } = options
  const facts = chainFacts('testnet', 'base')
  const write = (fields: object, message: string) => void logs.push({ fields, message })
  const clock = { now: () => Date.now(), random: Math.random, log: { info: write, warn: write } }
  const providers = openProviders({ ...clock, now: restClock, facts, urls, timeoutMs })
  const { chainId } = facts
  const stop = follow({ ...clock, db, providers, chainId, pollMs, latePollMs: pollMs })
  return async () => {
    await stop()
    providers.close()
  }
}
