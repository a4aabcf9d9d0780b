import type { Config } from '../../config.ts'
import { connect } from '../../store/connection/connect.ts'
import { type OpenDb, openDb } from '../openDb.ts'
import type { Worker } from './joinWorkers.ts'

/** Connections for webhooks and deletions, in addition to one for each chain. */
const extraConnections = 3

/** Opens the connections for background work. A worker's parent keeps the database running. */
export async function openBackgroundPool(
  config: Config,
  worker: Worker | null,
  report: (sentence: string) => void,
): Promise<Pick<OpenDb, 'db' | 'url' | 'embedded' | 'close'>> {
  const poolSize = config.chains.length + extraConnections
  if (!worker) return openDb({ ...config, poolSize, cluster: 'own', report })
  const { databaseUrl: url, pooled } = worker
  const db = connect({ url, poolSize, pooled })
  return { db, url, embedded: null, close: () => db.pool.end() }
}
