import type { Queryable } from '../connection/connect.ts'

/**
 * Reads the seconds from the first sight of a payment to the success of its intent, for intents that just succeeded.
 */
export async function readTimesToSuccess(
  db: Queryable,
  intentIds: readonly string[],
): Promise<number[]> {
  const { rows } = await db.query<{ seconds: number }>({
    name: 'read-times-to-success',
    text: `
      select extract(epoch from max(created_at) - min(created_at))::float8 as seconds
      from events
      where intent_id = any($1)
        and type in ('payment_intent.pending_confirmations', 'payment_intent.succeeded')
      group by intent_id`,
    values: [intentIds],
  })
  return rows.map(({ seconds }) => seconds)
}
