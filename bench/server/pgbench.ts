import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Db } from '../../apps/server/src/store/connection/connect.ts'
import { ascending } from '../numbers.ts'

/** The least work of PostgreSQL for a creation: an intent, its idempotency key, its event, in one transaction. */
const script = `
\\set n random(1, 9000000000000000)
begin;
insert into bench_intents select 'pi_' || :n || '_' || :client_id, body from bench_body;
insert into bench_keys values ('key_' || :n || '_' || :client_id, 'pi_' || :n);
insert into bench_events select 'evt_' || :n || '_' || :client_id, body from bench_body;
commit;
`

export type Pgbench = {
  /** Transactions per second, and sorted milliseconds. */
  run(options: {
    clients: number
    seconds: number
  }): Promise<{ perSecond: number; latencies: number[] }>
  close(): Promise<void>
}

/** @returns null without \`pgbench\` */
export async function openPgbench(db: Db, url: string): Promise<Pgbench | null> {
  const execute = promisify(execFile)
  const result = await execute('pgbench', ['--version']).catch(() => null)
  if (!result) return null
  const folder = await mkdtemp(join(tmpdir(), 'payment-intents-pgbench-'))
  const file = join(folder, 'create.sql')
  await writeFile(file, script)
  await db.pool.query(`
    create table bench_intents (id text collate "C" primary key, body text);
    create table bench_keys (key text collate "C" primary key, intent text);
    create table bench_events (id text collate "C" primary key, body text);
    create table bench_body as select repeat('x', 900) as body`)
  return {
    async run({ clients, seconds }) {
      const logs = await mkdtemp(join(folder, 'log-'))
      const { stdout } = await execute('pgbench', [
        ...['-n', '-M', 'prepared', '-c', String(clients), '-j', String(Math.min(clients, 2))],
        ...['-T', String(seconds), '-f', file, '--log', `--log-prefix=${join(logs, 'log')}`, url],
      ])
      const latencies: number[] = []
      for (const name of await readdir(logs)) {
        const lines = (await readFile(join(logs, name), 'utf8')).trimEnd().split('\n')
        for (const line of lines) latencies.push(Number(line.split(' ')[2]) / 1000)
      }
      const perSecond = Number(/tps = ([\d.]+)/.exec(stdout)?.[1])
      return { perSecond, latencies: latencies.sort(ascending) }
    },
    async close() {
      await db.pool.query('drop table bench_intents, bench_keys, bench_events, bench_body')
      await rm(folder, { recursive: true })
    },
  }
}
