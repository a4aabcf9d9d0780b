import type { AttemptFilter, Page, StoredAttempt } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'
import { toPage } from '../lists/toPage.ts'

/** Lists the attempts at an endpoint, newest first. */
export async function listAttempts(
  db: Queryable,
  endpointId: string,
  { limit, startingAfter, event }: AttemptFilter,
): Promise<Page<StoredAttempt>> {
  // An event has few attempts. `offset 0` makes PostgreSQL read those, and not the list of all attempts.
  const attempts =
    event === null
      ? 'webhook_attempts'
      : '(select * from webhook_attempts where endpoint_id = $1 and event_id = $4 offset 0)'
  // Below, `offset 0` keeps PostgreSQL from reading all events for the few of a page.
  const { rows } = await db.query<StoredAttempt>(
    `select a.id, a.event_id as event, e.type as "eventType", a.started_at as "startedAt",
       a.duration_ms as "durationMs", a.response_status as "responseStatus",
       a.response_body as "responseBody", a.error_code as "errorCode", a.error
     from (
       select * from ${attempts} its
       where endpoint_id = $1 and ($2::text is null or id < $2)
       order by id desc limit $3
     ) a cross join lateral (select type from events where id = a.event_id offset 0) e
     order by a.id desc`,
    [endpointId, startingAfter, limit + 1, ...(event === null ? [] : [event])],
  )
  return toPage(rows, limit, (row) => row)
}
