import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'
import { type Acted, acceptIntent, assignTransfer, cancelIntent } from '../db/act.ts'
import { type Db, one } from '../db/connect.ts'
import { received } from '../intent/intent.ts'
import type { Wish } from './history.ts'
import { type Promised, transferKey, undecided } from './oracle/knowledge.ts'
import {
  type Found,
  type FoundTransfer,
  judgeAccept,
  judgeAssign,
  judgeCancel,
  type Verdict,
} from './oracle/wishes.ts'
import { merchantOf, type People } from './people.ts'
import { Violation } from './violation.ts'

/**
 * A merchant asks for something, as the endpoint hands it on. The answer is judged by what was there before.
 *
 * @returns what was answered, or that there was nothing to ask it for
 * @throws {Violation} when the answer, or what it did, is not what the design says
 */
export async function ask(
  db: Db,
  people: People,
  step: number,
  wallet: number,
  wish: Wish,
): Promise<Verdict['answer'] | 'nothing_there'> {
  const { knowledge } = people
  const intent = people.intents.get(`${wallet}:${wish.intent}`)
  const transfer = wish.type === 'assign' ? await findTransfer(db, wallet, wish) : null
  if (!intent || (wish.type === 'assign' && !transfer)) return 'nothing_there'

  const before = await find(db, intent)
  const decision = knowledge.decisions.get(intent.id) ?? undecided
  const verdict = judge(people, wish, intent, transfer, {
    ...before,
    amount: intent.amount,
    decision,
    isTheirs: !wish.stranger,
  })
  const acted = await request(db, people, wallet, wish, intent.id, transfer?.id ?? null)
  const answer = verdict.answer === 'already' ? 'done' : verdict.answer
  const after = acted.type === 'done' ? acted.intent : null
  const isRight =
    verdict.answer !== 'done' ||
    (after !== null &&
      after.version > before.version &&
      after.status === (verdict.status ?? after.status) &&
      received(after) === verdict.received)
  if (acted.type !== answer || !isRight) {
    const found = `${before.status} with ${before.received}`
    const then = after ? `${after.status} with ${received(after)}` : 'as before'
    const what = `${wish.type} of ${intent.id}, ${found}, was ${acted.type}, then ${then}; right: ${verdict.answer}`
    throw new Violation('wish', step, [wallet], what)
  }
  if (verdict.answer !== 'done') return verdict.answer

  knowledge.decisions.set(intent.id, verdict.decision)
  if (transfer) {
    const key = transferKey(transfer)
    knowledge.assigned.set(key, [...(knowledge.assigned.get(key) ?? []), intent.id])
  }
  return 'done'
}

function judge(
  { plan, knowledge }: People,
  wish: Wish,
  intent: Promised,
  transfer: Row | null,
  found: Found,
): Verdict {
  if (wish.type === 'assign' && transfer) {
    const { amount, intentId, orphaned, token } = transfer
    const isUsdc = token === plan.network.usdc.toLowerCase()
    return judgeAssign(found, {
      isTheirs: wish.of !== 'neighbours',
      amount,
      creditedTo: creditedTo(intentId, intent),
      orphaned,
      isPayment: isUsdc && intent.chainId === knowledge.chainId,
    })
  }
  return wish.type === 'cancel' ? judgeCancel(found) : judgeAccept(found)
}

function creditedTo(intentId: string | null, intent: Promised): FoundTransfer['creditedTo'] {
  if (intentId === null) return 'nobody'
  return intentId === intent.id ? 'this_intent' : 'another'
}

function request(
  db: Db,
  { plan, knowledge }: People,
  wallet: number,
  { type, stranger }: Wish,
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
  wish: Extract<Wish, { type: 'assign' }>,
): Promise<Row | null> {
  const { rows } = await db.pool.query<Row>(
    `select id, tx_hash as "txHash", sender as from, wallet as to,
       token_address as token, amount_units as amount,
       intent_id as "intentId", orphaned
     from transfers where merchant_id = $1 and ($2 or intent_id is null and not orphaned)
     order by block_number, log_index, block_hash`,
    [merchantOf(wish.of === 'neighbours' ? wallet + 1 : wallet), wish.of !== 'nobodys'],
  )
  return rows[Math.floor(wish.which * rows.length)] ?? null
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
