import { type Address, chainFactsOf, type Mode } from '@payment-intents/contract'
import {
  type Actor,
  type LockedSource,
  presentInRefundEvent,
  type Refund,
  type RefundCreation,
  type RefundStore,
} from '@payment-intents/core'
import { type Db, type Queryable, transaction } from '../connection/connect.ts'
import { insertEvents } from '../events/events.ts'
import { findEarlier, insertKey } from '../merchants/idempotencyKeys.ts'
import { findConfirmations } from '../merchants/settings.ts'
import { refundEventRows } from './changeRefunds.ts'
import { lockSource } from './lockSource.ts'
import { findSource, findWalletRole, insertRefund } from './refunds.ts'
import { updateAttentionOfRefunds } from './updateAttentionOfRefunds.ts'

type Request = Parameters<RefundStore['create']>[1]

/** Another transaction stored the idempotency key first. */
class ConcurrentCreation extends Error {}

/** Locks the source, and writes a refund of it with its idempotency key and its event, or nothing. */
export async function createRefund(
  db: Db,
  options: {
    /** `confirmations_required` of each chain that is followed in a mode. */
    readonly confirmations: (mode: Mode) => { readonly [chain: string]: number | undefined }
    readonly actor: Actor
    readonly request: Request
    readonly decide: (locked: LockedSource) => Refund
  },
): Promise<RefundCreation> {
  const { actor, request, decide, confirmations } = options
  const { idempotency } = request
  try {
    return await transaction(db, async (client): Promise<RefundCreation> => {
      const key = await findKey(client, actor, request)
      const earlier = () => idempotency && findEarlier(client, 'createRefund', actor, idempotency)
      if (!key) return (await earlier()) ?? { type: 'not_found' }
      const transfer = await lockSource(client, key)
      // Read it under the lock: of two requests with the same key, the second is replayed.
      const before = await earlier()
      if (before) return before
      const { chainId, intentId } = key
      const { chain, usdc } = chainFactsOf(chainId)
      const confirmationsRequired =
        key.confirmationsRequired ??
        (await findConfirmations(client, actor, chain)) ??
        confirmations(actor.mode)[chain] ??
        1
      const source = await findSource(client, { ...key, confirmationsRequired })
      const { destination: address } = request
      const role = address ? await findWalletRole(client, actor, { address, intentId }) : 'foreign'
      const token = usdc.toLowerCase() as Address
      const locked = { source, transfer, chain, chainId, token, role, mode: actor.mode }
      const refund = decide(locked)
      if (idempotency) {
        const response = presentInRefundEvent(refund)
        if (!(await insertKey(client, 'createRefund', actor, { idempotency, response })))
          throw new ConcurrentCreation()
      }
      await insertRefund(client, refund)
      await updateAttentionOfRefunds(client, [refund], refund.createdAt)
      const object = presentInRefundEvent(refund)
      const events = refundEventRows({
        refund,
        events: [{ type: 'refund.created', sequence: 1, object }],
      })
      await insertEvents(client, events, refund.createdAt)
      const refunds = [...source.refunds, refund]
      return { type: 'created', refund, source: { ...source, refunds }, events }
    })
  } catch (error) {
    if (error instanceof ConcurrentCreation) return { type: 'in_flight' }
    throw error
  }
}

/** The source of the refund, before it is locked. These fields never change. */
type Key = Pick<Refund, 'intentId' | 'transferId' | 'chainId'> & {
  /** null: the source is a transfer. */
  readonly confirmationsRequired: number | null
}

async function findKey(
  db: Queryable,
  { merchantId, mode }: Actor,
  { source: { type, id } }: Request,
): Promise<Key | null> {
  const text =
    type === 'payment_intent'
      ? `select id as "intentId", null as "transferId", chain_id as "chainId",
           confirmations_required as "confirmationsRequired"
         from payment_intents where id = $1 and merchant_id = $2 and mode = $3`
      : `select null as "intentId", id as "transferId", chain_id as "chainId",
           null as "confirmationsRequired"
         from transfers where id = $1 and merchant_id = $2 and mode = $3`
  const { rows } = await db.query<Key>({
    name: `find-refunded-${type}`,
    text,
    values: [id, merchantId, mode],
  })
  return rows[0] ?? null
}
