import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { StartError } from '../lib/startError.ts'
import { type Db, type Queryable, transaction } from './connection/connect.ts'

type Migration = { readonly name: string; readonly text: string; readonly checksum: string }
type Applied = Pick<Migration, 'name' | 'checksum'>

const folder = new URL('./migrations/', import.meta.url)
/** An arbitrary number: every process that migrates takes the same lock. */
const lock = 4_242_001

/**
 * Applies the migrations that the database lacks, in the order of their numbers. All run in a single transaction and
 * under a lock, so that several processes can start at once.
 * @param from the folder of the migrations; by default those of this release
 * @returns the names of the applied migrations
 * @throws {StartError} if the database was created by other migrations than these
 */
export async function migrate(db: Db, from: URL = folder): Promise<string[]> {
  const migrations = await readMigrations(from)
  return transaction(db, async (client) => {
    await client.query('set local statement_timeout = 0; set local lock_timeout = 0')
    await client.query(patient('select pg_advisory_xact_lock($1)', [lock]))
    await client.query(`create table if not exists migrations (
      name text primary key,
      applied_at timestamptz not null default now(),
      checksum text not null
    )`)
    const applied = await listApplied(client)
    for (const migration of applied) check(migration, migrations)
    const missing = migrations.filter(
      ({ name }) => !applied.some((migration) => migration.name === name),
    )
    for (const { name, text, checksum } of missing) {
      await client.query(patient(text))
      await client.query('insert into migrations (name, checksum) values ($1, $2)', [
        name,
        checksum,
      ])
    }
    return missing.map(({ name }) => name)
  })
}

/**
 * Checks that {@link migrate} would change nothing. Needs no right to change anything.
 * @throws {StartError} if it would, or if the database was created by other migrations than these
 */
export async function checkMigrated(db: Db, from: URL = folder): Promise<[]> {
  const migrations = await readMigrations(from)
  const applied = (await hasTable(db.pool)) ? await listApplied(db.pool) : []
  for (const migration of applied) check(migration, migrations)
  const [missing] = migrations.filter(
    ({ name }) => !applied.some((migration) => migration.name === name),
  )
  if (!missing) return []
  throw new StartError(
    `The database lacks the migration ${missing.name}, and DATABASE_MIGRATE is false: run the command migrate of this release first, or unset DATABASE_MIGRATE.`,
  )
}

/**
 * Whether the database has all migrations of this release. The database of a newer release may have more: running
 * servers continue.
 */
export async function isMigrated(db: Queryable): Promise<boolean> {
  names ??= readMigrations(folder).then((migrations) => migrations.map(({ name }) => name))
  const { rows } = await db.query<{ applied: number }>({
    name: 'count-migrations',
    text: 'select count(*)::int as applied from migrations where name = any($1)',
    values: [await names],
  })
  return rows[0]?.applied === (await names).length
}

/** `missing` are the migrations that the database lacks, `unknown` those that this release does not know. */
export async function compareMigrations(
  db: Queryable,
): Promise<{ missing: string[]; unknown: string[] }> {
  const migrations = (await readMigrations(folder)).map(({ name }) => name)
  const { rows } = await db.query<{ name: string }>('select name from migrations order by name')
  const applied = rows.map(({ name }) => name)
  return {
    missing: migrations.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !migrations.includes(name)),
  }
}

let names: Promise<string[]> | undefined

async function readMigrations(from: URL): Promise<Migration[]> {
  const names = (await readdir(from)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      // A checkout may have changed the line endings.
      const text = (await readFile(new URL(name, from), 'utf8')).replaceAll('\r\n', '\n')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

async function hasTable(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ present: boolean }>(
    `select to_regclass('migrations') is not null as present`,
  )
  return rows[0]?.present === true
}

async function listApplied(db: Queryable): Promise<Applied[]> {
  const { rows } = await db.query<Applied>('select name, checksum from migrations order by name')
  return rows
}

function check({ name, checksum }: Applied, migrations: readonly Migration[]): void {
  const same = migrations.find((migration) => migration.name === name)
  if (!same) {
    throw new StartError(
      `The database has the migration ${name}, which this release does not know: run the release that made it or a later one, or restore a backup from before.`,
    )
  }
  if (checksum !== same.checksum) {
    throw new StartError(
      `The database was made with another text of the migration ${name} (SHA-256 ${checksum.slice(0, 12)}…, here ${same.checksum.slice(0, 12)}…): run the release that made it, or use another database.`,
    )
  }
}

/** A statement with a long timeout: a large table takes long to change, and other processes wait for it. */
function patient(text: string, values?: unknown[]) {
  return { text, query_timeout: 60 * 60 * 1_000, ...(values ? { values } : {}) }
}
