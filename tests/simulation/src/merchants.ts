import type { Address } from '@payment-intents/contract'
import { type ActionResult, received } from '@payment-intents/core'
import { type Db, onlyRow } from '@payment-intents/server/src/store/connection/connect.ts'
import {
  acceptIntent,
  assignTransfer,
  cancelIntent,
} from '@payment-intents/server/test/support/server/actions.ts'
import type { Hex } from 'viem'
import { toCredited } from './checkChanges.ts'
import { type Knowledge, type Promised, transferKey, undecided } from './oracle/knowledge.ts'
import {
  classifyAccept,
  classifyAssign,
  classifyCancel,
  type Found,
  type RightAnswer,
} from './oracle/merchantRequests.ts'
import { type Actors, merchantOf } from './plan/actors.ts'
import type { MerchantRequest } from './plan/history.ts'
import { Violation } from './violation.ts'

type Asked = {
  /** What was asked and answered. */
  readonly name: string
  /** The intents that may have changed. */
  readonly changed: readonly string[]
}

/**
 * A merchant's request, as the endpoint passes it on. The answer has to follow from the state before.
 *
 * @throws {Violation} when the answer, or what it did, is not what the design says
 */
export async function ask(
  db: Db,
  actors: Actors,
  step: number,
  wallet: number,
  asked: MerchantRequest,
): Promise<Asked> {
  const { knowledge } = actors
  const intent = actors.intents.get(`${wallet}:${asked.intent}`)
  const transfer = asked.type === 'assign' ? await findTransfer(db, wallet, asked, intent) : null
  if (!intent || (asked.type === 'assign' && !transfer)) {
    return { name: `${asked.type}: nothing there`, changed: [] }
  }

  const before = await find(db, knowledge, intent)
  const source =
    transfer?.intentId && transfer.intentId !== intent.id
      ? knowledge.intents.get(transfer.intentId)
      : undefined
  const from = source ? await find(db, knowledge, source) : null
  const found = { ...before, isTheirs: !asked.stranger }
  const acted = await request(db, actors, wallet, asked, intent.id, transfer?.id ?? null)
  // While an authorization may still move money, the intent is not canceled.
  const isHeld = knowledge.handedIn.some(({ intentId }) => intentId === intent.id)
  const mayWait = asked.type === 'cancel' && isHeld && acted.type === 'refused'
  const isNeeded =
    transfer !== null && source !== undefined && from !== null
      ? await refundsNeed(db, source.id, transfer, from)
      : false
  const right = mayWait
    ? ({ answer: 'refused' } as const)
    : unlessNeeded(classify(actors, asked, found, transfer, from), isNeeded)
  const answer = right.answer === 'already' ? 'done' : right.answer
  const after = acted.type === 'done' ? acted.intent : null
  // Dust that is assigned counts, so it changes something too.
  const isRight =
    right.answer !== 'done' ||
    (after !== null &&
      after.version > before.version &&
      after.status === (right.status ?? after.status) &&
      received(after) === right.received)
  if (acted.type !== answer || !isRight) {
    const then = after ? `${after.status} with ${received(after)}` : 'as before'
    const what = `${asked.type} of ${intent.id}, ${before.status}, was ${acted.type}, then ${then}; right: ${right.answer}`
    throw new Violation('request', step, [wallet], what)
  }
  const name = source ? 'move' : asked.type
  if (right.answer !== 'done') return { name: `${name}: ${right.answer}`, changed: [] }

  knowledge.decisions.set(intent.id, right.decision)
  if (asked.type === 'cancel') knowledge.canceledAt.set(intent.id, knowledge.chain.tick())
  if (transfer) noteAssigned(knowledge, transfer, intent)
  return { name: `${name}: done`, changed: [intent.id, ...(source ? [source.id] : [])] }
}

/** Whether an intent's refunds are not covered without one of its transfers. */
async function refundsNeed(db: Db, id: string, transfer: Row, { credited }: Found) {
  const { refunds } = onlyRow(
    await db.pool.query<{ refunds: bigint }>(
      `select coalesce(sum(amount_units), 0) as refunds from refunds
       where intent_id = $1 and status <> 'canceled'`,
      [id],
    ),
  )
  const rest = credited.filter((other) => other.id !== transfer.id)
  return rest.reduce((sum, { amount }) => sum + amount, 0n) < refunds
}

function unlessNeeded(right: RightAnswer, isNeeded: boolean): RightAnswer {
  return isNeeded && right.answer === 'done' ? { answer: 'refused' } : right
}

function noteAssigned(knowledge: Knowledge, transfer: Row, { id }: Promised): void {
  const key = transferKey(transfer)
  const { intentId: from, rail } = transfer
  const assigned = [...(knowledge.assigned.get(key) ?? [])]
  if (from && rail === 'assignment') assigned.splice(assigned.indexOf(from), 1)
  knowledge.assigned.set(key, [...assigned, id])
  if (from) knowledge.moved.push({ from, transferId: transfer.id, reported: false })
}

function classify(
  { plan, knowledge }: Actors,
  asked: MerchantRequest,
  found: Found,
  transfer: Row | null,
  source: Found | null,
): RightAnswer {
  if (asked.type === 'assign' && transfer) {
    const { intentId, orphaned, token, id } = transfer
    const isUsdc = token === plan.network.usdc.toLowerCase()
    const isOwn = intentId === found.intent.id
    const [credit] = toCredited(knowledge.chain, transfer)
    if (!credit) throw new Error(`${id} is in no block.`)
    return classifyAssign(found, {
      isTheirs: asked.of !== 'neighbours',
      transfer: credit,
      creditedTo: isOwn ? 'this_intent' : (source ?? 'no_intent'),
      orphaned,
      isPayment: isUsdc && found.intent.chainId === knowledge.chainId,
    })
  }
  return asked.type === 'cancel' ? classifyCancel(found) : classifyAccept(found)
}

function request(
  db: Db,
  { plan, knowledge }: Actors,
  wallet: number,
  { type, stranger }: MerchantRequest,
  intentId: string,
  transferId: string | null,
): Promise<ActionResult> {
  const who = {
    merchantId: merchantOf(stranger ? wallet + 1 : wallet),
    mode: plan.network.mode,
  }
  const clock = () => ({ now: knowledge.chain.head.timestamp * 1000 })
  if (transferId) return assignTransfer(db, who, transferId, intentId, clock)
  return type === 'cancel'
    ? cancelIntent(db, who, intentId, clock)
    : acceptIntent(db, who, intentId, clock)
}

type Row = CreditRow & {
  from: Address
  to: Address
  txHash: Hex
  amount: bigint
  token: Address
  intentId: string | null
  rail: string | null
  orphaned: boolean
}

type CreditRow = Parameters<typeof toCredited>[1]

const selectCredit = `
  t.id, t.block_hash, t.log_index, t.tx_hash, t.amount_units, t.bound_by`

const those = {
  unmatched: 'intent_id is null and not orphaned',
  own: 'true',
  neighbours: 'true',
  extra: `intent_id <> $2 and wallet = $3 and not orphaned and exists (
    select from transfers e where e.intent_id = t.intent_id and not e.orphaned
      and (e.block_number, e.log_index) < (t.block_number, t.log_index))`,
}

/** One of a merchant's transfers, in the order of the chain. */
async function findTransfer(
  db: Db,
  wallet: number,
  asked: Extract<MerchantRequest, { type: 'assign' }>,
  intent: Promised | undefined,
): Promise<Row | null> {
  const of = asked.of === 'neighbours' ? wallet + 1 : wallet
  const { rows } = await db.pool.query<Row>(
    `select ${selectCredit}, t.sender as from, t.wallet as to, t.tx_hash as "txHash",
       t.amount_units as amount, t.token_address as token, t.intent_id as "intentId",
       t.bound_by as rail, t.orphaned
     from transfers t where merchant_id = $1 and ${those[asked.of]}
     order by block_number, log_index, block_hash`,
    [merchantOf(of), ...(asked.of === 'extra' ? [intent?.id, intent?.wallet] : [])],
  )
  return rows[Math.floor(asked.which * rows.length)] ?? null
}

/** An intent's present state. */
async function find(
  db: Db,
  { chain, decisions }: Knowledge,
  intent: Promised,
): Promise<Found & { readonly version: number }> {
  const { status, version } = onlyRow(
    await db.pool.query<{ status: string; version: number }>(
      'select status, version from payment_intents where id = $1',
      [intent.id],
    ),
  )
  const { rows } = await db.pool.query<CreditRow>(
    `select ${selectCredit} from transfers t where intent_id = $1 and not orphaned`,
    [intent.id],
  )
  return {
    intent,
    status,
    version,
    isTheirs: true,
    decision: decisions.get(intent.id) ?? undecided,
    credited: rows.flatMap((row) => toCredited(chain, row)),
  }
}
