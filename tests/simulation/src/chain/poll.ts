import { LeaseLost } from '@payment-intents/server/src/store/chains/cursors.ts'
import type { Db } from '@payment-intents/server/src/store/connection/connect.ts'
import pg from 'pg'
import type { Plan } from '../plan/drawPlan.ts'
import { noFaults } from '../plan/faults.ts'
import { Violation } from '../violation.ts'
import type { Chain } from './chain.ts'
import type { ChainConditions } from './chainConditions.ts'
import {
  type Follower,
  Killed,
  type PollResult,
  readAll,
  startFollower,
  withDbError,
} from './follower.ts'
import { createSimulatedRpc } from './simulatedRpc.ts'

type PollParams = {
  readonly db: Db
  readonly plan: Plan
  readonly chain: Chain
  readonly step: number
  readonly conditions: ChainConditions
  /** The process that read last; null when it gave up or died. */
  readonly follower: Follower | null
  /** Records which receipts the provider returns. */
  readonly receipts: Set<string>
  /** Actions of others when everything was requested and nothing is written yet; not called if nothing is written. */
  during(): Promise<void>
}

/**
 * One reading of the chain, under the conditions of its step.
 *
 * @throws {Violation} when a process that lost its lease writes, or a reading fails of itself
 */
export async function pollUnderConditions(params: PollParams): Promise<PollResult> {
  const { db, plan, chain, step, conditions, follower: initialFollower, receipts } = params
  const { faults, dbError } = conditions
  const { chainId, usdc, lookalike } = plan.network
  const now = chain.head.timestamp * 1000
  const tokens = {
    usdc: lower(usdc),
    lookalike: lower(lookalike?.address ?? usdc),
  }
  const rpc = createSimulatedRpc({
    seed: plan.seed,
    step,
    tokens,
    chain,
    faults,
    receipts,
  })
  if (dbError.type === 'window_lost') {
    await db.pool.query('delete from chain_blocks where chain_id = $1', [chainId])
  }
  const isNew = !initialFollower || dbError.type === 'restart' || dbError.type === 'window_lost'
  const follower = isNew ? await startFollower(db, chainId, now) : initialFollower

  let successor: PollResult | null = null
  let before = ''
  const result = await readAll(
    withDbError(db, dbError, async () => {
      await params.during()
      if (dbError.type !== 'takeover') return
      const successorState = await startFollower(db, chainId, now)
      successor = await readAll(db, rpc, successorState, now)
      before = await digest(db, chainId)
    }),
    rpc,
    follower,
    now,
  )
  if (successor) {
    const wrote = before !== (await digest(db, chainId))
    if (wrote || result.type !== 'failed' || !(result.error instanceof LeaseLost)) {
      const message = `a process without the lease: ${result.type}, wrote: ${wrote}`
      throw new Violation('I10', step, [], message)
    }
  }
  const last = successor ?? result
  if (last.type === 'failed') expectFailure(step, conditions, last.error)
  return last
}

/** A poll may fail because of interference, never by itself. */
function expectFailure(step: number, { faults, dbError }: ChainConditions, error: Error): void {
  if (error instanceof Violation) throw error
  const wronged =
    faults !== noFaults || dbError.type === 'crash' || dbError.type === 'crash_after_commit'
  if (wronged && !(error instanceof pg.DatabaseError) && !(error instanceof TypeError)) return
  if (error instanceof Killed) return
  throw new Violation('reading', step, [], `${error.stack}`)
}

/** Changes whenever the follower's own tables do. */
async function digest(db: Db, chainId: number): Promise<string> {
  const { rows } = await db.pool.query(
    `select (select count(*) from transfers) as transfers,
      (select count(*) from transfers where orphaned) as orphaned,
      (select count(*) from events) as events,
      (select sum(version) from payment_intents) as versions,
      (select count(*) from payable_reservations) as reservations,
      (select array_agg(hash order by number) from chain_blocks) as blocks,
      (select scanned_to from chain_cursors where chain_id = $1) as scanned`,
    [chainId],
  )
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}

function lower<Text extends string>(text: Text): Lowercase<Text> {
  return text.toLowerCase() as Lowercase<Text>
}
