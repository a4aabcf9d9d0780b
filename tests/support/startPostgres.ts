import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../../apps/server/src/ops/postgres/embedded.ts'
import { connect, type Db } from '../../apps/server/src/store/connection/connect.ts'
import { migrate } from '../../apps/server/src/store/migrate.ts'
import { copyCluster } from './copyCluster.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A real PostgreSQL for all tests of a run; each test file makes its own databases in it. */
    clusterUrl: string
    /** The name of a database with all tables and no rows, to make others from. */
    templateDatabase: string
  }
}

type Cluster = { readonly url: string; stop(): Promise<void> }
type Shared = { cluster: Promise<Cluster>; users: number }

const templateDatabase = 'migrated'
/** Every project has its own instance of this module; they share the process. */
const global = globalThis as { testCluster?: Shared }

/** One PostgreSQL per run, whichever projects need it: the first starts it, the last to end stops it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  global.testCluster ??= { cluster: start(), users: 0 }
  const shared = global.testCluster
  shared.users += 1
  const { url, stop } = await shared.cluster
  project.provide('clusterUrl', url)
  project.provide('templateDatabase', templateDatabase)
  return async () => {
    shared.users -= 1
    if (shared.users > 0) return
    delete global.testCluster
    await stop()
  }
}

/**
 * Without durability: a test of crashes starts a PostgreSQL of its own, with its own settings. Commits stay synchronous, which
 * costs little without fsync: a vacuum marks only flushed rows as visible, and plans depend on that.
 */
const settings = [
  'fsync = off',
  'full_page_writes = off',
  // A run makes hundreds of databases; the launcher would start workers for them without end.
  'autovacuum = off',
  // Each worker of a run holds a few servers' pools.
  'max_connections = 500',
]

async function start(): Promise<Cluster> {
  const dataDir = await mkdtemp(join(tmpdir(), 'payment-intents-test-'))
  await copyCluster(dataDir)
  await appendFile(join(dataDir, 'postgres/postgresql.auto.conf'), `${settings.join('\n')}\n`)
  const { url, stop } = await startEmbedded(dataDir)
  await withDb(url, ({ pool }) => pool.query(`create database ${templateDatabase}`))
  await withDb(url.replace(/\/postgres$/, `/${templateDatabase}`), migrate)
  return {
    url,
    async stop() {
      await stop()
      await rm(dataDir, { recursive: true })
    },
  }
}

async function withDb(url: string, work: (db: Db) => Promise<unknown>): Promise<void> {
  const db = connect({
    url,
    poolSize: 1,
    onError: (error) => {
      throw error
    },
  })
  try {
    await work(db)
  } finally {
    await db.pool.end()
  }
}
