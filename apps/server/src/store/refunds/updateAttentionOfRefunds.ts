import { attentionOfIntent, attentionOfRefund, type Refund } from '@payment-intents/core'
import { writeAttention } from '../attention/attention.ts'
import { updateAttentionOfTransfers } from '../attention/updateAttentionOfTransfers.ts'
import type { Queryable } from '../connection/connect.ts'
import { findLocked } from '../payment-intents/paymentIntents.ts'

/**
 * Stores whether changed refunds and their sources need attention. Each change of a refund restarts its wait, since it
 * may need attention for a new reason.
 * @param refunds the transaction must have locked them and their sources
 * @param now Unix milliseconds
 */
export async function updateAttentionOfRefunds(
  db: Queryable,
  refunds: readonly Refund[],
  now: number,
): Promise<void> {
  await writeAttention(
    db,
    refunds.map((refund) => {
      const { id, merchantId, mode } = refund
      return { id, merchantId, mode, type: attentionOfRefund(refund), since: now }
    }),
  )
  const changing = refunds.filter(changesSource)
  await updateAttentionOfIntents(
    db,
    changing.flatMap(({ intentId }) => intentId ?? []),
    now,
  )
  await updateAttentionOfTransfers(
    db,
    changing.flatMap(({ transferId }) => transferId ?? []),
  )
}

/**
 * Whether a change affects the source: only creation and cancellation change the source's refunded amount.
 */
function changesSource({ status, sequence }: Refund): boolean {
  return status === 'canceled' || sequence === 1
}

async function updateAttentionOfIntents(
  db: Queryable,
  ids: readonly string[],
  now: number,
): Promise<void> {
  if (ids.length === 0) return
  const intents = await findLocked(db, ids)
  await writeAttention(
    db,
    intents.map((intent) => {
      const { id, merchantId, mode } = intent
      return { id, merchantId, mode, type: attentionOfIntent(intent), since: now }
    }),
  )
}
