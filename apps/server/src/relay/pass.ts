import { transaction } from '../db/connect.ts'
import { holdRelayLease, type RelayLease } from '../db/relay/leases.ts'
import { readSpend } from '../db/relay/spend.ts'
import {
  findLastNonce,
  findNonces,
  hasLostSuccess,
  insertTransactions,
  type NewTransaction,
  readOutstanding,
  reopenTransactions,
  settleTransactions,
} from '../db/relay/transactions.ts'
import {
  lockWaiting,
  type Refused,
  readWaiting,
  refuseAuthorizations,
} from '../db/relay/waiting.ts'
import { affordable, type Ready } from './affordable.ts'
import { broadcast } from './broadcast.ts'
import { type Checked, checkWaiting } from './checkWaiting.ts'
import { chooseRpc } from './chooseRpc.ts'
import type { RelayContext } from './context.ts'
import { type Draft, emptyCall, signAll } from './draft.ts'
import { type Fees, newFees } from './fees.ts'
import { holdBack } from './held.ts'
import { loadOf, type Memory } from './memory.ts'
import { readChain, type Seen } from './readChain.ts'
import { gapsOf, replacements } from './repair.ts'
import { reportFates } from './reportFates.ts'
import { settledBy } from './settle.ts'
import { mostGas } from './tokenCall.ts'

/** How many authorizations one pass submits. */
const most = 50
/** Milliseconds after which an authorization is looked at again for which nothing could be done. */
const leftMs = 5_000
/** Blocks come every two seconds. */
const blockMs = 2_000

/** idle: nothing is under way, and no provider was asked. more: what waits can be submitted at once. */
export type Passed = 'idle' | 'waiting' | 'more'

/**
 * Looks what became of the chain's outstanding transactions, repairs those that are stuck, and submits the authorizations that
 * wait. Invariant: a transaction is recorded under the lease before it is sent to any node, so that the process that goes
 * on after a crash knows every transaction that can be mined.
 *
 * @throws {RelayLeaseLost} when another process submits by now
 * @throws {RpcError} when the provider fails
 */
export async function pass(
  context: RelayContext,
  lease: RelayLease,
  memory: Memory,
): Promise<Passed> {
  const { db, facts, limits } = context
  const { chainId } = facts
  await holdRelayLease(db.pool, lease)
  const { timestamp, left } = memory
  for (const [id, until] of left) if (until <= performance.now()) left.delete(id)
  const of = { chainId, timestamp, without: [...memory.exhausted], except: [...left.keys()], most }
  const [outstanding, waiting] = await Promise.all([
    readOutstanding(db.pool, chainId),
    readWaiting(db.pool, of),
  ])
  memory.load = loadOf(outstanding, waiting)
  if (outstanding.length + waiting.length === 0 && !(await hasLostSuccess(db.pool, chainId))) {
    memory.exhausted.clear()
    return 'idle'
  }
  const chosen = await chooseRpc(context.providers)
  if (!chosen) return 'waiting'
  const { rpc } = chosen
  const seen = await readChain(context, rpc, { outstanding, memory }).catch((error) => {
    chosen.failed(error)
    throw error
  })
  memory.timestamp = seen.head.timestamp
  const checked = await checkWaiting(context, rpc, waiting, seen.head)
  // A payer can revoke hundreds at once; looked at again before that is deep, they would hold up all that are younger.
  const usedMs = context.confirmations * blockMs
  for (const one of checked) {
    if (one.type !== 'left' && one.type !== 'over') continue
    const isUsed = one.type === 'left' && one.isUsed
    left.set(one.waiting.id, performance.now() + (isUsed ? usedMs : leftMs))
  }
  const fees = newFees(seen.price, limits.maxFeePerGas)
  const key = { chainId, relayer: context.signer.address }
  const [spend, last] = await Promise.all([
    readSpend(db.pool, { ...key, gasPrice: seen.price.base + seen.price.tip }),
    findLastNonce(db.pool, key),
  ])
  const gaps = gapsOf(context, seen, last)
  const { held, replacing } = holdBack(context, seen, replacements(context, seen))
  const filling = BigInt(gaps.length) * mostGas * (fees?.maxFeePerGas ?? 0n)
  const given = { checked, seen, spend, held: held + filling }
  const ready = fees ? affordable(limits, memory, { ...given, fees }) : []
  if (fees && waiting.length === most) {
    // Younger ones may cost less; where the price itself is too high, none can be submitted.
    const submitted = new Set(ready)
    for (const one of checked) {
      if (one.type !== 'ready' || submitted.has(one)) continue
      left.set(one.waiting.id, performance.now() + leftMs)
    }
  }
  const refused = [...refusedOf(checked), ...overdue(checked, ready)]
  const planned = { seen, refused, ready, fees, last, gaps, replacing }
  const first = await record(context, lease, planned)
  reportFates(context, seen)
  const replaced = new Set(first.map(({ nonce }) => nonce))
  const again = seen.unsent.filter(
    ({ relayer, nonce }) => relayer !== context.signer.address || !replaced.has(nonce),
  )
  await broadcast(context, chosen, memory, { first, again, head: seen.head.number })
  return ready.length > 0 && waiting.length === most ? 'more' : 'waiting'
}

function refusedOf(checked: readonly Checked[]): Refused[] {
  return checked.flatMap((one): Refused[] => {
    const { id } = one.waiting
    if (one.type === 'over') return [{ id, reason: 'authorization_used', usedBy: one.block }]
    return one.type === 'refused' ? [{ id, reason: one.reason }] : []
  })
}

/**
 * Those that the price, the balance or a limit has kept waiting for too long, so that their payers can pay otherwise. One that
 * was submitted before may still be mined, and one that cannot be looked at may be used: they are left.
 */
function overdue(checked: readonly Checked[], ready: readonly Ready[]): Refused[] {
  const submitted = new Set(ready.map(({ waiting }) => waiting.id))
  return checked.flatMap(({ type, waiting: { id, isOverdue, wasSubmitted } }) =>
    type === 'ready' && isOverdue && !wasSubmitted && !submitted.has(id)
      ? [{ id, reason: 'gasless_unavailable' }]
      : [],
  )
}

/** Writes everything that a pass changes, in one transaction under the lease. @returns what is to be sent now */
async function record(
  context: RelayContext,
  lease: RelayLease,
  given: {
    seen: Seen
    refused: readonly Refused[]
    ready: readonly Ready[]
    fees: Fees | null
    /** The greatest nonce recorded. */
    last: number | null
    /** Nonces that nothing has. */
    gaps: readonly number[]
    replacing: readonly Draft[]
  },
): Promise<readonly NewTransaction[]> {
  const { db, facts, signer } = context
  const { seen, refused, ready, fees, last, gaps } = given
  const key = { chainId: facts.chainId, relayer: signer.address }
  const settled = seen.slots.flatMap(({ slot, fate }) => settledBy(slot, fate, seen.head.number))
  const replacing = await signAll(context, given.replacing)
  if (settled.length + refused.length + ready.length + gaps.length + replacing.length === 0) {
    return []
  }
  const ids = [
    ...ready.map(({ waiting }) => waiting.id),
    ...refused.map(({ id }) => id),
    ...replacing.flatMap(({ authorizationId }) => authorizationId ?? []),
  ]
  return transaction(db, async (client) => {
    await holdRelayLease(client, lease)
    const unpaid = new Set(
      (await lockWaiting(client, ids))
        .filter(({ intent }) => intent === 'unpaid')
        .map(({ id }) => id),
    )
    await settleTransactions(client, facts.chainId, settled)
    await refuseAuthorizations(client, refused)
    const { nextNonce, pendingNonce, head } = seen
    if (gaps.length > 0) await reopenTransactions(client, key, { nextNonce, head: head.number })
    const known = gaps.length > 0 ? await findNonces(client, key, nextNonce) : new Set()
    const drafts: Draft[] = []
    if (fees) {
      const filler = { call: emptyCall(signer), authorizationId: null, fees }
      const empty = gaps.filter((nonce) => !known.has(nonce)).slice(0, most)
      drafts.push(...empty.map((nonce) => ({ nonce, ...filler })))
      let nonce = Math.max((last ?? -1) + 1, nextNonce, pendingNonce)
      for (const { waiting, call } of ready) {
        if (!unpaid.has(waiting.id)) continue
        drafts.push({ nonce, call, authorizationId: waiting.id, fees })
        nonce += 1
      }
    }
    const first = [...replacing, ...(await signAll(context, drafts))]
    await insertTransactions(client, key, first)
    return first
  })
}
