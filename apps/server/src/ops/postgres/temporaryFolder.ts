import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Creates a folder that only its owner can open, to be filled and then renamed, so that its contents appear atomically.
 * Removes folders that killed processes have left.
 * @param name its final name
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
 * Removes the folder. The next start removes files that a program still writes.
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
