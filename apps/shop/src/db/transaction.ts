import type { DatabaseSync } from 'node:sqlite'

/** All of `work` or none of it. Another writer is waited for at the beginning, so that what is read stays so. */
export function transaction<result>(db: DatabaseSync, work: () => result): result {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}
