import type { Mode } from '@payment-intents/contract'
import { attentionOfTransfer } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'
import { timeOfId } from '../lists/ids.ts'
import { writeAttention } from './attention.ts'

/** Stores whether transfers need attention. The transaction must have locked them. */
export async function updateAttentionOfTransfers(
  db: Queryable,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  const { rows } = await db.query<
    Parameters<typeof attentionOfTransfer>[0] & {
      id: string
      merchantId: string | null
      mode: Mode
    }
  >({
    name: 'find-attention-of-transfers',
    text: `
      select t.id, t.merchant_id as "merchantId", t.mode, t.amount_units as amount,
        t.intent_id as "intentId", t.orphaned, t.refund_id is not null as "isRefund", exists (
          select from refunds r where r.transfer_id = t.id and r.status <> 'canceled'
        ) as "isRefunded"
      from transfers t where t.id = any ($1)`,
    values: [ids],
  })
  await writeAttention(
    db,
    rows.flatMap(({ id, merchantId, mode, ...state }) => {
      if (merchantId === null) return []
      return [{ id, merchantId, mode, type: attentionOfTransfer(state), since: timeOfId(id) }]
    }),
  )
}
