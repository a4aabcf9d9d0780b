import { classifyDbError } from '../../lib/classifyDbError.ts'
import { transaction } from '../../store/connection/connect.ts'
import { holdRelayLease, type RelayLease, RelayLeaseLost } from '../../store/relaying/leases.ts'
import { markNoncesUsed } from '../../store/relaying/markNoncesUsed.ts'
import { type Refused, refuseAuthorizations } from '../../store/relaying/refuseAuthorizations.ts'
import { lockSubjectsOf } from '../../store/relaying/subjects.ts'
import {
  findLastNonce,
  findNonces,
  insertTransactions,
  type NewTransaction,
  reopenTransactions,
  type TransactionUpdate,
  updateTransactions,
} from '../../store/relaying/transactions.ts'
import { findBroadcastable } from '../../store/relaying/waitingAuthorizations.ts'
import { type Draft, emptyCall, signAll } from '../account/draft.ts'
import type { RelayContext } from '../relayContext.ts'
import type { Fees } from '../rpc/fees.ts'
import { backOff, type Memory } from './relayerMemory.ts'
import type { ChainSnapshot } from './takeSnapshot.ts'
import type { Ready } from './withinBudget.ts'

/** The changes of a cycle. */
export type CyclePlan = {
  readonly snapshot: Pick<ChainSnapshot, 'head' | 'nextNonce' | 'pendingNonce'>
  readonly updates: readonly TransactionUpdate[]
  readonly refused: readonly Refused[]
  /** Ids of authorizations whose nonce was used by no known transaction of a relayer. */
  readonly nonceUsedIds: readonly string[]
  readonly replacing: readonly Draft[]
  /** Nonces up to the highest recorded nonce that no outstanding transaction has. */
  readonly gaps: readonly number[]
  readonly ready: readonly Ready[]
  /** null: the gas price is above the limit, so nothing new is sent. */
  readonly fees: Fees | null
}

/** The maximum number of gaps that a cycle fills. */
const maxGaps = 50

/**
 * Writes a cycle's changes in one transaction, under the lease. If that fails because of a row, writes each change in
 * its own transaction, so that only the faulty change fails.
 * @returns the recorded transactions, to be sent now
 * @throws {RelayLeaseLost}
 */
export async function recordCycle(
  context: RelayContext,
  lease: RelayLease,
  memory: Memory,
  plan: CyclePlan,
): Promise<readonly NewTransaction[]> {
  try {
    return await record(context, lease, plan)
  } catch (error) {
    if (!isRowError(error)) throw error
  }
  const recorded: NewTransaction[] = []
  for (const part of partsOf(plan)) {
    try {
      recorded.push(...(await record(context, lease, part.plan)))
    } catch (error) {
      if (!isRowError(error)) throw error
      for (const { waiting } of part.plan.ready) backOff(memory, waiting)
      const fields = { chain_id: context.facts.chainId, ...part.fields, err: error }
      context.log.warn(fields, 'a change of the relayer cannot be recorded; it is tried again')
    }
  }
  return recorded
}

/** Whether an error may come from a single row. Any other error ends the cycle. */
function isRowError(error: unknown): boolean {
  return !(error instanceof RelayLeaseLost) && classifyDbError(error) === null
}

/** One plan for each change. Changes that free a nonce or a payer come first. */
function partsOf(plan: CyclePlan): { plan: CyclePlan; fields: object }[] {
  const nothing: CyclePlan = {
    ...plan,
    ...{ updates: [], refused: [], nonceUsedIds: [], replacing: [], gaps: [], ready: [] },
  }
  return [
    ...plan.updates.map((item) => ({
      plan: { ...nothing, updates: [item] },
      fields: { tx_hash: item.txHash },
    })),
    ...plan.refused.map((item) => ({
      plan: { ...nothing, refused: [item] },
      fields: { authorization: item.id },
    })),
    ...plan.nonceUsedIds.map((id) => ({
      plan: { ...nothing, nonceUsedIds: [id] },
      fields: { authorization: id },
    })),
    ...plan.replacing.map((draft) => ({
      plan: { ...nothing, replacing: [draft] },
      fields: { nonce: draft.nonce },
    })),
    { plan: { ...nothing, gaps: plan.gaps }, fields: { nonces: plan.gaps } },
    ...plan.ready.map((item) => ({
      plan: { ...nothing, ready: [item] },
      fields: { authorization: item.waiting.id },
    })),
  ]
}

async function record(
  context: RelayContext,
  lease: RelayLease,
  plan: CyclePlan,
): Promise<readonly NewTransaction[]> {
  const { db, facts, signer } = context
  const { snapshot, updates, refused, nonceUsedIds, gaps, ready, fees } = plan
  const account = { chainId: facts.chainId, relayer: signer.address }
  const changes = [updates, refused, nonceUsedIds, gaps, ready, plan.replacing]
  if (changes.every((change) => change.length === 0)) return []
  const replacing = await signAll(context, plan.replacing)
  const ids = [
    ...ready.map(({ waiting }) => waiting.id),
    ...refused.map(({ id }) => id),
    ...replacing.flatMap(({ authorizationId }) => authorizationId ?? []),
  ]
  return transaction(db, async (client) => {
    await holdRelayLease(client, lease)
    const locked = await lockSubjectsOf(client, ids)
    const broadcastable = await findBroadcastable(client, [...locked])
    await updateTransactions(client, facts.chainId, updates)
    await refuseAuthorizations(
      client,
      refused.filter(({ id }) => locked.has(id)),
    )
    await markNoncesUsed(client, nonceUsedIds)
    const { nextNonce, pendingNonce, head } = snapshot
    // After a deep reorg a final nonce looks like a gap. Its row is reopened, so that no empty transaction fills it.
    if (gaps.length > 0) await reopenTransactions(client, account, { nextNonce, head: head.number })
    const recordedNonces =
      gaps.length > 0 ? await findNonces(client, account, nextNonce) : new Set()
    const drafts: Draft[] = []
    if (fees) {
      const gapDraft = { call: emptyCall(signer), authorizationId: null, codeHash: null, fees }
      const empty = gaps.filter((nonce) => !recordedNonces.has(nonce)).slice(0, maxGaps)
      drafts.push(...empty.map((nonce) => ({ nonce, ...gapDraft })))
      const lastNonce = ready.length > 0 ? await findLastNonce(client, account) : null
      let nonce = Math.max((lastNonce ?? -1) + 1, nextNonce, pendingNonce)
      for (const { waiting, call, codeHash } of ready) {
        if (!broadcastable.has(waiting.id)) continue
        drafts.push({ nonce, call, authorizationId: waiting.id, codeHash, fees })
        nonce += 1
      }
    }
    const lockedReplacements = replacing.filter(
      ({ authorizationId }) => authorizationId === null || locked.has(authorizationId),
    )
    const newTransactions = [...lockedReplacements, ...(await signAll(context, drafts))]
    await insertTransactions(client, account, newTransactions)
    return newTransactions
  })
}
