import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'
import type { Db } from '../db/connect.ts'
import type { Branch, Chain } from './chain.ts'
import {
  type Credited,
  faultsOf,
  type Group,
  isSettledOn,
  judge,
  type Promised,
  type Slot,
  type Standing,
} from './oracle.ts'
import { Violation } from './violation.ts'

/** What is watched over a world's life. */
export type Watch = {
  readonly chainId: number
  readonly chain: Chain
  readonly promised: Map<string, Promised>
  readonly wallets: Map<Address, number>
  /** Status, version and number of events when last looked at. */
  readonly seen: Map<string, { status: string; version: number; sequence: number }>
  readonly succeeded: Set<string>
}

type IntentRow = {
  id: string
  status: string
  version: number
  sequence: number
  exceptions: string[]
  amount_received_units: bigint
  tx_hash: Hex | null
}

type TransferRow = {
  block_hash: Hex
  log_index: number
  tx_hash: Hex
  wallet: Address
  amount_units: bigint
  intent_id: string | null
}

/** Each status, and what may come next. */
const next: Record<string, readonly string[]> = {
  '': ['requires_payment'],
  requires_payment: ['requires_payment', 'pending_confirmations', 'expired', 'canceled'],
  pending_confirmations: ['pending_confirmations', 'succeeded', 'requires_payment'],
  succeeded: ['succeeded'],
  expired: ['expired', 'pending_confirmations'],
  canceled: ['canceled', 'pending_confirmations'],
}

/** I3 and I5, after each step: what changed, changed by the rules, and nothing succeeded without its money. */
export async function checkChanges(
  db: Db,
  watch: Watch,
  step: number,
  views: readonly Branch[],
): Promise<IntentRow[]> {
  const { rows } = await db.pool.query<IntentRow>(
    `select id, status, version, sequence, exceptions, amount_received_units, tx_hash
     from payment_intents where chain_id = $1`,
    [watch.chainId],
  )
  const moved = rows.filter((row) => watch.seen.get(row.id)?.version !== row.version)
  if (moved.length === 0) return rows
  const { rows: events } = await db.pool.query<{
    intent_id: string
    type: string
    sequence: number
    object: string
  }>(
    `select intent_id, type, sequence, object from events
     where intent_id = any($1) order by intent_id, sequence`,
    [moved.map((row) => row.id)],
  )
  const byIntent = Map.groupBy(events, (event) => event.intent_id)
  const succeededNow: string[] = []
  const takenBack: string[] = []
  for (const row of moved) {
    const seen = watch.seen.get(row.id) ?? { status: '', version: 0, sequence: 0 }
    const intent = watch.promised.get(row.id)
    const fail = (message: string): never => {
      throw new Violation('I5', step, intent ? [intent.history] : [], `${row.id}: ${message}`)
    }
    const told = byIntent.get(row.id) ?? []
    if (told.length !== row.sequence || told.some((event, at) => event.sequence !== at + 1)) {
      fail(`${row.sequence} events, numbered ${told.map((event) => event.sequence)}`)
    }
    if (row.version < seen.version) fail(`version went from ${seen.version} to ${row.version}`)
    let { status } = seen
    for (const event of told.slice(seen.sequence)) {
      const told = JSON.parse(event.object).status as string
      if (!next[status]?.includes(told)) fail(`${status || 'nothing'} became ${told}`)
      status = told
      if (event.type === 'payment_intent.succeeded') succeededNow.push(row.id)
      if (/reorged|reversed/.test(event.type)) takenBack.push(row.id)
    }
    if (status !== row.status) fail(`events tell ${status}, the intent is ${row.status}`)
    watch.seen.set(row.id, row)
  }
  if (takenBack.length > 0) await checkTakenBack(db, watch, step, takenBack, views)
  if (succeededNow.length > 0) await checkSuccess(db, watch, step, succeededNow, views)
  return rows
}

/** Money is taken back only on proof: one of its blocks was replaced, or another was shown at its height. */
async function checkTakenBack(
  db: Db,
  watch: Watch,
  step: number,
  ids: readonly string[],
  views: readonly Branch[],
): Promise<void> {
  const { rows } = await db.pool.query<TransferRow & { block_number: bigint }>(
    'select * from transfers where intent_id = any($1)',
    [ids],
  )
  const byIntent = Map.groupBy(rows, (row) => row.intent_id)
  for (const id of ids) {
    const proven = (byIntent.get(id) ?? []).some(({ block_hash: hash, block_number: number }) => {
      if (watch.chain.replaced.has(hash)) return true
      return views.some((view) => (view[Number(number)]?.hash ?? hash) !== hash)
    })
    const intent = watch.promised.get(id)
    if (proven || !intent) continue
    throw new Violation('reorg', step, [intent.history], `${id}: taken back without proof`)
  }
}

/** I3: on a branch that the provider showed, the money is there and deep enough. */
async function checkSuccess(
  db: Db,
  watch: Watch,
  step: number,
  ids: readonly string[],
  views: readonly Branch[],
): Promise<void> {
  const { rows } = await db.pool.query<TransferRow>(
    'select * from transfers where intent_id = any($1) and not orphaned',
    [ids],
  )
  const byIntent = Map.groupBy(rows, (row) => row.intent_id)
  for (const id of ids) {
    const intent = watch.promised.get(id)
    const credited = (byIntent.get(id) ?? []).flatMap((row) => toCredited(watch, row))
    if (!intent || !views.some((view) => isSettledOn(view, intent, credited))) {
      const message = `${id} succeeded without ${intent?.amount} at depth ${intent?.confirmations}`
      throw new Violation('I3', step, intent ? [intent.history] : [], message)
    }
    watch.succeeded.add(id)
  }
}

/** I4 and I7, and the states: when the head has been read in full, database and chain tell the same. */
export async function checkAgainstChain(
  db: Db,
  watch: Watch,
  step: number,
  intents: readonly IntentRow[],
  settled: boolean,
): Promise<number> {
  const { chain, chainId } = watch
  const { rows } = await db.pool.query<TransferRow>(
    `select block_hash, log_index, tx_hash, wallet, amount_units, intent_id from transfers
     where chain_id = $1 and not orphaned`,
    [chainId],
  )
  const stored = new Map(rows.map((row) => [`${row.block_hash}:${row.log_index}`, row]))
  const world = { chain, intents: [...watch.promised.values()] }
  for (const group of groupsOf(chain.canonical, watch.wallets)) {
    const found = group.places.flatMap((place) => stored.get(place) ?? [])
    for (const place of group.places) stored.delete(place)
    const { slots, optional } = judge(group, world)
    const credits = found.map((row) => row.intent_id)
    const history = watch.wallets.get(group.to) ?? -1
    const about = `${group.count} × ${group.amount} to ${group.to} in ${group.transaction.hash}, block ${group.block.number} at ${group.block.timestamp},`
    const complete = found.length === group.count || (optional && found.length === 0)
    if (!complete) {
      throw new Violation('I4', step, [history], `${about}: ${found.length} stored`)
    }
    if (!fits(credits, slots)) {
      const allowed = slots
        .map((slot) => [...slot].map((id) => id ?? 'nobody').join(' or '))
        .join('; ')
      throw new Violation(
        'I7',
        step,
        [history],
        `${about} credited to ${credits}; right: ${allowed}`,
      )
    }
    if (found.some((row) => row.amount_units !== group.amount || row.wallet !== group.to)) {
      throw new Violation('I7', step, [history], `${about}: stored as something else`)
    }
  }
  for (const row of stored.values()) {
    const history = watch.wallets.get(row.wallet) ?? -1
    throw new Violation('I7', step, [history], `${row.tx_hash} is stored, but not on the chain`)
  }

  const byIntent = Map.groupBy(rows, (row) => row.intent_id)
  for (const row of intents) {
    const intent = watch.promised.get(row.id)
    if (!intent) throw new Violation('I7', step, [], `${row.id} was never created`)
    const credited = (byIntent.get(row.id) ?? []).flatMap((one) => toCredited(watch, one))
    const [fault] = faultsOf(intent, toStanding(row), credited, {
      timestamp: chain.head.timestamp,
      succeededBefore: watch.succeeded.has(row.id),
      settled,
    })
    if (fault) throw new Violation('states', step, [intent.history], `${row.id}: ${fault}`)
  }
  return rows.length
}

function* groupsOf(
  branch: Branch,
  wallets: ReadonlyMap<Address, number>,
): Generator<Group & { places: string[] }> {
  for (const block of branch) {
    const groups = new Map<string, Group & { places: string[]; count: number }>()
    for (const { transaction, logIndex, to, amount } of block.logs) {
      if (amount === 0n || !wallets.has(to)) continue
      const key = `${transaction.hash}:${to}:${amount}`
      const group = groups.get(key) ?? { transaction, block, to, amount, count: 0, places: [] }
      groups.set(key, group)
      group.count += 1
      group.places.push(`${block.hash}:${logIndex}`)
    }
    yield* groups.values()
  }
}

/** Whether each credit finds a slot of its own. */
function fits(credits: readonly (string | null)[], slots: readonly Slot[]): boolean {
  const [credit, ...others] = credits
  if (credit === undefined) return true
  return slots.some((slot, at) => slot.has(credit) && fits(others, slots.toSpliced(at, 1)))
}

function toCredited(watch: Watch, row: TransferRow): Credited[] {
  const block = watch.chain.blocks.get(row.block_hash)
  if (!block) return []
  return [{ block, logIndex: row.log_index, amount: row.amount_units, txHash: row.tx_hash }]
}

function toStanding(row: IntentRow): Standing {
  const { status, exceptions, amount_received_units: received, tx_hash: txHash } = row
  return { status, exceptions, received, txHash }
}
