import type { Address } from '@payment-intents/contract'
import { type ActionResult, received } from '@payment-intents/core'
import { type Db, onlyRow } from '@payment-intents/server/src/store/connection/connect.ts'
import {
  acceptIntent,
  assignTransfer,
  cancelIntent,
} from '@payment-intents/server/test/support/server/directActions.ts'
import type { Hex } from 'viem'
import { toCredited } from './checkChanges.ts'
import { type Knowledge, type Promised, transferKey, undecided } from './oracle/knowledge.ts'
import {
  classifyAccept,
  classifyAssign,
  classifyCancel,
  type ExpectedResult,
  type MerchantIntent,
} from './oracle/merchantRequests.ts'
import { type Actors, merchantOf } from './plan/actors.ts'
import type { MerchantRequest } from './plan/history.ts'
import { Violation } from './violation.ts'

type RequestOutcome = {
  /** The request and its outcome. */
  readonly name: string
  /** The intents that may have changed. */
  readonly changed: readonly string[]
}

/**
 * A merchant's request, as the endpoint passes it on. The response has to follow from the state before.
 *
 * @throws {Violation} when the response, or its effect, differs from the design
 */
export async function sendMerchantRequest(
  db: Db,
  actors: Actors,
  step: number,
  wallet: number,
  merchantRequest: MerchantRequest,
): Promise<RequestOutcome> {
  const { knowledge } = actors
  const intent = actors.intents.get(`${wallet}:${merchantRequest.intent}`)
  const transfer =
    merchantRequest.type === 'assign'
      ? await findTransfer(db, wallet, merchantRequest, intent)
      : null
  if (!intent || (merchantRequest.type === 'assign' && !transfer)) {
    return { name: `${merchantRequest.type}: nothing there`, changed: [] }
  }

  const before = await find(db, knowledge, intent)
  const source =
    transfer?.intentId && transfer.intentId !== intent.id
      ? knowledge.intents.get(transfer.intentId)
      : undefined
  const from = source ? await find(db, knowledge, source) : null
  const intentState = { ...before, isTheirs: !merchantRequest.stranger }
  const result = await request(db, actors, wallet, merchantRequest, intent.id, transfer?.id ?? null)
  // While an authorization may still move money, the intent is not canceled.
  const isInFlight = knowledge.submitted.some(({ intentId }) => intentId === intent.id)
  const mayWait = merchantRequest.type === 'cancel' && isInFlight && result.type === 'refused'
  const isNeeded =
    transfer !== null && source !== undefined && from !== null
      ? await refundsNeed(db, source.id, transfer, from)
      : false
  const expected = mayWait
    ? ({ result: 'refused' } as const)
    : unlessNeeded(classify(actors, merchantRequest, intentState, transfer, from), isNeeded)
  const expectedType = expected.result === 'already' ? 'done' : expected.result
  const after = result.type === 'done' ? result.intent : null
  // Dust that is assigned counts, so it changes something too.
  const isExpected =
    expected.result !== 'done' ||
    (after !== null &&
      after.version > before.version &&
      after.status === (expected.status ?? after.status) &&
      received(after) === expected.received)
  if (result.type !== expectedType || !isExpected) {
    const then = after ? `${after.status} with ${received(after)}` : 'as before'
    const what = `${merchantRequest.type} of ${intent.id}, ${before.status}, was ${result.type}, then ${then}; right: ${expected.result}`
    throw new Violation('request', step, [wallet], what)
  }
  const name = source ? 'move' : merchantRequest.type
  if (expected.result !== 'done') return { name: `${name}: ${expected.result}`, changed: [] }

  knowledge.decisions.set(intent.id, expected.decision)
  if (merchantRequest.type === 'cancel')
    knowledge.canceledAt.set(intent.id, knowledge.chain.advanceClock())
  if (transfer) noteAssigned(knowledge, transfer, intent)
  return { name: `${name}: done`, changed: [intent.id, ...(source ? [source.id] : [])] }
}

/** Whether an intent's refunds are not covered without one of its transfers. */
async function refundsNeed(db: Db, id: string, transfer: Row, { credited }: MerchantIntent) {
  const { refunds } = onlyRow(
    await db.pool.query<{ refunds: bigint }>(
      `select coalesce(sum(amount_units), 0) as refunds from refunds
       where intent_id = $1 and status <> 'canceled'`,
      [id],
    ),
  )
  const rest = credited.filter((candidate) => candidate.id !== transfer.id)
  return rest.reduce((sum, { amount }) => sum + amount, 0n) < refunds
}

function unlessNeeded(expected: ExpectedResult, isNeeded: boolean): ExpectedResult {
  return isNeeded && expected.result === 'done' ? { result: 'refused' } : expected
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
  merchantRequest: MerchantRequest,
  intentState: MerchantIntent,
  transfer: Row | null,
  source: MerchantIntent | null,
): ExpectedResult {
  if (merchantRequest.type === 'assign' && transfer) {
    const { intentId, orphaned, token, id } = transfer
    const isUsdc = token === plan.network.usdc.toLowerCase()
    const isFromIntent = intentId === intentState.intent.id
    const [credit] = toCredited(knowledge.chain, transfer)
    if (!credit) throw new Error(`${id} is in no block.`)
    return classifyAssign(intentState, {
      isTheirs: merchantRequest.of !== 'neighbours',
      transfer: credit,
      creditedTo: isFromIntent ? 'this_intent' : (source ?? 'no_intent'),
      orphaned,
      isPayment: isUsdc && intentState.intent.chainId === knowledge.chainId,
    })
  }
  return merchantRequest.type === 'cancel'
    ? classifyCancel(intentState)
    : classifyAccept(intentState)
}

function request(
  db: Db,
  { plan, knowledge }: Actors,
  wallet: number,
  { type, stranger }: MerchantRequest,
  intentId: string,
  transferId: string | null,
): Promise<ActionResult> {
  const actor = {
    merchantId: merchantOf(stranger ? wallet + 1 : wallet),
    mode: plan.network.mode,
  }
  const clock = () => ({ now: knowledge.chain.head.timestamp * 1000 })
  if (transferId) return assignTransfer(db, actor, transferId, intentId, clock)
  return type === 'cancel'
    ? cancelIntent(db, actor, intentId, clock)
    : acceptIntent(db, actor, intentId, clock)
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
  intended: 'true',
  neighbours: 'true',
  extra: `intent_id <> $2 and wallet = $3 and not orphaned and exists (
    select from transfers e where e.intent_id = t.intent_id and not e.orphaned
      and (e.block_number, e.log_index) < (t.block_number, t.log_index))`,
}

/** One of a merchant's transfers, in the order of the chain. */
async function findTransfer(
  db: Db,
  wallet: number,
  merchantRequest: Extract<MerchantRequest, { type: 'assign' }>,
  intent: Promised | undefined,
): Promise<Row | null> {
  const of = merchantRequest.of === 'neighbours' ? wallet + 1 : wallet
  const { rows } = await db.pool.query<Row>(
    `select ${selectCredit}, t.sender as from, t.wallet as to, t.tx_hash as "txHash",
       t.amount_units as amount, t.token_address as token, t.intent_id as "intentId",
       t.bound_by as rail, t.orphaned
     from transfers t where merchant_id = $1 and ${those[merchantRequest.of]}
     order by block_number, log_index, block_hash`,
    [merchantOf(of), ...(merchantRequest.of === 'extra' ? [intent?.id, intent?.wallet] : [])],
  )
  return rows[Math.floor(merchantRequest.which * rows.length)] ?? null
}

/** An intent's present state. */
async function find(
  db: Db,
  { chain, decisions }: Knowledge,
  intent: Promised,
): Promise<MerchantIntent & { readonly version: number }> {
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
