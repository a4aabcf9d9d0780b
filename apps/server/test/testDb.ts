import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import type {} from '../../../tests/support/startPostgres.ts'
import { connect, type Db, type Timeouts } from '../src/db/connect.ts'

export type TestDb = Db & {
  readonly url: string
  /** Takes every row out. */
  clear(): Promise<void>
  close(): Promise<void>
}

/** A new database with all tables and no rows. */
export async function createTestDb(timeouts?: Timeouts): Promise<TestDb> {
  const url = await createDatabase(inject('templateDatabase'))
  const db = connect({
    url,
    poolSize: 10,
    ...(timeouts ? { timeouts } : {}),
    onError: (error) => {
      throw error
    },
  })
  return { ...db, url, clear: () => clear(db), close: () => db.pool.end() }
}

async function clear({ pool }: Db): Promise<void> {
  const { rows } = await pool.query<{ tables: string }>(
    `select string_agg(quote_ident(tablename), ', ') as tables from pg_tables
     where schemaname = 'public' and tablename <> 'migrations'`,
  )
  await pool.query(`truncate ${rows[0]?.tables} restart identity`)
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
