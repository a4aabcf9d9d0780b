import { classifyDbError } from '../../lib/classifyDbError.ts'
import { transaction } from '../../store/connection/connect.ts'
import { holdRelayLease, type RelayLease, RelayLeaseLost } from '../../store/relaying/leases.ts'
import {
  findLastNonce,
  findNonces,
  insertTransactions,
  type NewTransaction,
  reopenTransactions,
  type Settled,
  settleTransactions,
} from '../../store/relaying/transactions.ts'
import {
  findPayable,
  lockSubjectsOf,
  markNoncesUsed,
  type Refused,
  refuseAuthorizations,
} from '../../store/relaying/waiting.ts'
import { type Draft, emptyCall, signAll } from '../account/draft.ts'
import type { Fees } from '../account/fees.ts'
import type { RelayContext } from '../relayContext.ts'
import type { Ready } from './affordable.ts'
import { defer, type Memory } from './memory.ts'
import type { ChainSnapshot } from './readAccount.ts'

/** Everything that a cycle changes. */
export type CyclePlan = {
  readonly snapshot: Pick<ChainSnapshot, 'head' | 'nextNonce' | 'pendingNonce'>
  readonly settled: readonly Settled[]
  readonly refused: readonly Refused[]
  /** Authorizations whose nonce was used, and that no relayer has broadcast. */
  readonly noncesUsed: readonly string[]
  readonly replacing: readonly Draft[]
  /** Nonces below the greatest that no transaction has. */
  readonly gaps: readonly number[]
  readonly ready: readonly Ready[]
  /** null: nothing new is sent. */
  readonly fees: Fees | null
}

/** Gaps that one cycle fills. */
const maxGaps = 50

/**
 * Writes a cycle's changes, in one transaction under the lease. If that fails for a reason other than the database, writes
 * each change alone, so that it fails alone.
 *
 * @returns the transactions to send now
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
      for (const { waiting } of part.plan.ready) defer(memory, waiting)
      const fields = { chain_id: context.facts.chainId, ...part.fields, err: error }
      context.log.warn(fields, 'a change of the relayer cannot be recorded; it is tried again')
    }
  }
  return recorded
}

/** Whether an error may come from one row; any other ends the cycle. */
function isRowError(error: unknown): boolean {
  return !(error instanceof RelayLeaseLost) && classifyDbError(error) === null
}

/** One change each, those that free a nonce or a payer first. */
function partsOf(plan: CyclePlan): { plan: CyclePlan; fields: object }[] {
  const nothing: CyclePlan = {
    ...plan,
    ...{ settled: [], refused: [], noncesUsed: [], replacing: [], gaps: [], ready: [] },
  }
  return [
    ...plan.settled.map((item) => ({
      plan: { ...nothing, settled: [item] },
      fields: { tx_hash: item.txHash },
    })),
    ...plan.refused.map((item) => ({
      plan: { ...nothing, refused: [item] },
      fields: { authorization: item.id },
    })),
    ...plan.noncesUsed.map((id) => ({
      plan: { ...nothing, noncesUsed: [id] },
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
  const { snapshot, settled, refused, noncesUsed, gaps, ready, fees } = plan
  const key = { chainId: facts.chainId, relayer: signer.address }
  const changes = [settled, refused, noncesUsed, gaps, ready, plan.replacing]
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
    const payable = await findPayable(client, [...locked])
    await settleTransactions(client, facts.chainId, settled)
    await refuseAuthorizations(
      client,
      refused.filter(({ id }) => locked.has(id)),
    )
    await markNoncesUsed(client, noncesUsed)
    const { nextNonce, pendingNonce, head } = snapshot
    if (gaps.length > 0) await reopenTransactions(client, key, { nextNonce, head: head.number })
    const usedNonces = gaps.length > 0 ? await findNonces(client, key, nextNonce) : new Set()
    const drafts: Draft[] = []
    if (fees) {
      const filler = { call: emptyCall(signer), authorizationId: null, codeHash: null, fees }
      const empty = gaps.filter((nonce) => !usedNonces.has(nonce)).slice(0, maxGaps)
      drafts.push(...empty.map((nonce) => ({ nonce, ...filler })))
      const last = ready.length > 0 ? await findLastNonce(client, key) : null
      let nonce = Math.max((last ?? -1) + 1, nextNonce, pendingNonce)
      for (const { waiting, call, codeHash } of ready) {
        if (!payable.has(waiting.id)) continue
        drafts.push({ nonce, call, authorizationId: waiting.id, codeHash, fees })
        nonce += 1
      }
    }
    const covered = replacing.filter(
      ({ authorizationId }) => authorizationId === null || locked.has(authorizationId),
    )
    const first = [...covered, ...(await signAll(context, drafts))]
    await insertTransactions(client, key, first)
    return first
  })
}
