import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

type Contents = {
  readonly name: string
  /** Everything that decides the folder's contents: other contents are another folder. */
  readonly key: string
  /** Writes them into an empty folder. */
  fill(folder: string): Promise<void>
}

/**
 * A folder in the user's cache, filled the first time only. All clones and worktrees share it, and it may be deleted at
 * any time.
 *
 * Invariant: a folder of this name is complete. It is filled under another name; of two processes that fill it at once,
 * the second to be ready takes the folder of the first.
 */
export async function completeFolder({ name, key, fill }: Contents): Promise<string> {
  const cache = cacheFolder()
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 12)
  const folder = join(cache, `${name}-${hash}`)
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  const unfinished = await mkdtemp(`${folder}-`)
  try {
    await fill(unfinished)
    await rename(unfinished, folder)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
  }
  return folder
}

/** The folder in the user's cache that has all of them. */
export function cacheFolder(): string {
  const caches = process.env.XDG_CACHE_HOME || join(homedir() || tmpdir(), '.cache')
  return join(caches, 'payment-intents')
}
