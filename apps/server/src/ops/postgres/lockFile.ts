import { constants, open, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The entries of a running PostgreSQL's `postmaster.pid`. */
export type LockFile = {
  readonly pid: number
  readonly port: number
  readonly status: 'ready' | 'other'
}

export async function readLockFile(cluster: string): Promise<LockFile | null> {
  return parse(await readFile(pathIn(cluster), 'utf8').catch(() => ''))
}

/**
 * Releases a lock file whose process was killed and whose process ID another program has now, so that PostgreSQL
 * would not start: in a container, where each start counts from 1, that is common.
 *
 * PostgreSQL knows that the process which called pg_ctl is no PostgreSQL, so its ID takes the place of the other. The
 * rest stays: by its shared memory PostgreSQL finds processes that outlived their server.
 */
export async function releaseIfStale(cluster: string): Promise<'released' | 'held'> {
  // The cluster belongs to another account when this process is root: a link there is not followed.
  const flags = constants.O_RDWR | constants.O_NOFOLLOW
  const file = await open(pathIn(cluster), flags).catch(() => null)
  if (!file) return 'held'
  try {
    const text = await file.readFile('utf8')
    const { pid } = parse(text) ?? {}
    if (pid === undefined || !(await isOtherProgram(pid, cluster))) return 'held'
    // Written in place: a PostgreSQL that has started meanwhile has a new file under this name.
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

/** Only where there is /proc: elsewhere a lock file is never released. */
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
