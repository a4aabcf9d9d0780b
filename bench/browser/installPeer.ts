import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { completeFolder } from '../../scripts/fetch/completeFolder.ts'

/** A peer's own dependencies resolve to the newest versions of this day, on any day of the install. */
const day = '2026-11-21'

/**
 * Folder with these packages in its `node_modules`. With all that they depend on they are too many for a lockfile here:
 * exact versions and a day decide what is installed, the first time only, without running their scripts.
 */
export function installPeer(versions: Readonly<Record<string, string>>): Promise<string> {
  const manifest = JSON.stringify({ private: true, dependencies: versions })
  return completeFolder({
    name: 'bench-peer',
    key: manifest + day,
    async fill(folder) {
      await writeFile(join(folder, 'package.json'), manifest)
      const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock']
      await promisify(execFile)('npm', ['install', `--before=${day}`, ...quietly], { cwd: folder })
    },
  })
}
