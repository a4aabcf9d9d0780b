import { chainFactsOf, type EventType } from '@payment-intents/contract'
import {
  type Intent,
  presentInEvent,
  presentTransfer,
  type Suggestion,
  type UnmatchedReason,
} from '@payment-intents/rules'
import type { Queryable } from './connect.ts'
import { andFanOut } from './fanOut.ts'
import { newId } from './ids.ts'
import type { StoredTransfer } from './transfers.ts'

/**
 * Writes one row a transition; `intent.sequence` counts them in already.
 *
 * @param now Unix milliseconds
 */
export async function insertEvents(
  db: Queryable,
  intent: Intent,
  types: readonly EventType[],
  now: number,
): Promise<void> {
  const first = intent.sequence - types.length + 1
  const object = presentInEvent(intent)
  for (const [index, type] of types.entries()) {
    await db.query({
      name: 'insert-event',
      text: andFanOut(`
        insert into events (id, merchant_id, mode, type, intent_id, sequence, created_at, object)
        values ($1, $2, $3, $4, $5, $6, $7, $8)`),
      values: [
        newId('evt', now),
        intent.merchantId,
        intent.mode,
        type,
        intent.id,
        first + index,
        new Date(now),
        object,
      ],
    })
  }
}

/** Tells a merchant of an unmatched transfer; once, however often the chain takes it back. */
export async function insertUnmatchedEvent(
  db: Queryable,
  transfer: StoredTransfer & { merchantId: string },
  why: { reason: UnmatchedReason; suggestions: readonly Suggestion[] },
  now: number,
): Promise<void> {
  const facts = chainFactsOf(transfer.chainId)
  const unmatched = { ...why, intentId: null, boundBy: null, orphaned: false, seenAt: now }
  await db.query({
    name: 'insert-unmatched-event',
    text: andFanOut(`
      insert into events (id, merchant_id, mode, type, transfer_id, sequence, created_at, object)
      values ($1, $2, $3, 'transfer.unmatched', $4, 1, $5, $6)
      on conflict (transfer_id) do nothing`),
    values: [
      newId('evt', now),
      transfer.merchantId,
      facts.mode,
      transfer.id,
      new Date(now),
      JSON.stringify(presentTransfer({ ...transfer, ...unmatched }, facts)),
    ],
  })
}
