import { holdRelayLease, type RelayLease } from '../../store/relaying/leases.ts'
import { readReverts } from '../../store/relaying/reverts.ts'
import { hasUnsettledSuccess, readOutstanding } from '../../store/relaying/transactions.ts'
import { readWaiting } from '../../store/relaying/waiting.ts'
import { chooseRpc } from '../account/chooseRpc.ts'
import type { RelayContext } from '../relayContext.ts'
import type { Ready } from './affordable.ts'
import { cutOffAccounts } from './bounded.ts'
import { broadcast } from './broadcast.ts'
import { defer, deferredIds, loadOf, type Memory } from './memory.ts'
import { planCycle, type Work } from './planCycle.ts'
import { readAccount } from './readAccount.ts'
import { recordCycle } from './recordCycle.ts'
import { reportOutcomes } from './reportOutcomes.ts'
import { type Decision, validateWaiting } from './validateWaiting.ts'

/** Authorizations that one cycle reads: those that wait for their first broadcast, and beside them those that failed. */
const cycleLimits = { unsubmitted: 50, quarantined: 10 }
/** Blocks come every two seconds. */
const blockMs = 2_000

/** idle: nothing is under way, and no provider was asked. more: what waits can be submitted at once. */
export type CycleResult = 'idle' | 'waiting' | 'more'

/**
 * Reads what became of the chain's outstanding transactions, repairs stuck ones, and broadcasts authorizations that wait.
 *
 * Invariant: a transaction is recorded under the lease before it is sent to any node, so that the process that continues
 * after a crash knows every transaction that can be mined. Invariant: what fails for one authorization or transaction, of
 * any kind, defers that one alone.
 *
 * @throws {RelayLeaseLost} when another process submits by now
 * @throws {RpcError} when the provider does not answer at all
 */
export async function runRelayerCycle(
  context: RelayContext,
  lease: RelayLease,
  memory: Memory,
): Promise<CycleResult> {
  const { db, facts } = context
  await holdRelayLease(db.pool, lease)
  const deferred = deferredIds(memory)
  const work = await readWork(context, memory, deferred)
  const { outstanding, unsubmitted, quarantined } = work
  memory.load = loadOf(outstanding, {
    unsubmitted,
    quarantined: quarantined.length + deferred.length,
  })
  const isIdle = outstanding.length + unsubmitted.length + quarantined.length === 0
  if (isIdle && !(await hasUnsettledSuccess(db.pool, facts.chainId))) {
    memory.exhausted.clear()
    return 'idle'
  }
  const chosen = await chooseRpc(context.providers)
  if (!chosen) return 'waiting'
  const { rpc } = chosen
  const snapshot = await readAccount(context, rpc, { outstanding, memory }).catch((error) => {
    chosen.failed(error)
    throw error
  })
  memory.timestamp = snapshot.head.timestamp
  const decisions = await validateWaiting(
    context,
    rpc,
    [...unsubmitted, ...quarantined],
    snapshot.head,
  )
  logErrors(context, decisions)
  const plan = await planCycle(context, memory, { work, snapshot, decisions })
  const isFull = unsubmitted.length === cycleLimits.unsubmitted
  deferUndecided(context, memory, { decisions, ready: plan.ready, isFull })
  const first = await recordCycle(context, lease, memory, plan)
  reportOutcomes(context, snapshot)
  const replaced = new Set(first.map(({ nonce }) => nonce))
  const resent = snapshot.unsent.filter(
    ({ relayer, nonce }) => relayer !== context.signer.address || !replaced.has(nonce),
  )
  const { head, price } = snapshot
  await broadcast(context, chosen, memory, { first, resent, head: head.number, price })
  const hasAdvanced = first.length > 0 || decisions.some(({ type }) => type !== 'ready')
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
  const of = {
    ...{ chainId, timestamp, except, withoutMerchants: [...exhausted] },
    withoutAccounts: cutOffAccounts(reverts),
  }
  const [unsubmitted, quarantined] = await Promise.all([
    readWaiting(db.pool, { ...of, wasBroadcast: false, limit: cycleLimits.unsubmitted }),
    readWaiting(db.pool, { ...of, wasBroadcast: true, limit: cycleLimits.quarantined }),
  ])
  return { outstanding, unsubmitted, quarantined, reverts }
}

/** Nothing can be done for these now: others must not wait behind them. */
function deferUndecided(
  { confirmations }: RelayContext,
  memory: Memory,
  cycle: { decisions: readonly Decision[]; ready: readonly Ready[]; isFull: boolean },
): void {
  const ready = new Set<Decision>(cycle.ready)
  for (const decision of cycle.decisions) {
    const { waiting } = decision
    switch (decision.type) {
      case 'over':
        // A payer can revoke hundreds at once; read again before that is deep, they would delay younger ones.
        defer(memory, waiting, confirmations * blockMs)
        break
      case 'deferred':
        defer(memory, waiting, decision.nonceUsed ? confirmations * blockMs : undefined)
        break
      case 'ready':
        // If not all are read, younger ones may cost less, or be of another account.
        if (!ready.has(decision) && (cycle.isFull || waiting.wasBroadcast)) defer(memory, waiting)
    }
  }
}

function logErrors({ facts, log }: RelayContext, decisions: readonly Decision[]): void {
  for (const decision of decisions) {
    if (decision.type !== 'deferred' || decision.error === undefined) continue
    const fields = { chain_id: facts.chainId, authorization: decision.waiting.id }
    log.warn({ ...fields, err: decision.error }, 'an authorization cannot be validated; it waits')
  }
}
