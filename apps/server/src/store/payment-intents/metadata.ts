import { createHash } from 'node:crypto'
import type { Intent } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'

export type OfIntent = Pick<Intent, 'id' | 'merchantId' | 'mode' | 'metadata'>

export async function deleteMetadata(db: Queryable, intents: readonly OfIntent[]): Promise<void> {
  const rows = intents.flatMap((intent) =>
    entriesOf(intent.metadata).map((entry) => ({ ...intent, entry })),
  )
  await db.query({
    name: 'delete-metadata',
    text: `
      delete from payment_intent_metadata m
      using unnest($1::text[], $2::text[], $3::bytea[], $4::text[])
        as old (merchant_id, mode, entry, intent_id)
      where m.merchant_id = old.merchant_id and m.mode = old.mode and m.entry = old.entry
        and m.intent_id = old.intent_id`,
    values: [
      rows.map(({ merchantId }) => merchantId),
      rows.map(({ mode }) => mode),
      rows.map(({ entry }) => entry),
      rows.map(({ id }) => id),
    ],
  })
}

/**
 * The hash of a key and value. JSON escapes lone surrogates and NUL, so that different texts have different bytes.
 */
export function metadataEntry(key: string, value: string): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([key, value]))
    .digest()
}

/**
 * The searchable entries of an intent's metadata: strings at the top level, and numbers and booleans as written. Nested
 * values have no entry.
 */
export function entriesOf(metadata: string): Buffer[] {
  if (metadata === '{}') return []
  const written: Record<string, unknown> = JSON.parse(
    metadata,
    // Keep the digits of a number: rounding would change 12345678901234567890.
    (_key, value: unknown, context?: { source?: string }) =>
      typeof value === 'number' ? context?.source : value,
  )
  return Object.entries(written).flatMap(([key, value]) =>
    typeof value === 'string' || typeof value === 'boolean'
      ? metadataEntry(key, String(value))
      : [],
  )
}
