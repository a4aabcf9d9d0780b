import { readdir, readFile } from 'node:fs/promises'
import { type Db, transaction } from './connect.ts'

const folder = new URL('./migrations/', import.meta.url)
/** Any constant will do, as long as every process that migrates takes the same lock. */
const lock = 4_242_001

/**
 * Applies the migrations that the database does not have yet, in the order of their numbers, all in one
 * transaction and under a lock, so that several processes can start at once.
 *
 * @returns the names of those applied
 */
export async function migrate(db: Db): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return transaction(db, async (client) => {
    await client.query('set local statement_timeout = 0; set local lock_timeout = 0')
    await client.query(patient('select pg_advisory_xact_lock($1)', [lock]))
    await client.query(`create table if not exists migrations (
      name text primary key,
      applied_at timestamptz not null default now()
    )`)
    const { rows } = await client.query<{ name: string }>('select name from migrations')
    const applied = new Set(rows.map((row) => row.name))
    const missing = names.filter((name) => !applied.has(name))
    for (const name of missing) {
      await client.query(patient(await readFile(new URL(name, folder), 'utf8')))
      await client.query('insert into migrations (name) values ($1)', [name])
    }
    return missing
  })
}

/** A large table takes long to change, and whoever migrates first makes the others wait. */
function patient(text: string, values?: unknown[]) {
  return { text, query_timeout: 60 * 60 * 1_000, ...(values ? { values } : {}) }
}
