import { isDeepStrictEqual } from 'node:util'
import type { Address } from '@payment-intents/contract'
import { type CheckoutIntent, viewForCheckout } from '@payment-intents/core'
import type { Db } from '@payment-intents/server/src/store/connection/connect.ts'
import type { IntentCache } from '@payment-intents/server/src/store/payment-intents/intentCache.ts'
import { findForCheckouts } from '@payment-intents/server/src/store/payment-intents/paymentIntents.ts'
import type { Hex } from 'viem'
import type { Branch, Chain } from './chain/chain.ts'
import { type Knowledge, undecided } from './oracle/knowledge.ts'
import { type Credited, deepOn, isReportedCorrectly, payment } from './oracle/states.ts'
import { Violation } from './violation.ts'

/** The state that a world watches. */
export type Watch = {
  readonly knowledge: Knowledge
  /** The merchant whose wallet it is, or whose history to look at first. */
  readonly histories: ReadonlyMap<Address, number>
  /** Each intent when last looked at. */
  readonly lastVersions: Map<string, LastVersion>
  readonly succeeded: Set<string>
  /** The cache of a server, which checkouts are shown. */
  readonly cache: IntentCache<CheckoutIntent>
}

type LastVersion = {
  readonly status: string
  readonly version: number
  readonly sequence: number
  readonly near: number
  readonly credited: readonly Credited[]
}

/** The provider's view in one step. */
export type Shown = {
  readonly views: readonly Branch[]
  /** Receipts, as `<transaction>:<block>`. */
  readonly receipts: ReadonlySet<string>
  /** Without a reading: the intents that a request was granted for, which alone can have changed. */
  readonly granted?: ReadonlySet<string>
}

export type IntentRow = {
  id: string
  status: string
  version: number
  sequence: number
  exceptions: string[]
  amount_received_units: bigint
  tx_hash: Hex | null
  /** Whether it has the time at which it succeeded. */
  counts: boolean
  /** Unmatched transfers that nearly paid it. */
  near: number
}

type TransferRow = {
  id: string
  block_hash: Hex
  block_number: bigint
  log_index: number
  tx_hash: Hex
  amount_units: bigint
  bound_by: string | null
  intent_id: string
  orphaned: boolean
}

type EventRow = {
  intent_id: string
  type: string
  sequence: number
  object: string
}

/** Each status, and the statuses that may come next. */
const next: Record<string, readonly string[]> = {
  '': ['requires_payment'],
  requires_payment: ['requires_payment', 'pending_confirmations', 'expired', 'canceled'],
  pending_confirmations: ['pending_confirmations', 'succeeded', 'requires_payment'],
  succeeded: ['succeeded'],
  expired: ['expired', 'pending_confirmations'],
  canceled: ['canceled', 'pending_confirmations'],
}

/**
 * I3, I5 and I6, whenever anything may have changed: it changed by the rules, was reported by one event each, nothing
 * succeeded without its money and a proof of it, and no money was taken back without a proof.
 */
export async function checkChanges(
  db: Db,
  watch: Watch,
  step: number,
  shown: Shown,
): Promise<IntentRow[]> {
  const { rows } = await db.pool.query<IntentRow>(
    `select p.id, status, version, sequence, exceptions, amount_received_units, tx_hash,
       succeeded_at is not null as counts,
       coalesce(s.near, 0) as near
     from payment_intents p left join (
       select intent_id, count(*)::integer as near from transfer_suggestions
       where match <> 'payer' group by intent_id
     ) s on s.intent_id = p.id`,
  )
  for (const row of rows) checkWoken(watch, step, row)
  await checkShown(db, watch, step, rows)
  const moved = rows.filter((row) => watch.lastVersions.get(row.id)?.version !== row.version)
  if (moved.length === 0) return rows
  const ids = moved.map((row) => row.id)
  const [events, transfers] = await Promise.all([findEvents(db, ids), findTransfers(db, ids)])
  for (const row of moved) {
    const mine = transfers.get(row.id) ?? []
    checkIntent(watch, step, row, events.get(row.id) ?? [], mine, shown)
  }
  return rows
}

/** An open intent that was nearly paid has a new version, so that its checkout learns of it. */
function checkWoken({ knowledge, lastVersions }: Watch, step: number, row: IntentRow): void {
  const before = lastVersions.get(row.id)
  if (before?.status !== 'requires_payment' || before.near === row.near) return
  if (row.version > before.version) return
  const intent = knowledge.intents.get(row.id)
  throw new Violation(
    'states',
    step,
    intent ? [intent.history] : [],
    `${row.id}: nearly paid, unseen`,
  )
}

const network = { name: 'Chain', nativeSymbol: 'ETH', rpcUrl: 'http://rpc', explorerUrl: null }

/** A checkout is shown an open intent as it is now, though its cache was asked before. Others are always read whole. */
async function checkShown(
  db: Db,
  { cache, knowledge }: Watch,
  step: number,
  rows: readonly IntentRow[],
): Promise<void> {
  const ids = rows.filter(({ status }) => status === 'requires_payment').map(({ id }) => id)
  const shown = await cache.read(ids)
  const present = await findForCheckouts(db.pool, ids)
  const viewOf = (intent: CheckoutIntent | undefined) =>
    viewForCheckout({ network: () => network }, intent ?? null)
  for (const id of ids) {
    if (isDeepStrictEqual(viewOf(shown.get(id)), viewOf(present.get(id)?.value))) continue
    const intent = knowledge.intents.get(id)
    throw new Violation('cache', step, intent ? [intent.history] : [], `${id}: shown as it was`)
  }
}

function checkIntent(
  { knowledge, lastVersions, succeeded }: Watch,
  step: number,
  row: IntentRow,
  events: readonly EventRow[],
  transfers: readonly TransferRow[],
  shown: Shown,
): void {
  const before = lastVersions.get(row.id) ?? {
    status: '',
    version: 0,
    sequence: 0,
    near: 0,
    credited: [],
  }
  const intent = knowledge.intents.get(row.id)
  const decision = knowledge.decisions.get(row.id) ?? undecided
  const expect = (truth: boolean, invariant: string, fault: string) => {
    if (truth) return
    throw new Violation(invariant, step, intent ? [intent.history] : [], `${row.id}: ${fault}`)
  }
  expect(shown.granted?.has(row.id) ?? true, 'request', 'changed, though nothing was granted')
  const numbers = events.map((event) => event.sequence)
  const isNumbered =
    events.length === row.sequence && numbers.every((number, at) => number === at + 1)
  expect(isNumbered, 'I5', `${row.sequence} events, numbered ${numbers}`)
  expect(row.version > before.version, 'I5', `version ${before.version} became ${row.version}`)

  const added = events.slice(before.sequence)
  let { status } = before
  for (const event of added) {
    const later = JSON.parse(event.object).status as string
    expect(next[status]?.includes(later) ?? false, 'I5', `${status || 'nothing'} became ${later}`)
    if (event.type === 'payment_intent.reversed') {
      expect(status === 'succeeded', 'I6', `reversed, but ${status}`)
    }
    status = later
  }
  expect(status === row.status, 'I5', `by its events it is ${status}, the intent is ${row.status}`)
  const stands = row.status === 'succeeded' && !row.exceptions.includes('reorged')
  expect(row.counts === stands, 'I3', `${row.status}, ${row.exceptions}, counts: ${row.counts}`)
  expect(status !== 'canceled' || decision.canceled, 'I5', 'canceled, but no merchant requested it')

  const credited = transfers
    .filter((transfer) => !transfer.orphaned)
    .flatMap((transfer) => toCredited(knowledge.chain, transfer))
  const movedAway = knowledge.moved.filter(({ from, reported }) => from === row.id && !reported)
  const moves = added.filter(({ type }) => type === 'payment_intent.transfer_moved').length
  expect(moves === movedAway.length, 'I6', `${movedAway.length} moved, reported ${moves} times`)
  for (const move of movedAway) move.reported = true
  const had = before.credited.filter(
    ({ id }) => !movedAway.some(({ transferId }) => transferId === id),
  )
  const orphaned = had.filter(({ id }) => !credited.some((credit) => credit.id === id))
  const takenBack = added.map(({ type }) => type).filter((type) => /reorged|reversed/.test(type))
  const settled =
    intent && before.status === 'succeeded' ? payment(intent, decision, before.credited) : null
  const ids = orphaned.map(({ id }) => id)
  const change = intent && { intent, before: had, accepted: decision.accepted, settled }
  const isExpected = !change || isReportedCorrectly(takenBack, orphaned, change)
  expect(isExpected, 'I6', `${ids} gone, reported as ${takenBack}`)
  for (const { block_hash: hash, block_number: number, id } of transfers) {
    const isProven =
      knowledge.chain.replaced.has(hash) ||
      shown.views.some((view) => (view[Number(number)]?.hash ?? hash) !== hash)
    expect(isProven || !ids.includes(id), 'reorg', `${id} taken back without proof`)
  }
  if (takenBack.length > 0 && decision.accepted !== null) {
    knowledge.decisions.set(row.id, { ...decision, lapsed: true })
  }

  if (added.some(({ type }) => type === 'payment_intent.succeeded')) {
    const isSettled = ({ txHash, block }: Credited) => shown.receipts.has(`${txHash}:${block.hash}`)
    // Nodes may be on different branches: one proven branch is enough.
    const paid = shown.views.flatMap((view) => {
      const deep = intent ? deepOn(view, intent, credited) : []
      const paying = intent && payment(intent, decision, deep)
      return paying ? [paying] : []
    })
    const what = `${decision.accepted ?? intent?.amount} at depth ${intent?.confirmations}`
    expect(paid.length > 0, 'I3', `succeeded without ${what}`)
    const isProven = paid.some((paying) => paying.every(isSettled))
    expect(isProven, 'I3', 'succeeded without a receipt')
    succeeded.add(row.id)
  }
  lastVersions.set(row.id, { ...row, credited })
  knowledge.statuses.set(row.id, row.status)
  if (added.some(({ type }) => type === 'payment_intent.pending_confirmations')) {
    knowledge.everPaid.add(row.id)
  }
}

async function findEvents(db: Db, ids: readonly string[]): Promise<Map<string, EventRow[]>> {
  const { rows } = await db.pool.query<EventRow>(
    `select intent_id, type, sequence, object from events
     where intent_id = any($1) order by intent_id, sequence`,
    [ids],
  )
  return Map.groupBy(rows, (row) => row.intent_id)
}

async function findTransfers(db: Db, ids: readonly string[]): Promise<Map<string, TransferRow[]>> {
  const { rows } = await db.pool.query<TransferRow>(
    `select id, block_hash, block_number, log_index, tx_hash, amount_units, bound_by, intent_id,
       orphaned
     from transfers where intent_id = any($1)`,
    [ids],
  )
  return Map.groupBy(rows, (row) => row.intent_id)
}

export function toCredited(
  chain: Chain,
  row: Pick<
    TransferRow,
    'id' | 'block_hash' | 'log_index' | 'tx_hash' | 'amount_units' | 'bound_by'
  >,
): Credited[] {
  const block = chain.blocks.get(row.block_hash)
  if (!block) return []
  const { id, log_index: logIndex, amount_units: amount, tx_hash: txHash, bound_by: rail } = row
  return [{ id, block, logIndex, amount, txHash, rail: String(rail) }]
}
