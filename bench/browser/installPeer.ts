import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** What a peer's own dependencies resolve to: the newest versions of this day, whenever it is installed. */
const day = '2026-11-21'

/**
 * Folder with these packages in its `node_modules`, outside of this workspace: they are large, and nothing
 * here depends on them. Installed the first time only, without running their scripts.
 */
export async function installPeer(versions: Readonly<Record<string, string>>): Promise<string> {
  const manifest = JSON.stringify({ private: true, dependencies: versions })
  const hash = createHash('sha256').update(manifest).update(day).digest('hex').slice(0, 12)
  const folder = join(tmpdir(), `payment-intents-bench-peers-${hash}`)
  if (existsSync(folder)) return folder
  // Takes its name when it is whole: an install that was interrupted is not used again.
  const unfinished = await mkdtemp(`${folder}-`)
  try {
    await writeFile(join(unfinished, 'package.json'), manifest)
    const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock']
    await promisify(execFile)('npm', ['install', `--before=${day}`, ...quietly], {
      cwd: unfinished,
    })
    await rename(unfinished, folder)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    throw error
  }
  return folder
}
