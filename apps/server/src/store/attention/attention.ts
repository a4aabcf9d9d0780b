import type { AttentionType } from '@payment-intents/contract'
import type { Actor } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'

/** The reason why somebody has to look into an object from now on. */
export type Attention = Actor & {
  /** The id of the object. */
  readonly id: string
  /** null: nobody has to look into it any longer. */
  readonly type: AttentionType | null
  /** Unix milliseconds. */
  readonly since: number
}

/**
 * Stores which objects need attention, and which no longer do.
 * @param attention has each object once
 */
export async function writeAttention(
  db: Queryable,
  attention: readonly Attention[],
): Promise<void> {
  if (attention.length === 0) return
  await clearAttention(
    db,
    attention.filter(({ type }) => type === null).map(({ id }) => id),
  )
  const rows = attention.filter(({ type }) => type !== null)
  if (rows.length === 0) return
  await db.query({
    name: 'write-attention',
    text: `
      insert into attention (object_id, merchant_id, mode, type, since)
      select id, merchant_id, mode, type, ${timeOf('since')}
      from json_to_recordset($1) as input (
        id text, merchant_id text, mode text, type text, since bigint
      )
      on conflict (object_id) do update set type = excluded.type, since = excluded.since`,
    values: [
      JSON.stringify(
        rows.map(({ id, merchantId, mode, type, since }) => {
          return { id, merchant_id: merchantId, mode, type, since }
        }),
      ),
    ],
  })
}

export async function clearAttention(db: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.query({
    name: 'clear-attention',
    text: 'delete from attention where object_id = any ($1)',
    values: [ids],
  })
}

/** SQL of a time in Unix milliseconds. Unlike `to_timestamp`, it has no rounding error. */
export function timeOf(milliseconds: string): string {
  return `timestamptz 'epoch' + ${milliseconds} * interval '1 millisecond'`
}
