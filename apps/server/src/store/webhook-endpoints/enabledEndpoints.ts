import type { Queryable } from '../connection/connect.ts'

export type EnabledEndpoint = {
  readonly id: string
  readonly url: string
  /** The time since which every attempt has failed; null: the latest succeeded. */
  readonly failingSince: Date | null
}

/** Lists the enabled endpoints of all merchants, oldest first. */
export async function listEnabledEndpoints(
  db: Queryable,
  limit: number,
): Promise<EnabledEndpoint[]> {
  const { rows } = await db.query<EnabledEndpoint>(
    `select id, url, failing_since as "failingSince" from webhook_endpoints
     where disabled_reason is null order by id limit $1`,
    [limit],
  )
  return rows
}
