import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

const maxAttempts = 3
const pauseMs = 100
const patienceMs = 5_000

/**
 * Whether other processes of this installation are connected to a cluster. If the query finds some, it is repeated:
 * PostgreSQL lists a closed connection for a moment.
 *
 * @param applicationName this process's `application_name`
 */
export async function isUsedByOthers(url: string, applicationName: string): Promise<boolean> {
  for (let count = 1; ; count += 1) {
    if (!(await hasOtherClients(url, applicationName))) return false
    if (count === maxAttempts) return true
    await sleep(pauseMs)
  }
}

async function hasOtherClients(
  connectionString: string,
  applicationName: string,
): Promise<boolean> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ used: boolean }>(
      `select exists (
         select from pg_stat_activity
         where application_name like 'payment-intents %' and application_name <> $1
       ) as used`,
      [applicationName],
    )
    return rows[0]?.used ?? false
  } catch {
    // A cluster that accepts no connection has no users.
    return false
  } finally {
    void client.end().catch(() => {})
  }
}
