import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Makes a folder, open to its owner alone, for what has to appear whole or not at all: it is filled, then renamed.
 * Those that killed processes left are removed.
 *
 * @param name of what it becomes
 */
export async function temporaryFolder(parent: string, name: string): Promise<string> {
  const prefix = `${name}.new-`
  for (const entry of await readdir(parent)) {
    if (!entry.startsWith(prefix)) continue
    const path = join(parent, entry)
    const pid = Number.parseInt(entry.slice(prefix.length), 10)
    if (await isAbandoned(path, pid)) await discard(path)
  }
  return mkdtemp(join(parent, `${prefix}${process.pid}-`))
}

/**
 * Leaves files that cannot be removed, since a program that outlived its start still writes there, to the next
 * start.
 */
export async function discard(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => {})
}

async function isAbandoned(path: string, pid: number): Promise<boolean> {
  if (pid !== process.pid) return !exists(pid)
  // In a container, every start may have the same process ID.
  const startedAt = Date.now() - process.uptime() * 1000
  const stats = await stat(path).catch(() => null)
  return stats !== null && stats.mtimeMs < startedAt
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
