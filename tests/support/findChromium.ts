import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { completeFolder } from '../../scripts/fetch/completeFolder.ts'
import { fetchPackages } from '../../scripts/fetch/fetchPackages.ts'

const applications = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]
const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

/** Path of a Chromium: `CHROMIUM_PATH`, else the machine's own, else one that is fetched. */
export async function findChromium(): Promise<string> {
  return process.env.CHROMIUM_PATH ?? installed() ?? (await fetched())
}

function installed(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const candidates = folders.flatMap((folder) => names.map((name) => join(folder, name)))
  return [...candidates, ...applications].find(isExecutable)
}

async function fetched(): Promise<string> {
  const packages = await fetchPackages('chromium')
  const unpack = "require('@sparticuz/chromium').default.executablePath()"
  const folder = await completeFolder({
    name: 'chromium-unpacked',
    key: basename(packages),
    async fill(folder) {
      // It unpacks itself into the folder for temporary files, and takes what is there for complete.
      const env = { ...process.env, TMPDIR: folder }
      await promisify(execFile)(process.execPath, ['--eval', unpack], { cwd: packages, env })
    },
  })
  return join(folder, 'chromium')
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
