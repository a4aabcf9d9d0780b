import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Creates a folder that only its owner can open. The caller fills and then renames it, so that its contents appear
 * atomically. Also removes folders that killed processes left.
 * @param name the final name of the contents
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

/** Removes a folder, as far as possible: the next start removes files that a program writes meanwhile. */
export async function discard(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => {})
}

async function isAbandoned(path: string, pid: number): Promise<boolean> {
  if (pid !== process.pid) return !exists(pid)
  // In a container, every start may have the same process id.
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
