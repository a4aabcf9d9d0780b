import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { connect, type Db } from '../db/connect.ts'
import { migrate } from '../db/migrate.ts'

/** A new database with all tables and no rows. */
export async function createTestDb(): Promise<Db & { url: string; close(): Promise<void> }> {
  const name = `test_${randomBytes(8).toString('hex')}`
  const admin = new pg.Client({ connectionString: inject('clusterUrl') })
  await admin.connect()
  await admin.query(`create database ${name}`)
  await admin.end()
  const url = inject('clusterUrl').replace(/\/postgres$/, `/${name}`)
  const db = connect({
    url,
    poolSize: 10,
    onError: (error) => {
      throw error
    },
  })
  await migrate(db)
  return { ...db, url, close: () => db.pool.end() }
}
