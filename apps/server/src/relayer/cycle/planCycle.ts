import type { Refused } from '../../store/relaying/refuseAuthorizations.ts'
import type { Reverts } from '../../store/relaying/reverts.ts'
import { readSpend } from '../../store/relaying/spend.ts'
import { findLastNonce, type Outstanding } from '../../store/relaying/transactions.ts'
import type { Waiting } from '../../store/relaying/waitingAuthorizations.ts'
import type { RelayContext } from '../relayContext.ts'
import { newFees } from '../rpc/fees.ts'
import { maxGas } from '../rpc/tokenCall.ts'
import { nonceGaps } from './nonceGaps.ts'
import { updatesOf } from './nonceGroups.ts'
import type { CyclePlan } from './recordCycle.ts'
import type { Memory } from './relayerMemory.ts'
import { replacements } from './replacements.ts'
import { reserveBalance } from './reserveBalance.ts'
import type { ChainSnapshot } from './takeSnapshot.ts'
import type { Decision } from './validateWaiting.ts'
import { withinAccountLimits } from './withinAccountLimits.ts'
import { withinBudget } from './withinBudget.ts'

/** The rows that a cycle has read. */
export type Work = {
  readonly outstanding: readonly Outstanding[]
  /** Authorizations that wait for their first broadcast. */
  readonly unsubmitted: readonly Waiting[]
  /** Authorizations of transactions that were recorded before, and reverted or were dropped. */
  readonly recordedBefore: readonly Waiting[]
  readonly reverts: Reverts
}

/** Decides what a cycle writes and broadcasts. Writes nothing. */
export async function planCycle(
  context: RelayContext,
  memory: Memory,
  {
    work,
    snapshot,
    decisions,
  }: { work: Work; snapshot: ChainSnapshot; decisions: readonly Decision[] },
): Promise<CyclePlan> {
  const { db, facts, limits, signer } = context
  const { price, head } = snapshot
  const fees = newFees(price, limits.maxFeePerGas)
  const key = { chainId: facts.chainId, relayer: signer.address }
  const [spend, lastNonce] = await Promise.all([
    readSpend(db.pool, { ...key, gasPrice: price.base + price.tip }),
    findLastNonce(db.pool, key),
  ])
  const gaps = nonceGaps(context, snapshot, lastNonce)
  const { reserved, replacing } = reserveBalance(context, snapshot, replacements(context, snapshot))
  const gapCost = BigInt(gaps.length) * maxGas * (fees?.maxFeePerGas ?? 0n)
  const valid = decisions.filter((decision) => decision.type === 'ready')
  const ready = fees
    ? withinBudget(limits, memory, {
        ready: withinAccountLimits(valid, work),
        ...{ snapshot, spend, reserved: reserved + gapCost, fees },
      })
    : []
  return {
    ...{ snapshot, fees, gaps, replacing, ready },
    updates: snapshot.groups.flatMap(({ group, outcome }) =>
      updatesOf(group, outcome, head.number),
    ),
    refused: decisions.flatMap(refusedBy),
    nonceUsedIds: decisions.flatMap((decision) =>
      decision.type === 'postponed' && decision.nonceUsed ? [decision.waiting.id] : [],
    ),
  }
}

function refusedBy(decision: Decision): Refused[] {
  const { id } = decision.waiting
  if (decision.type === 'nonce_used_finally')
    return [{ id, reason: 'authorization_used', usedAtBlock: decision.block }]
  return decision.type === 'refused' ? [{ id, reason: decision.reason }] : []
}
