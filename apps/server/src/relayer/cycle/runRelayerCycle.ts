import { holdRelayLease, type RelayLease } from '../../store/relaying/leases.ts'
import { readReverts } from '../../store/relaying/reverts.ts'
import { hasReorgedSuccess, readOutstanding } from '../../store/relaying/transactions.ts'
import { readWaiting } from '../../store/relaying/waitingAuthorizations.ts'
import type { RelayContext } from '../relayContext.ts'
import { chooseRpc } from '../rpc/chooseRpc.ts'
import { broadcast } from './broadcast.ts'
import { planCycle, type Work } from './planCycle.ts'
import { recordCycle } from './recordCycle.ts'
import { backedOffIds, backOff, loadOf, type Memory } from './relayerMemory.ts'
import { reportOutcomes } from './reportOutcomes.ts'
import { takeSnapshot } from './takeSnapshot.ts'
import { type Decision, validateWaiting } from './validateWaiting.ts'
import { cutOffAccounts } from './withinAccountLimits.ts'
import type { Ready } from './withinBudget.ts'

/** The maximum number of authorizations that a cycle reads. */
const cycleLimits = { unsubmitted: 50, recordedBefore: 10 }
/** The time between two blocks. */
const blockMs = 2_000

/**
 * `idle`: nothing is in flight, and no provider got a request. `more`: further authorizations can be submitted at once.
 */
export type CycleResult = 'idle' | 'waiting' | 'more'

/**
 * Runs one cycle: reads the outcomes of the outstanding transactions, replaces those that nodes do not mine, and
 * broadcasts authorizations that wait.
 *
 * Invariants: a transaction is recorded under the lease before it is sent to any node, so that the process that
 * continues after a crash knows every transaction that can be mined. An error defers only the authorization or
 * transaction that it concerns.
 *
 * @throws {RelayLeaseLost} if another process now submits
 * @throws {RpcError} if the provider does not respond at all
 */
export async function runRelayerCycle(
  context: RelayContext,
  lease: RelayLease,
  memory: Memory,
): Promise<CycleResult> {
  const { db, facts } = context
  await holdRelayLease(db.pool, lease)
  const backedOff = backedOffIds(memory)
  const work = await readWork(context, memory, backedOff)
  const { outstanding, unsubmitted, recordedBefore } = work
  memory.load = loadOf(outstanding, {
    unsubmitted,
    retrying: recordedBefore.length + backedOff.length,
  })
  const isIdle = outstanding.length + unsubmitted.length + recordedBefore.length === 0
  if (isIdle && !(await hasReorgedSuccess(db.pool, facts.chainId))) {
    memory.exhausted.clear()
    return 'idle'
  }
  const chosen = await chooseRpc(context.providers)
  if (!chosen) return 'waiting'
  const { rpc } = chosen
  const snapshot = await takeSnapshot(context, rpc, { outstanding, memory }).catch((error) => {
    chosen.failed(error)
    throw error
  })
  memory.timestamp = snapshot.head.timestamp
  const decisions = await validateWaiting(
    context,
    rpc,
    [...unsubmitted, ...recordedBefore],
    snapshot.head,
  )
  logErrors(context, decisions)
  const plan = await planCycle(context, memory, { work, snapshot, decisions })
  const isFull = unsubmitted.length === cycleLimits.unsubmitted
  postponeUndecided(context, memory, { decisions, ready: plan.ready, isFull })
  const newTransactions = await recordCycle(context, lease, memory, plan)
  reportOutcomes(context, snapshot)
  const newNonces = new Set(newTransactions.map(({ nonce }) => nonce))
  const resent = snapshot.toBroadcast.filter(
    ({ relayer, nonce }) => relayer !== context.signer.address || !newNonces.has(nonce),
  )
  const { head, price } = snapshot
  await broadcast(context, chosen, memory, { newTransactions, resent, head: head.number, price })
  const hasAdvanced = newTransactions.length > 0 || decisions.some(({ type }) => type !== 'ready')
  return isFull && hasAdvanced ? 'more' : 'waiting'
}

async function readWork(
  { db, facts }: RelayContext,
  { timestamp, exhausted }: Memory,
  except: readonly string[],
): Promise<Work> {
  const { chainId } = facts
  const [outstanding, reverts] = await Promise.all([
    readOutstanding(db.pool, chainId),
    readReverts(db.pool, chainId),
  ])
  const filter = {
    ...{ chainId, timestamp, except, withoutMerchants: [...exhausted] },
    withoutAccounts: cutOffAccounts(reverts),
  }
  const [unsubmitted, recordedBefore] = await Promise.all([
    readWaiting(db.pool, { ...filter, wasRecorded: false, limit: cycleLimits.unsubmitted }),
    readWaiting(db.pool, { ...filter, wasRecorded: true, limit: cycleLimits.recordedBefore }),
  ])
  return { outstanding, unsubmitted, recordedBefore, reverts }
}

/** Backs off from authorizations that cannot be submitted now, so that others do not wait behind them. */
function postponeUndecided(
  { confirmations }: RelayContext,
  memory: Memory,
  cycle: { decisions: readonly Decision[]; ready: readonly Ready[]; isFull: boolean },
): void {
  const ready = new Set<Decision>(cycle.ready)
  for (const decision of cycle.decisions) {
    const { waiting } = decision
    switch (decision.type) {
      case 'nonce_used_finally':
        // A payer can revoke hundreds at once. If each cycle read them until the revocation is final, they would delay
        // younger authorizations.
        backOff(memory, waiting, confirmations * blockMs)
        break
      case 'postponed':
        backOff(memory, waiting, decision.nonceUsed ? confirmations * blockMs : undefined)
        break
      case 'ready':
        // If the cycle did not read all authorizations, the others may cost less, or belong to another account.
        if (!ready.has(decision) && (cycle.isFull || waiting.wasRecorded)) backOff(memory, waiting)
    }
  }
}

function logErrors({ facts, log }: RelayContext, decisions: readonly Decision[]): void {
  for (const decision of decisions) {
    if (decision.type !== 'postponed' || decision.error === undefined) continue
    const fields = { chain_id: facts.chainId, authorization: decision.waiting.id }
    log.warn({ ...fields, err: decision.error }, 'an authorization cannot be validated; it waits')
  }
}
