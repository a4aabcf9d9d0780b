import { connect, type Db } from '../db/connect.ts'
import { createTestDb } from '../test/testDb.ts'

/** A database whose commits need not survive a power cut, to be used for one world after another. */
export async function createSimulationDb(): Promise<{
  db: Db
  clear(): Promise<void>
  close(): Promise<void>
}> {
  const made = await createTestDb()
  const url = `${made.url}?options=${encodeURIComponent('-c synchronous_commit=off')}`
  const db = connect({
    url,
    poolSize: 6,
    onError: (error) => {
      throw error
    },
  })
  const { rows } = await db.pool.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'migrations'`,
  )
  const tables = rows.map((row) => row.name).join(', ')
  return {
    db,
    async clear() {
      await db.pool.query(`truncate ${tables} cascade`)
    },
    async close() {
      await db.pool.end()
      await made.close()
    },
  }
}
