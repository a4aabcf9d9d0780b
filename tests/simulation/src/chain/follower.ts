import { pollChain } from '@payment-intents/server/src/chain/pollChain.ts'
import {
  type FollowerState,
  initialState,
} from '@payment-intents/server/src/chain/polling/followerState.ts'
import type { Rpc } from '@payment-intents/server/src/chain/rpc/rpc.ts'
import { findHeaders } from '@payment-intents/server/src/store/chains/blocks.ts'
import { acquireLease, type Lease } from '@payment-intents/server/src/store/chains/cursors.ts'
import { findDeferred } from '@payment-intents/server/src/store/chains/deferredTransactions.ts'
import type { Db } from '@payment-intents/server/src/store/connection/connect.ts'
import type { DbErrorClass } from '../plan/faults.ts'

/** A process that follows the chain: the state that it would lose if it were killed. */
export type Follower = { readonly lease: Lease; readonly state: FollowerState }

export type PollResult =
  | { type: 'read' | 'idle' | 'behind'; follower: Follower }
  /** The process gave up or died; the next process begins anew. */
  | { type: 'failed'; error: Error }

export class Killed extends Error {}

/** Takes the lease, as when its holder has not renewed it for long enough. */
export async function startFollower(db: Db, chainId: number, now: number): Promise<Follower> {
  await db.pool.query(`update chain_cursors set lease_until = '-infinity' where chain_id = $1`, [
    chainId,
  ])
  const lease = await acquireLease(db, chainId)
  if (!lease) throw new Error(`The lease of chain ${chainId} is held by nobody and not given.`)
  const deferred = await findDeferred(db.pool, chainId, now)
  return { lease, state: initialState(await findHeaders(db.pool, chainId), deferred) }
}

/** Reads until nothing is left to read, the provider is behind, or the process ends. */
export async function readAll(
  db: Db,
  rpc: Rpc,
  follower: Follower,
  now: number,
): Promise<PollResult> {
  let { state } = follower
  try {
    for (let polls = 0; polls < 1_000; polls += 1) {
      const polled = await pollChain({ db, rpc, lease: follower.lease, now: () => now }, state)
      if ('state' in polled) state = polled.state
      const next = { lease: follower.lease, state }
      if (polled.type === 'idle') return { type: 'idle', follower: next }
      if (polled.type === 'provider_behind') return { type: 'behind', follower: next }
      if (polled.type === 'current') return { type: 'read', follower: next }
    }
  } catch (error) {
    return { type: 'failed', error: error as Error }
  }
  throw new Error('The chain was read 1,000 times and there was always more.')
}

/**
 * A database that meets the trouble in the transaction that writes a reading.
 *
 * @param beforeWriting called once, after the chain was read and before anything is written
 */
export function withDbError(db: Db, dbError: DbErrorClass, beforeWriting: () => Promise<void>): Db {
  let met = false
  const connect = async () => {
    const first = !met
    met = true
    if (first) await beforeWriting()
    const client = await db.pool.connect()
    let statement = 0
    const query = async (...args: unknown[]) => {
      const [text] = args
      if (text === 'rollback') return run(...args)
      if (first && dbError.type === 'crash' && statement === dbError.statement) throw new Killed()
      statement += 1
      const result = await run(...args)
      if (first && dbError.type === 'crash_after_commit' && text === 'commit') throw new Killed()
      return result
    }
    const run = client.query.bind(client) as unknown as (...args: unknown[]) => Promise<unknown>
    return { query, release: client.release.bind(client) }
  }
  const pool = { query: db.pool.query.bind(db.pool), connect }
  return { pool: pool as unknown as Db['pool'] }
}
