import type { Address } from '@payment-intents/contract'
import type { Db } from '@payment-intents/server/src/store/connection/connect.ts'
import { findAttentionMismatches } from '@payment-intents/server/test/support/database/findAttentionMismatches.ts'
import type { Branch, Log } from './chain/chain.ts'
import { type IntentRow, toCredited, type Watch } from './checkChanges.ts'
import { areAllowed } from './oracle/areAllowed.ts'
import { classify, credited, type Group, unmatched } from './oracle/binding.ts'
import { undecided } from './oracle/knowledge.ts'
import type { Recorded, Records } from './oracle/recordedTransfers.ts'
import { faultsOf } from './oracle/states.ts'
import { Violation } from './violation.ts'

type TransferRow = Recorded & {
  readonly wallet: Address
  readonly reason: string | null
  /** The refund that it pays. */
  readonly refundId: string | null
  /** Whether an event reports it to its merchant as unmatched. */
  readonly isReported: boolean
}

/**
 * I4, I7 and the states, when the head has been read in full: database and chain agree.
 *
 * @param how `settled`: everything has had the time that it needs; `unread`: so it has, but the chain was not read to its head,
 *   since no intent waited for anything
 * @returns the number of transfers
 */
export async function checkAgainstChain(
  db: Db,
  watch: Watch,
  step: number,
  intents: readonly IntentRow[],
  how: 'read' | 'settled' | 'unread',
): Promise<number> {
  for (const { id, expected, noted } of await findAttentionMismatches(db)) {
    throw new Violation('attention', step, [], `${id} needs ${expected}, and is noted as ${noted}`)
  }
  const { knowledge, histories, succeeded } = watch
  const { chain } = knowledge
  const all = await findTransfers(db)
  const records = Map.groupBy(all, ({ intentId }) => intentId ?? '')
  const rows = all.filter(({ orphaned }) => !orphaned)
  const stored = new Map(rows.map((row) => [`${row.blockHash}:${row.logIndex}`, row]))
  for (const group of groupsOf(chain.canonical, histories)) {
    const observed = group.transfers.flatMap(({ logIndex }) => {
      const place = `${group.block.hash}:${logIndex}`
      const row = stored.get(place)
      stored.delete(place)
      return row ?? []
    })
    // A refund was attached to a wallet that nobody watched then: it is no payment of anybody.
    if (observed.some(({ refundId, merchantId }) => refundId !== null && merchantId === null))
      continue
    const fault = faultOf(group, observed, watch, records)
    if (!fault) continue
    const { transfers, amount, to, transaction, block } = group
    const what = `${transfers.length} × ${amount} to ${to} in ${transaction.hash}, block ${block.number} at ${block.timestamp}`
    throw new Violation(
      fault.invariant,
      step,
      [histories.get(to) ?? -1],
      `${what}, ${fault.message}`,
    )
  }
  // A refund's payment may go to an account that is nobody's wallet.
  for (const { hash, logs } of chain.canonical) {
    for (const { to, logIndex } of logs) {
      if (!histories.has(to)) stored.delete(`${hash}:${logIndex}`)
    }
  }
  for (const row of how === 'unread' ? [] : stored.values()) {
    const history = histories.get(row.wallet) ?? -1
    throw new Violation('I7', step, [history], `${row.txHash} is stored, but not on the chain`)
  }

  const byIntent = Map.groupBy(rows, ({ intentId }) => intentId)
  for (const row of intents) {
    const intent = knowledge.intents.get(row.id)
    if (!intent) throw new Violation('I7', step, [], `${row.id} was never created`)
    const { status, exceptions, amount_received_units: received, tx_hash: txHash } = row
    const [fault] = faultsOf(
      intent,
      knowledge.decisions.get(row.id) ?? undecided,
      { status, exceptions, received, txHash },
      (byIntent.get(row.id) ?? []).flatMap((transfer) =>
        toCredited(chain, {
          ...{ id: transfer.id, block_hash: transfer.blockHash, log_index: transfer.logIndex },
          ...{ tx_hash: transfer.txHash, amount_units: transfer.amount, bound_by: transfer.rail },
        }),
      ),
      {
        // The other chain is not followed, so no time passes there.
        timestamp: intent.chainId === knowledge.chainId ? chain.head.timestamp : 0,
        succeededBefore: succeeded.has(row.id),
        settled: how !== 'read',
      },
    )
    if (fault)
      console.log(
        fault,
        row,
        chain.head.number,
        (await db.pool.query('select * from transfers where intent_id=$1', [row.id])).rows,
        (await db.pool.query('select * from chain_cursors')).rows,
        (await db.pool.query('select * from refunds where intent_id=$1', [row.id])).rows,
        (await db.pool.query('select * from watched_topics where topic=$1', [intent.wallet])).rows,
      )
    if (fault) throw new Violation('states', step, [intent.history], `${row.id}: ${fault}`)
  }
  return rows.length
}

async function findTransfers(db: Db): Promise<TransferRow[]> {
  const { rows } = await db.pool.query<TransferRow>(
    `select t.id, t.sender as from, t.block_hash as "blockHash", t.block_number as "blockNumber",
       t.log_index as "logIndex", t.tx_hash as "txHash", t.wallet, t.amount_units as amount,
       t.intent_id as "intentId", t.bound_by as rail, t.reason, t.merchant_id as "merchantId",
       t.refund_id as "refundId",
       t.orphaned, (extract(epoch from t.seen_at) * 1000000)::bigint as "seenAt",
       e.id is not null as "isReported"
     from transfers t left join events e on e.transfer_id = t.id`,
  )
  return rows
}

function faultOf(
  group: Group,
  stored: readonly TransferRow[],
  { knowledge }: Watch,
  records: Records,
): { invariant: string; message: string } | null {
  const classified = classify(group, stored, knowledge, records)
  if (stored.length === 0 && classified.optional) return null
  if (stored.length !== group.transfers.length) {
    return { invariant: 'I4', message: `${stored.length} stored` }
  }
  const outcomes = stored.map(({ intentId, rail, reason }) =>
    intentId ? credited(intentId, String(rail)) : unmatched(String(reason)),
  )
  if (!areAllowed(outcomes, classified)) {
    const { assigned, different, repeated, transfers } = classified
    const bare = transfers.map(
      ({ authorized, otherwise }) => authorized ?? [...otherwise].join(' or '),
    )
    const expected = [...assigned, ...different, ...repeated, 'else', ...bare].join('; ')
    return { invariant: 'I7', message: `credited to ${outcomes.join('; ')}; right: ${expected}` }
  }
  if (stored.some((row) => row.amount !== group.amount || row.wallet !== group.to)) {
    return { invariant: 'I7', message: 'stored as something else' }
  }
  for (const { id, intentId, merchantId, isReported } of stored) {
    const intent = intentId && knowledge.intents.get(intentId)
    const askers = intent ? [intent] : (knowledge.requestedAt.get(group.to) ?? [])
    const provers = intent ? undefined : knowledge.proofs.get(group.to)
    const owners = provers ?? [
      ...askers.map((asker) => asker.merchantId),
      knowledge.configured.get(group.to),
    ]
    const theirs = owners.includes(merchantId ?? '')
    const isUnowned = merchantId === null && classified.optional
    if (!theirs && !isUnowned) return { invariant: 'I8', message: `${id} is ${merchantId}'s` }
    if (!intentId && theirs && !isReported)
      return { invariant: 'I4', message: `${id} is not reported` }
  }
  return null
}

function* groupsOf(branch: Branch, wallets: ReadonlyMap<Address, number>): Generator<Group> {
  for (const block of branch) {
    const groups = new Map<string, Group & { transfers: Log[] }>()
    for (const log of block.logs) {
      const { transaction, from, to, amount, lookalike } = log
      // "Ignore zero-value transfers. A transfer from a wallet to itself moves no money: it settles nothing."
      if (amount === 0n || from === to || !wallets.has(to)) continue
      const key = `${transaction.hash}:${from}:${to}:${amount}:${lookalike}`
      const group = groups.get(key) ?? {
        transaction,
        block,
        from,
        to,
        amount,
        lookalike,
        transfers: [],
      }
      groups.set(key, group)
      group.transfers.push(log)
    }
    yield* groups.values()
  }
}
