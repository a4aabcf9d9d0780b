import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { patience } from '../../../../../tests/support/patience.ts'
import type {} from '../../../../../tests/support/startPostgres.ts'
import { connect, type Db, type Timeouts } from '../../../src/store/connection/connect.ts'

export type TestDb = Db & {
  readonly url: string
  /** Deletes every row. */
  clear(): Promise<void>
  close(): Promise<void>
}

/** A statement waits for a lock until the test releases it, even on a slow machine. */
export const testTimeouts: Timeouts = {
  connect: patience,
  statement: 4 * patience,
  lock: 4 * patience,
}

/** Creates a database with all tables and no rows. */
export async function createTestDb(): Promise<TestDb> {
  const url = await createDatabase(inject('templateDatabase'))
  const db = connect({
    url,
    poolSize: 10,
    timeouts: testTimeouts,
    onError: (error) => {
      throw error
    },
  })
  return { ...db, url, clear: () => clear(db), close: () => db.pool.end() }
}

/**
 * Deletes the few rows of a test. `truncate` takes thirty times as long, since it creates and removes all files of the
 * tables.
 */
async function clear({ pool }: Db): Promise<void> {
  const { rows } = await pool.query<{ deletions: string }>(
    `select string_agg(format('delete from %I', tablename), '; ') as deletions from pg_tables
     where schemaname = 'public' and tablename <> 'migrations'`,
  )
  // Disable triggers and foreign keys, so that the order of the tables does not matter.
  await pool.query(
    `begin; set local session_replication_role = replica; ${rows[0]?.deletions}; commit`,
  )
}

/** @returns the URL of a new database, which is empty without a template */
export async function createDatabase(template = 'template1'): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`
  const admin = new pg.Client({ connectionString: inject('clusterUrl') })
  await admin.connect()
  await admin.query(`create database ${name} template ${template}`)
  await admin.end()
  return inject('clusterUrl').replace(/\/postgres$/, `/${name}`)
}
