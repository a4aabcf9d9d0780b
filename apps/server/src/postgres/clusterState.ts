import { existsSync } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * What is in the folder of a cluster. One that was never started and that initdb did not finish is `unfinished`: it
 * holds nothing, but would keep PostgreSQL from starting.
 */
export async function clusterState(cluster: string): Promise<'none' | 'unfinished' | 'ready'> {
  const entries: string[] = await readdir(cluster).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  if (entries.length === 0) return 'none'
  if (signsOfUse.some((name) => entries.includes(name))) return 'ready'
  // initdb makes the database `postgres`, whose ID is 5, at its end, and then shuts down.
  const isFinished =
    existsSync(join(cluster, 'base/5/PG_VERSION')) &&
    (await stateInControlFile(cluster)) === 'shut down'
  return isFinished ? 'ready' : 'unfinished'
}

/** The first start writes postmaster.opts for good; the others are in a backup, which may lack it. */
const signsOfUse = ['postmaster.opts', 'backup_label', 'standby.signal', 'recovery.signal']

/** The field `state` of PostgreSQL's ControlFileData, a DBState. */
async function stateInControlFile(cluster: string): Promise<'shut down' | 'other'> {
  const file = await open(join(cluster, 'global/pg_control')).catch(() => null)
  if (!file) return 'other'
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(4), 0, 4, 16)
    return bytesRead === 4 && buffer.readInt32LE() === 1 ? 'shut down' : 'other'
  } finally {
    await file.close()
  }
}
