import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '@payment-intents/server/src/ops/postgres/embedded.ts'
import { connect, type Db } from '@payment-intents/server/src/store/connection/connect.ts'
import { migrate } from '@payment-intents/server/src/store/migrate.ts'
import { embeddedPostgres } from '@payment-intents/server/test/support/database/embeddedPostgres.ts'
import { copyCluster } from '../../support/copyCluster.ts'
import { until } from '../../support/until.ts'
import type { LeaseEntry } from './trialRecord.ts'
import { startBalancer } from './webhooks/processes.ts'

/** A PostgreSQL of its own, at one address however often it is started. */
export type Database = {
  readonly db: Db
  readonly password: string
  /** The URL for a process, whose name its connections have. */
  urlFor(process: string): string
  /** Ends it by SIGKILL, and starts it again on the same files. */
  kill(): Promise<void>
  /** Brings the next tries of failed deliveries forward, as if their waits were over. */
  hurry(): Promise<void>
  /** Deliveries to enabled endpoints that have not got through. */
  countWaiting(): Promise<number>
  leaseLog(): Promise<LeaseEntry[]>
  /** Every row of every table, as text, and what PostgreSQL has logged. */
  texts(): Promise<{ where: string; text: string }[]>
  close(): Promise<void>
}

/**
 * Logs which process takes the lease and which writes under it. All of them hold the lock of the cursor's row, so the
 * ids are in the order of events; what is rolled back leaves no entry.
 */
const logLeases = `
  create table lease_log (id bigserial primary key, writer text not null, action text not null);
  create function log_lease() returns trigger language plpgsql as $$
  begin
    insert into lease_log (writer, action) values (
      current_setting('application_name'), case when new.epoch > old.epoch then 'taken' else 'written' end
    );
    return null;
  end $$;
  create trigger log_lease after update on chain_cursors for each row execute function log_lease();
  create function log_write() returns trigger language plpgsql as $$
  begin
    insert into lease_log (writer, action) values (current_setting('application_name'), 'written');
    return null;
  end $$;
  create trigger log_blocks after insert or update or delete on chain_blocks execute function log_write();
  create trigger log_transfers after insert on transfers execute function log_write();`

export async function startDatabase(): Promise<Database> {
  const dataDir = await mkdtemp(join(tmpdir(), 'payment-intents-chaos-'))
  await copyCluster(dataDir)
  let cluster = await startEmbedded(dataDir)
  const portOf = () => Number(new URL(cluster.url).port)
  const forwarder = await startBalancer([
    {
      get port() {
        return portOf()
      },
    },
  ])
  const { password } = new URL(cluster.url)
  function urlFor(process: string): string {
    const url = new URL(cluster.url)
    url.port = new URL(forwarder.url).port
    url.searchParams.set('application_name', process)
    return url.href
  }
  const db = connect({ url: urlFor('trial'), poolSize: 4 })
  await migrate(db)
  await db.pool.query(logLeases)

  return {
    ...{ db, password, urlFor },
    async kill() {
      const { pid } = await embeddedPostgres(dataDir)
      process.kill(pid, 'SIGKILL')
      cluster = await startEmbedded(dataDir)
    },
    hurry: () =>
      until(async () => {
        await db.pool.query(
          `with due as (
             update webhook_deliveries set due_at = now()
             where due_at > now() and claimed_until is null and attempts < 10 returning 1
           ) select pg_notify('webhook_due', '') from due limit 1`,
        )
      }),
    async countWaiting() {
      const { rows } = await db.pool.query<{ count: number }>(
        'select count(*)::int as count from webhook_deliveries where due_at is not null',
      )
      return rows[0]?.count ?? Number.NaN
    },
    async leaseLog() {
      const { rows } = await db.pool.query<LeaseEntry>(
        'select writer, action from lease_log order by id',
      )
      return rows
    },
    async texts() {
      const { rows: tables } = await db.pool.query<{ name: string }>(
        `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
      )
      const texts = await Promise.all(
        tables.map(async ({ name }) => {
          const { rows } = await db.pool.query<{ text: string | null }>(
            `select string_agg(t::text, e'\\n') as text from ${name} t`,
          )
          return { where: `table ${name}`, text: rows[0]?.text ?? '' }
        }),
      )
      const log = await readFile(join(dataDir, 'postgres/server.log'), 'utf8')
      return [...texts, { where: "PostgreSQL's log", text: log }]
    },
    async close() {
      await db.pool.end()
      await forwarder.close()
      await cluster.stop()
      await rm(dataDir, { recursive: true })
    },
  }
}
