import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Db } from '../../apps/server/src/db/connect.ts'

/** The least work of PostgreSQL for a creation: an intent, its idempotency key, its event, in one transaction. */
const script = `
\\set n random(1, 9000000000000000)
begin;
insert into bench_intents select 'pi_' || :n || '_' || :client_id, body from bench_body;
insert into bench_keys values ('key_' || :n || '_' || :client_id, 'pi_' || :n);
insert into bench_events select 'evt_' || :n || '_' || :client_id, body from bench_body;
commit;
`

/** @returns transactions per second; null without \`pgbench\` */
export async function pgbench(db: Db, url: string, seconds: number): Promise<number | null> {
  const folder = await mkdtemp(join(tmpdir(), 'payment-intents-pgbench-'))
  const file = join(folder, 'create.sql')
  try {
    await writeFile(file, script)
    await db.pool.query(`
      create table bench_intents (id text collate "C" primary key, body text);
      create table bench_keys (key text collate "C" primary key, intent text);
      create table bench_events (id text collate "C" primary key, body text);
      create table bench_body as select repeat('x', 900) as body`)
    const { stdout } = await promisify(execFile)('pgbench', [
      ...['-n', '-M', 'prepared', '-c', '32', '-j', '2', '-T', String(seconds), '-f', file, url],
    ])
    return Number(/tps = ([\d.]+)/.exec(stdout)?.[1])
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null
    throw error
  } finally {
    await db.pool.query('drop table if exists bench_intents, bench_keys, bench_events, bench_body')
    await rm(folder, { recursive: true })
  }
}
