import type { Address } from '@payment-intents/contract'
import { type Acted, acceptIntent, assignTransfer, cancelIntent } from 'server/src/db/act.ts'
import { type Db, one } from 'server/src/db/connect.ts'
import { received } from '@payment-intents/rules'
import type { Hex } from 'viem'
import { type Actors, merchantOf } from './actors.ts'
import type { MerchantRequest } from './history.ts'
import { type Promised, transferKey, undecided } from './oracle/knowledge.ts'
import {
  classifyAccept,
  classifyAssign,
  classifyCancel,
  type Found,
  type FoundTransfer,
  type RightAnswer,
} from './oracle/merchantRequests.ts'
import { Violation } from './violation.ts'

/**
 * A merchant asks for something, as the endpoint hands it on. The answer has to follow from what was there before.
 *
 * @returns what was answered, or that there was nothing to ask it for
 * @throws {Violation} when the answer, or what it did, is not what the design says
 */
export async function ask(
  db: Db,
  actors: Actors,
  step: number,
  wallet: number,
  asked: MerchantRequest,
): Promise<RightAnswer['answer'] | 'nothing_there'> {
  const { knowledge } = actors
  const intent = actors.intents.get(`${wallet}:${asked.intent}`)
  const transfer = asked.type === 'assign' ? await findTransfer(db, wallet, asked) : null
  if (!intent || (asked.type === 'assign' && !transfer)) return 'nothing_there'

  const before = await find(db, intent)
  const decision = knowledge.decisions.get(intent.id) ?? undecided
  const right = classify(actors, asked, intent, transfer, {
    ...before,
    amount: intent.amount,
    decision,
    isTheirs: !asked.stranger,
  })
  const acted = await request(db, actors, wallet, asked, intent.id, transfer?.id ?? null)
  const answer = right.answer === 'already' ? 'done' : right.answer
  const after = acted.type === 'done' ? acted.intent : null
  const isRight =
    right.answer !== 'done' ||
    (after !== null &&
      after.version > before.version &&
      after.status === (right.status ?? after.status) &&
      received(after) === right.received)
  if (acted.type !== answer || !isRight) {
    const found = `${before.status} with ${before.received}`
    const then = after ? `${after.status} with ${received(after)}` : 'as before'
    const what = `${asked.type} of ${intent.id}, ${found}, was ${acted.type}, then ${then}; right: ${right.answer}`
    throw new Violation('request', step, [wallet], what)
  }
  if (right.answer !== 'done') return right.answer

  knowledge.decisions.set(intent.id, right.decision)
  if (transfer) {
    const key = transferKey(transfer)
    knowledge.assigned.set(key, [...(knowledge.assigned.get(key) ?? []), intent.id])
  }
  return 'done'
}

function classify(
  { plan, knowledge }: Actors,
  asked: MerchantRequest,
  intent: Promised,
  transfer: Row | null,
  found: Found,
): RightAnswer {
  if (asked.type === 'assign' && transfer) {
    const { amount, intentId, orphaned, token } = transfer
    const isUsdc = token === plan.network.usdc.toLowerCase()
    return classifyAssign(found, {
      isTheirs: asked.of !== 'neighbours',
      amount,
      creditedTo: creditedTo(intentId, intent),
      orphaned,
      isPayment: isUsdc && intent.chainId === knowledge.chainId,
    })
  }
  return asked.type === 'cancel' ? classifyCancel(found) : classifyAccept(found)
}

function creditedTo(intentId: string | null, intent: Promised): FoundTransfer['creditedTo'] {
  if (intentId === null) return 'nobody'
  return intentId === intent.id ? 'this_intent' : 'another'
}

function request(
  db: Db,
  { plan, knowledge }: Actors,
  wallet: number,
  { type, stranger }: MerchantRequest,
  intentId: string,
  transferId: string | null,
): Promise<Acted> {
  const who = {
    merchantId: merchantOf(stranger ? wallet + 1 : wallet),
    mode: plan.network.mode,
  }
  const now = knowledge.chain.head.timestamp * 1000
  if (transferId) return assignTransfer(db, who, transferId, intentId, now)
  return type === 'cancel'
    ? cancelIntent(db, who, intentId, now)
    : acceptIntent(db, who, intentId, now)
}

type Row = {
  id: string
  txHash: Hex
  from: Address
  to: Address
  token: Address
  amount: bigint
  intentId: string | null
  orphaned: boolean
}

/** One of a merchant's transfers, in the order of the chain. */
async function findTransfer(
  db: Db,
  wallet: number,
  asked: Extract<MerchantRequest, { type: 'assign' }>,
): Promise<Row | null> {
  const { rows } = await db.pool.query<Row>(
    `select id, tx_hash as "txHash", sender as from, wallet as to,
       token_address as token, amount_units as amount,
       intent_id as "intentId", orphaned
     from transfers where merchant_id = $1 and ($2 or intent_id is null and not orphaned)
     order by block_number, log_index, block_hash`,
    [merchantOf(asked.of === 'neighbours' ? wallet + 1 : wallet), asked.of !== 'nobodys'],
  )
  return rows[Math.floor(asked.which * rows.length)] ?? null
}

type Standing = Pick<Found, 'status' | 'transfers' | 'received'> & {
  readonly version: number
}

async function find(db: Db, intent: Promised): Promise<Standing> {
  return one(
    await db.pool.query<Standing>(
      `select p.status, p.version, count(t.id)::integer as transfers,
         coalesce(sum(t.amount_units), 0) as received
       from payment_intents p left join transfers t on t.intent_id = p.id and not t.orphaned
       where p.id = $1 group by p.id`,
      [intent.id],
    ),
  )
}
