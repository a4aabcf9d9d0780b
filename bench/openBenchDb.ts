import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDb } from '../apps/server/src/ops/openDb.ts'
import type { Db } from '../apps/server/src/store/connection/connect.ts'

/** A PostgreSQL with all tables in a folder of its own, with fsync on; `close` removes it. */
export async function openBenchDb(): Promise<{ db: Db; close(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'payment-intents-bench-'))
  const { db, close } = await openDb({
    databaseUrl: null,
    dataDir,
    poolSize: 10,
    cluster: 'own',
    waitSeconds: 10,
    onError,
  })
  return {
    db,
    async close() {
      await close()
      await rm(dataDir, { recursive: true })
    },
  }
}

export function onError(error: Error): never {
  throw error
}
