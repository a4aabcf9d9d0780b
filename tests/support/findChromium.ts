import { execFile } from 'node:child_process'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { completeFolder } from '../../scripts/fetch/completeFolder.ts'
import { fetchPackages } from '../../scripts/fetch/fetchPackages.ts'

/**
 * Path of the Chromium that tests use: the pinned Chromium, so that every machine runs the same, unless `CHROMIUM_PATH` names
 * another. `installedChromium` finds the machine's own.
 */
export async function findChromium(): Promise<string> {
  return process.env.CHROMIUM_PATH || (await pinnedChromium())
}

async function pinnedChromium(): Promise<string> {
  const packages = await fetchPackages('chromium')
  const unpack = "require('@sparticuz/chromium').default.executablePath()"
  const folder = await completeFolder({
    name: 'chromium-unpacked',
    key: basename(packages),
    async fill(folder) {
      // The package unpacks into the folder for temporary files, and reuses what is there without a check.
      const env = { ...process.env, TMPDIR: folder }
      await promisify(execFile)(process.execPath, ['--eval', unpack], { cwd: packages, env })
    },
  })
  return join(folder, 'chromium')
}
