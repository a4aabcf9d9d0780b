import { createHash } from 'node:crypto'
import type { Address } from '@payment-intents/contract'

/** The text that is hashed for one key and value; lone surrogates and NUL are escaped, so that any text has bytes of its own. */
export function metadataEntry(key: string, value: string): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([key, value]))
    .digest()
}

/** The entry of an account that paid, as triggers on transfers write it. */
export function payerEntry(payer: Address): Buffer {
  return createHash('sha256').update(`payer:${payer}`).digest()
}

/**
 * What an intent is found by: strings at the top level of its metadata, and numbers and booleans as they are written; what is nested is not
 * looked for.
 */
export function entriesOf(metadata: string): Buffer[] {
  if (metadata === '{}') return []
  const written: Record<string, unknown> = JSON.parse(
    metadata,
    // A number's own digits: 12345678901234567890 must not become another by rounding.
    (_key, value: unknown, context?: { source?: string }) =>
      typeof value === 'number' ? context?.source : value,
  )
  return Object.entries(written).flatMap(([key, value]) =>
    typeof value === 'string' || typeof value === 'boolean'
      ? metadataEntry(key, String(value))
      : [],
  )
}
