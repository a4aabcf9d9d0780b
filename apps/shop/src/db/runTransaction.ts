import type { DatabaseSync } from 'node:sqlite'

/** Runs `work` in a transaction. It takes the write lock at the beginning, so that the rows it reads do not change. */
export function runTransaction<result>(db: DatabaseSync, work: () => result): result {
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
