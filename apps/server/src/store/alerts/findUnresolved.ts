import type { AlertCause } from '@payment-intents/contract'
import { alertWindows } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'

const attention = `
  select object_id as id from attention where object_id = any ($1) and type = $2`

const failingEndpoints = `
  select id from webhook_endpoints
  where id = any ($1) and disabled_reason is null
    and failing_since <= now() - make_interval(secs => ${alertWindows.endpointFailing / 1_000})`

/** Finds the objects that nobody has resolved meanwhile, so that an alert has to name them. */
export async function findUnresolved(
  db: Queryable,
  cause: AlertCause,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const isOfEndpoints = cause === 'webhook_endpoint_failing'
  const { rows } = await db.query<{ id: string }>({
    name: isOfEndpoints ? 'find-failing-endpoints' : 'find-unresolved',
    text: isOfEndpoints ? failingEndpoints : attention,
    values: isOfEndpoints ? [ids] : [ids, cause],
  })
  return new Set(rows.map(({ id }) => id))
}
