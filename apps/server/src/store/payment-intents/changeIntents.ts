import { type Applied, attentionOfIntent } from '@payment-intents/core'
import { type Attention, writeAttention } from '../attention/attention.ts'
import type { Queryable } from '../connection/connect.ts'
import { insertEvents, type NewEvent, rowsOf } from '../events/events.ts'
import { saveProgress } from './paymentIntents.ts'

/**
 * Writes transitions of locked intents, with their events. Status, exceptions and received amount change only here.
 * Other statements only raise the version, record the opening or reserve an amount.
 * @param now Unix milliseconds
 * @param also writes the consequences of the changes, and resolves to their events
 * @returns every event that was written
 */
export async function writeChanges(
  db: Queryable,
  applied: readonly Applied[],
  now: number,
  also: () => Promise<readonly NewEvent[]> = async () => [],
): Promise<readonly NewEvent[]> {
  const changed = applied.filter((change) => change.changed)
  await saveProgress(
    db,
    changed.map((change) => change.intent),
  )
  await writeAttention(
    db,
    changed.flatMap((change) => attentionChange(change, now)),
  )
  const events = changed.flatMap((change) => rowsOf(change.intent, change.events))
  const written = [...events, ...(await also())]
  await insertEvents(db, written, now)
  return written
}

/** Empty unless the change affects whether the intent needs attention. */
function attentionChange({ before, intent }: Applied, now: number): Attention[] {
  const type = attentionOfIntent(intent)
  if (type === attentionOfIntent(before)) return []
  const { id, merchantId, mode } = intent
  return [{ id, merchantId, mode, type, since: now }]
}
