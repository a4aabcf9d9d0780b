import { constants, open, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The entries of `postmaster.pid`, the lock file of a running PostgreSQL. */
export type LockFile = {
  readonly pid: number
  readonly port: number
  readonly status: 'ready' | 'other'
}

export async function readLockFile(cluster: string): Promise<LockFile | null> {
  return parse(await readFile(pathIn(cluster), 'utf8').catch(() => ''))
}

/**
 * Releases the lock file of a killed process if another program has its process id now, since such a file keeps
 * PostgreSQL from starting. That is common in a container, where process ids start from 1.
 *
 * The id of this process replaces the old id: PostgreSQL ignores a lock of the process that called pg_ctl. The other
 * lines stay, since they name the shared memory by which PostgreSQL finds processes that outlived their server.
 */
export async function releaseIfStale(cluster: string): Promise<'released' | 'held'> {
  // Follow no links: if this process is root, the cluster belongs to another account.
  const flags = constants.O_RDWR | constants.O_NOFOLLOW
  const file = await open(pathIn(cluster), flags).catch(() => null)
  if (!file) return 'held'
  try {
    const text = await file.readFile('utf8')
    const { pid } = parse(text) ?? {}
    if (pid === undefined || !(await isOtherProgram(pid, cluster))) return 'held'
    // Write in place: if a PostgreSQL has started meanwhile, its lock is a new file under this name.
    const changed = text.replace(/^\d+/, String(process.pid))
    await file.write(changed, 0)
    await file.truncate(Buffer.byteLength(changed))
    return 'released'
  } finally {
    await file.close()
  }
}

function parse(text: string): LockFile | null {
  const [pid, , , port, , , , status] = text.split('\n')
  if (!Number(pid)) return null
  const isReady = status?.trim() === 'ready' || status?.trim() === 'standby'
  return { pid: Number(pid), port: Number(port), status: isReady ? 'ready' : 'other' }
}

/** Whether a process is no PostgreSQL of this cluster. Without /proc it returns false, so that no lock is released. */
async function isOtherProgram(pid: number, cluster: string): Promise<boolean> {
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => null)
  if (name === null) return false
  if (name.trim() !== 'postgres') return true
  const [processFolder, clusterFolder] = [
    await stat(`/proc/${pid}/cwd`).catch(() => null),
    await stat(cluster),
  ]
  return (
    processFolder !== null &&
    (processFolder.dev !== clusterFolder.dev || processFolder.ino !== clusterFolder.ino)
  )
}

function pathIn(cluster: string): string {
  return join(cluster, 'postmaster.pid')
}
